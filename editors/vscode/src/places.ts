// Places of the protocol in the editor's terms.

import * as vscode from "vscode";
import type { Position, Range } from "./protocol";

export function editorRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function protocolPosition({ line, character }: vscode.Position): Position {
  return { line, character };
}

export async function openPlace(uri: string, range: Range, column?: vscode.ViewColumn): Promise<void> {
  const options = { selection: editorRange(range), ...(column === undefined ? {} : { viewColumn: column }) };
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), options);
}
