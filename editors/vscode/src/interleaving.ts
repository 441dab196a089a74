// The view of an interleaving: a page beside the source that walks through the lines of its steps.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { page, type PageMessage } from "./interleaving_page";
import { editorRange } from "./places";
import type { Interleaving, Step } from "./protocol";

export interface InterleavingSource {
  /** What the server knows of a race now; nothing if it is gone. */
  interleaving(id: string): Promise<Interleaving | undefined>;
  verify(id: string): Promise<void>;
}

export class Interleavings implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: Interleaving | undefined;
  private outOfDate = false;
  private selected = 0;
  /** Jumps that are under way, and how many were asked for. */
  private walk: Promise<void> = Promise.resolve();
  private wanted = 0;
  private readonly line = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.rangeHighlightForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly step = vscode.window.createTextEditorDecorationType({
    border: "1px solid",
    borderColor: new vscode.ThemeColor("focusBorder"),
  });

  constructor(private readonly source: InterleavingSource) {}

  show(interleaving: Interleaving): void {
    this.shown = interleaving;
    this.outOfDate = false;
    this.selected = 0;
    this.unmark();
    const panel = this.panel ?? this.open();
    this.render(true);
    panel.reveal(undefined, false);
  }

  /** The program was checked again: what is shown may have moved, or may not happen any more. */
  async refresh(): Promise<void> {
    const shown = this.shown;
    if (!this.panel || !shown) {
      return;
    }
    const now = await this.source.interleaving(shown.id).catch(() => undefined);
    if (this.shown !== shown) {
      return;
    }
    const outOfDate = now?.verdict !== "witnessed";
    const latest = now && !outOfDate ? now : shown;
    if (outOfDate !== this.outOfDate || JSON.stringify(latest) !== JSON.stringify(shown)) {
      this.shown = latest;
      this.outOfDate = outOfDate;
      this.render(false);
    }
  }

  dispose(): void {
    this.panel?.dispose();
    this.line.dispose();
    this.step.dispose();
  }

  private open(): vscode.WebviewPanel {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false };
    const panel = vscode.window.createWebviewPanel("racelens.interleaving", "Interleaving", place, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.webview.onDidReceiveMessage((message: PageMessage) => this.follow(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = undefined;
      this.unmark();
    });
    this.panel = panel;
    return panel;
  }

  private render(focus: boolean): void {
    if (this.panel && this.shown) {
      const state = { outOfDate: this.outOfDate, selected: this.selected, focus };
      this.panel.title = `Interleaving: ${this.shown.location_name}`;
      this.panel.webview.html = page(this.shown, state, randomBytes(16).toString("hex"));
    }
  }

  private async follow(message: PageMessage): Promise<void> {
    if (message.kind === "verify") {
      if (this.shown) {
        await this.source.verify(this.shown.id);
      }
      return;
    }
    this.selected = message.number;
    this.wanted += 1;
    const wish = this.wanted;
    // One after the other, because opening a file takes time; who walks fast sees only where the walk ends.
    this.walk = this.walk.then(async () => {
      const step = this.shown?.steps.find(({ number }) => number === message.number);
      if (step && wish === this.wanted) {
        await this.goTo(step, message.focus);
      }
    });
    await this.walk;
  }

  private async goTo(step: Step, focus: boolean): Promise<void> {
    this.unmark();
    if (step.uri === null || step.range === null) {
      return;
    }
    const range = editorRange(step.range);
    const options = { viewColumn: vscode.ViewColumn.One, preserveFocus: !focus, selection: range };
    const opened = vscode.window.showTextDocument(vscode.Uri.parse(step.uri), options);
    const editor = await opened.then(undefined, (error: unknown) => {
      void vscode.window.showWarningMessage(`The file of this step cannot be opened: ${String(error)}`);
      return undefined;
    });
    if (!editor) {
      return;
    }
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    editor.setDecorations(this.line, [range]);
    editor.setDecorations(this.step, [range]);
  }

  private unmark(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.line, []);
      editor.setDecorations(this.step, []);
    }
  }
}
