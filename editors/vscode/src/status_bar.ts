// The item in the status bar: what the server is doing, and what it found.

import * as vscode from "vscode";
import { statusText, type ServerStatus } from "./status_text";

const LINKS = [
  "[Show Races](command:racelens.showRaces)",
  "[Check Now](command:racelens.check)",
  "[Show Output](command:racelens.showOutput)",
  "[Restart Server](command:racelens.restartServer)",
].join(" · ");

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor() {
    this.item = vscode.window.createStatusBarItem("racelens.status", vscode.StatusBarAlignment.Left, 10);
    this.item.name = "Racelens";
  }

  show(status: ServerStatus): void {
    const { text, tooltip, severity } = statusText(status);
    const broken = severity !== "normal";
    this.item.text = text;
    this.item.accessibilityInformation = { label: `Racelens: ${tooltip}` };
    this.item.tooltip = tooltipWithLinks(tooltip);
    this.item.command = broken ? "racelens.showOutput" : "racelens.showRaces";
    this.item.backgroundColor = broken ? new vscode.ThemeColor(`statusBarItem.${severity}Background`) : undefined;
    this.item.show();
    void vscode.commands.executeCommand("setContext", "racelens.state", status.state);
    const running = status.state !== "starting" && status.state !== "stopped";
    void vscode.commands.executeCommand("setContext", "racelens.running", running);
  }

  dispose(): void {
    this.item.dispose();
  }
}

function tooltipWithLinks(tooltip: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  markdown.isTrusted = { enabledCommands: ["showRaces", "check", "showOutput", "restartServer"].map((name) => `racelens.${name}`) };
  markdown.appendText(tooltip);
  markdown.appendMarkdown(`\n\n${LINKS}`);
  return markdown;
}
