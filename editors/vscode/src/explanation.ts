// Explanations of the server beside the source, in a panel that each new one takes over.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { page, withLinkTargets, type LinkTarget } from "./explanation_page";
import { openPlace } from "./places";

export class Explanations implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private targets: LinkTarget[] = [];

  async show(subject: string, markdown: string): Promise<void> {
    const linked = withLinkTargets(markdown);
    const body = await vscode.commands.executeCommand<string>("markdown.api.render", linked.markdown);
    const panel = this.panel ?? this.open();
    this.targets = linked.targets;
    panel.title = subject;
    panel.webview.html = page(body, randomBytes(16).toString("hex"));
    panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("racelens.explanation", "Racelens", place, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.webview.onDidReceiveMessage((number: number) => this.follow(number));
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    this.panel = panel;
    return panel;
  }

  /** Beside the explanation, which the reader still needs. */
  private async follow(number: number): Promise<void> {
    const target = this.targets[number];
    if (target) {
      const place = { line: target.line, character: target.character };
      await openPlace(target.uri, { start: place, end: place }, vscode.ViewColumn.One);
    }
  }
}
