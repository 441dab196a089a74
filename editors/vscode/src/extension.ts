// What the editor starts: puts the parts together and registers the commands.

import * as vscode from "vscode";
import { Explanations } from "./explanation";
import type { Grouping, RaceNode, ViolationNode } from "./finding_tree";
import { Interleavings } from "./interleaving";
import { otherAccesses, type Counterpart } from "./other_access";
import { openPlace, protocolPosition } from "./places";
import { RacesView } from "./races_view";
import { Server, type Asked } from "./server";
import { StatusBar } from "./status_bar";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Racelens", { log: true });
  const statusBar = new StatusBar();
  const races = new RacesView(context.workspaceState);
  const explanations = new Explanations();
  const interleavings = new Interleavings({
    interleaving: async (id) => server?.interleaving(id),
    verify: async (id) => server?.verify([id]),
  });
  const started = new Server(context.extensionPath, output, {
    onStatus: (status) => statusBar.show(status),
    onFindings: (findings) => {
      races.show(findings);
      void interleavings.refresh();
    },
    onExplanation: (subject, markdown) => explanations.show(subject, markdown),
    onInterleaving: (interleaving) => interleavings.show(interleaving),
  });
  server = started;

  const group = (grouping: Grouping) => (): void => races.group(grouping);
  const commands: Record<string, (...values: never[]) => unknown> = {
    explainHere: () => explainHere(started, races),
    explainFinding: (node: RaceNode | ViolationNode) => started.explainFinding(node.findingId, node.label),
    goToOtherAccess: () => goToOtherAccess(races),
    verifyHere: () => atCursor((asked) => started.verify(asked)),
    verifyFinding: (node: RaceNode) => started.verify([node.findingId]),
    showInterleavingHere: () => atCursor((asked) => started.showInterleaving(asked)),
    showFindingInterleaving: (node: RaceNode) => started.showInterleaving([node.findingId]),
    check: () => started.check(),
    restartServer: () => started.restart(),
    showOutput: () => output.show(true),
    showRaces: () => races.focus(),
    groupByLocation: group("location"),
    groupByFile: group("file"),
    groupByTier: group("tier"),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`racelens.${name}`, run));
  }
  context.subscriptions.push(output, statusBar, races, explanations, interleavings, started, restartOnNewPath(started));
  await started.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function restartOnNewPath(server: Server): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration("racelens.server.path")) {
      void server.restart();
    }
  });
}

async function explainHere(server: Server, view: RacesView): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    // After a jump the access is selected, and the cursor stands behind it.
    const position = protocolPosition(editor.selection.start);
    const uri = editor.document.uri.toString();
    const file = vscode.workspace.asRelativePath(editor.document.uri, false).split("/").at(-1);
    const races = new Set(otherAccesses(view.races, uri, position).map(({ race }) => race.id));
    await server.explainPlace(uri, position, [...races], `${file}, line ${position.line + 1}`);
  }
}

/** Asks about the race at the cursor. */
async function atCursor(ask: (asked: Asked) => Promise<void>): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    await ask([editor.document.uri.toString(), protocolPosition(editor.selection.start)]);
  }
}

async function goToOtherAccess(view: RacesView): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const position = protocolPosition(editor.selection.start);
  const found = otherAccesses(view.races, editor.document.uri.toString(), position);
  const chosen = found.length > 1 ? await choose(found) : found[0];
  if (chosen) {
    await openPlace(chosen.access.uri, chosen.access.range);
  } else if (found.length === 0) {
    void vscode.window.showInformationMessage("There is no race at the cursor.");
  }
}

async function choose(found: Counterpart[]): Promise<Counterpart | undefined> {
  const items = found.map((counterpart) => {
    const { access, race } = counterpart;
    const file = vscode.workspace.asRelativePath(vscode.Uri.parse(access.uri));
    return {
      label: race.location_name,
      description: `${access.write ? "write" : "read"} in ${access.thread}`,
      detail: `${file}:${access.range.start.line + 1}, ${access.function}`,
      counterpart,
    };
  });
  const picked = await vscode.window.showQuickPick(items, { title: "Several races meet here" });
  return picked?.counterpart;
}
