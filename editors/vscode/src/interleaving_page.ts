// An interleaving as a page: threads are columns, steps are rows, and every row leads to its line.

import type { Interleaving, Step } from "./protocol";

export interface PageState {
  /** The program has changed since: what is shown may not happen any more. */
  outOfDate: boolean;
  /** The number of the step that is looked at, or 0. */
  selected: number;
  /** Whether the page takes the keyboard, which it must not while somebody types. */
  focus: boolean;
}

/** What the page tells the extension. */
export type PageMessage = { kind: "step"; number: number; focus: boolean } | { kind: "verify" };

/** `nonce` allows the page's own style and script, and nothing else. Nothing of the program's text gets into either. */
export function page(interleaving: Interleaving, state: PageState, nonce: string): string {
  const { location_name: location, threads, steps } = interleaving;
  const numbers = threads.map((_, number) => number);
  const acting = numbers.filter((number) => steps.some(({ thread }) => thread === number));
  const nameOf = (number: number): string => escaped(`${number}: ${threads[number]?.entry ?? ""}`);
  const columns = acting.map((number) => `<th scope="col">${nameOf(number)}</th>`).join("");
  const rows = steps.map((step, index) => rowOf(step, steps[index - 1], acting, state)).join("\n");
  const idle = numbers.filter((number) => !acting.includes(number)).map(nameOf);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main class="interleaving${state.outOfDate ? " out-of-date" : ""}" data-focus="${state.focus}">
<h1>Race on <code>${escaped(location)}</code></h1>
${banner(state)}
<p id="summary">${escaped(interleaving.summary ?? "")} <span class="hint">Arrow keys walk through it, Enter goes to the code.</span></p>
<table role="grid" aria-describedby="summary">
<thead><tr><th scope="col"><span class="unseen">Step</span></th>${columns}</tr></thead>
<tbody>
${rows}
</tbody>
</table>
${idle.length === 0 ? "" : `<p class="hint">Nothing happens in ${idle.join(", ")}.</p>`}
${listOf("Assumed", interleaving.assumptions)}
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>`;
}

export function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character);
}

function banner({ outOfDate }: PageState): string {
  if (!outOfDate) {
    return "";
  }
  return `<p class="banner" role="status">The program has changed: this interleaving is out of date. <button id="verify">Verify Again</button></p>`;
}

function rowOf(step: Step, before: Step | undefined, threads: number[], { selected }: PageState): string {
  const classes = [
    step.end ? "end" : "",
    step.end && before?.end !== true ? "first-end" : "",
    before !== undefined && before.thread !== step.thread && !step.end ? "switch" : "",
  ].filter((name) => name !== "");
  // One row can be reached by the tabulator, the arrow keys lead to the others.
  const reachable = step.number === (selected === 0 ? 1 : selected);
  const cells = threads.map((thread) => `<td>${thread === step.thread ? cellOf(step) : ""}</td>`);
  return `<tr data-step="${step.number}" class="${classes.join(" ")}" tabindex="${reachable ? 0 : -1}" aria-selected="${step.number === selected}"><th scope="row">${step.number}</th>${cells.join("")}</tr>`;
}

function cellOf(step: Step): string {
  const line = step.range === null ? "" : `:${step.range.start.line + 1}`;
  const place = step.file === null ? "" : `<span class="place">${escaped(`${step.file}${line}`)} in ${escaped(step.function)}</span>`;
  const held = step.locks.length === 0 ? (step.end ? "holding no lock" : "") : `holding ${step.locks.join(", ")}`;
  const locks = held === "" ? "" : `<span class="locks">${escaped(held)}</span>`;
  const together = step.end ? `<span class="together">at the same time</span>` : "";
  return `<code>${escaped(step.what)}</code>${together}${place}${locks}`;
}

function listOf(title: string, items: string[]): string {
  if (items.length === 0) {
    return "";
  }
  return `<h2>${title}</h2><ul>${items.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`;
}

const STYLE = `
body { padding: 0.5rem 1.25rem 2rem; color: var(--vscode-editor-foreground); line-height: 1.45; }
h1 { font-size: 1.3em; font-weight: 600; }
h2 { font-size: 1.1em; }
code { font-family: var(--vscode-editor-font-family); color: inherit; background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3em 0.75em; border-bottom: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); }
thead th { position: sticky; top: 0; background: var(--vscode-editor-background); border-bottom-width: 2px; }
td { border-left: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); }
tbody th { font-weight: normal; color: var(--vscode-descriptionForeground); width: 2em; }
tbody tr { cursor: pointer; }
tbody tr:hover { background: var(--vscode-list-hoverBackground); outline: 1px dashed var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
tbody tr[aria-selected="true"] { background: var(--vscode-list-inactiveSelectionBackground); outline: 1px dotted var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
tbody tr:focus { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
tbody tr:focus * { color: inherit; }
tr.switch > * { border-top: 2px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); }
tr.first-end > * { border-top: 2px solid var(--vscode-editorError-foreground); }
tr.end code { color: var(--vscode-editorError-foreground); font-weight: 600; }
tr.end:focus code { color: inherit; }
.place, .locks { display: block; font-size: 0.9em; color: var(--vscode-descriptionForeground); }
.together { margin-left: 0.75em; font-size: 0.85em; padding: 0 0.5em; border-radius: 0.8em; color: var(--vscode-badge-foreground); background: var(--vscode-badge-background); border: 1px solid var(--vscode-contrastBorder, transparent); }
.hint { color: var(--vscode-descriptionForeground); }
.banner { padding: 0.5em 0.75em; border: 1px solid var(--vscode-inputValidation-warningBorder); background: var(--vscode-inputValidation-warningBackground); color: var(--vscode-inputValidation-warningForeground, inherit); }
.out-of-date table { opacity: 0.6; }
button { font: inherit; color: var(--vscode-button-foreground); background: var(--vscode-button-background); border: 1px solid var(--vscode-button-border, transparent); padding: 0.2em 0.8em; cursor: pointer; }
button:hover { background: var(--vscode-button-hoverBackground); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`;

const SCRIPT = `
const editor = acquireVsCodeApi();
const rows = [...document.querySelectorAll("tr[data-step]")];
function select(row, focus) {
  for (const other of rows) {
    other.setAttribute("aria-selected", String(other === row));
    other.tabIndex = other === row ? 0 : -1;
  }
  row.focus();
  row.scrollIntoView({ block: "nearest" });
  editor.postMessage({ kind: "step", number: Number(row.dataset.step), focus });
}
document.addEventListener("click", (event) => {
  if (event.target.closest("#verify")) {
    editor.postMessage({ kind: "verify" });
    return;
  }
  const row = event.target.closest("tr[data-step]");
  if (row) {
    select(row, false);
  }
});
document.addEventListener("dblclick", (event) => {
  const row = event.target.closest("tr[data-step]");
  if (row) {
    select(row, true);
  }
});
document.addEventListener("keydown", (event) => {
  const at = rows.indexOf(document.activeElement);
  const targets = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, Enter: at, " ": at };
  const row = event.key in targets ? rows[targets[event.key]] : undefined;
  if (row) {
    event.preventDefault();
    select(row, event.key === "Enter");
  }
});
const current = rows.find((row) => row.tabIndex === 0);
if (current && document.querySelector("main").dataset.focus === "true") {
  current.focus();
}
`;
