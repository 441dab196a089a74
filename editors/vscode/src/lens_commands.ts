// Commands of lenses that can be clicked at any time.
//
// The editor keeps the arguments of a lens's command only as long as the list that the lens came with. A lens that was scrolled out of
// sight while a new list came is shown with the old command all the same, and a click on it fails with "Actual command not found"
// (microsoft/vscode#226936). A command without arguments is not subject to that, so each lens gets one of its own.

import * as vscode from "vscode";
import { EXPLAIN_COMMAND, SHOW_INTERLEAVING_COMMAND, VERIFY_COMMAND } from "./protocol";

const TOOLTIPS: Record<string, string> = {
  [EXPLAIN_COMMAND]: "Explain",
  [VERIFY_COMMAND]: "Look for an interleaving that shows the race",
  [SHOW_INTERLEAVING_COMMAND]: "Walk through the interleaving",
};

/** The language client keeps what the server wrote for itself into a lens. */
type ServerLens = vscode.CodeLens & { data?: unknown };

interface LensCommand {
  id: string;
  latest: vscode.Command;
}

export class LensCommands implements vscode.Disposable {
  /** By what the server calls the lens, which stays the same when lines move: there are never more than functions and races. */
  private readonly commands = new Map<string, LensCommand>();
  private readonly registrations: vscode.Disposable[] = [];

  /** The lens with a command without arguments that does the same. */
  lasting(lens: ServerLens): vscode.CodeLens {
    const command = lens.command;
    if (command?.arguments === undefined || lens.data === undefined) {
      return lens;
    }
    const known = this.remember(JSON.stringify(lens.data), command);
    lens.command = { title: command.title, tooltip: command.tooltip ?? TOOLTIPS[command.command] ?? "", command: known.id };
    return lens;
  }

  dispose(): void {
    for (const registration of this.registrations) {
      registration.dispose();
    }
  }

  private remember(key: string, command: vscode.Command): LensCommand {
    const known = this.commands.get(key);
    if (known) {
      known.latest = command;
      return known;
    }
    const fresh: LensCommand = { id: `racelens.lens.${this.commands.size}`, latest: command };
    const run = (): Thenable<unknown> =>
      vscode.commands.executeCommand(fresh.latest.command, ...((fresh.latest.arguments ?? []) as unknown[]));
    this.registrations.push(vscode.commands.registerCommand(fresh.id, run));
    this.commands.set(key, fresh);
    return fresh;
  }
}
