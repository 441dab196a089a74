// The view Races: the findings of the server as a tree, with jumps to both accesses of each race.

import * as vscode from "vscode";
import { counted, findingTree, type Grouping, type Node, type Place } from "./finding_tree";
import type { Findings, Race, Tier } from "./protocol";
import { editorRange } from "./places";

const GROUPING_KEY = "racelens.grouping";

export class RacesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private findings: Findings = { races: [], violations: [] };
  private nodes: Node[] = [];
  private grouping: Grouping;

  constructor(private readonly memory: vscode.Memento) {
    this.grouping = memory.get<Grouping>(GROUPING_KEY, "location");
    this.view = vscode.window.createTreeView("racelens.races", { treeDataProvider: this, showCollapseAll: true });
    this.refresh();
  }

  get races(): Race[] {
    return this.findings.races;
  }

  show(findings: Findings): void {
    this.findings = findings;
    this.refresh();
  }

  group(grouping: Grouping): void {
    this.grouping = grouping;
    void this.memory.update(GROUPING_KEY, grouping);
    this.refresh();
  }

  async focus(): Promise<void> {
    await vscode.commands.executeCommand("racelens.races.focus");
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.nodes;
    }
    return "children" in node ? node.children : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label);
    item.id = node.id;
    item.description = node.description;
    item.contextValue = node.kind === "race" && node.race.verdict === "witnessed" ? "race.witnessed" : node.kind;
    switch (node.kind) {
      case "group":
        item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
        if (node.uri !== undefined) {
          item.resourceUri = vscode.Uri.parse(node.uri);
        }
        item.iconPath = node.icon === "file" ? vscode.ThemeIcon.File : new vscode.ThemeIcon(GROUP_ICONS[node.icon]);
        break;
      case "race":
        item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
        item.iconPath = raceIcon(node.race);
        item.tooltip = node.tooltip;
        break;
      case "access":
        item.iconPath = new vscode.ThemeIcon(node.write ? "edit" : "eye");
        item.tooltip = node.tooltip;
        item.command = jump(node.place);
        break;
      case "violation":
        item.iconPath = new vscode.ThemeIcon("lock", new vscode.ThemeColor("list.warningForeground"));
        item.tooltip = node.tooltip;
        item.command = jump(node.place);
        break;
    }
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  private refresh(): void {
    const shownPath = (uri: string): string => vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
    this.nodes = findingTree(this.findings, this.grouping, shownPath);
    const count = this.findings.races.length + this.findings.violations.length;
    this.view.badge = count === 0 ? undefined : { value: count, tooltip: counted(count, "finding") };
    this.view.description = `by ${this.grouping}`;
    this.changed.fire();
  }
}

const GROUP_ICONS = { location: "symbol-variable", tier: "layers", violations: "lock" } as const;

function raceIcon({ tier, verdict }: Race): vscode.ThemeIcon {
  // Nothing was found where it was looked for, or what was found does not hold any more.
  const icons = { not_found: "search-stop", unknown: "question", out_of_date: "history", witnessed: undefined };
  const icon = tier === "possible" && verdict ? icons[verdict] : undefined;
  return icon === undefined ? tierIcon(tier) : new vscode.ThemeIcon(icon, new vscode.ThemeColor("list.warningForeground"));
}

function tierIcon(tier: Tier): vscode.ThemeIcon {
  switch (tier) {
    case "witnessed":
      return new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground"));
    case "possible":
      return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
    case "proven_safe":
      return new vscode.ThemeIcon("pass");
  }
}

function jump(place: Place): vscode.Command {
  return {
    command: "vscode.open",
    title: "Go to the Access",
    arguments: [vscode.Uri.parse(place.uri), { selection: editorRange(place.range) }],
  };
}
