// Explanations as pages: Markdown of the server whose links to source files the page itself follows.

/** A place that a link of an explanation leads to. */
export interface LinkTarget {
  uri: string;
  /** Both count from 0. */
  line: number;
  character: number;
}

export interface LinkedText {
  /** Markdown in which links to files are fragments with the number of their target. */
  markdown: string;
  targets: LinkTarget[];
}

const FILE_LINK = /\]\((file:\/\/[^)\s#]+)(?:#L?(\d+)(?:[,:](\d+))?)?\)/g;

/** The editor's Markdown leaves links to files as text, because a page of the web must not open them. */
export function withLinkTargets(markdown: string): LinkedText {
  const targets: LinkTarget[] = [];
  const linked = markdown.replace(FILE_LINK, (_, uri: string, line?: string, column?: string) => {
    targets.push({ uri, line: fromOne(line), character: fromOne(column) });
    return `](#target-${targets.length - 1})`;
  });
  return { markdown: linked, targets };
}

function fromOne(number: string | undefined): number {
  return number === undefined ? 0 : Math.max(0, Number(number) - 1);
}

/** A page around rendered Markdown. `nonce` allows its own style and script, and nothing else. */
export function page(body: string, nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">
body { max-width: 60rem; padding: 0.5rem 1.5rem 2rem; line-height: 1.55; color: var(--vscode-editor-foreground); }
h1 { font-size: 1.5em; }
h2 { font-size: 1.25em; }
li { margin: 0.3em 0; }
code { font-family: var(--vscode-editor-font-family); color: inherit; background: var(--vscode-textCodeBlock-background); padding: 0.1em 0.3em; border-radius: 3px; white-space: nowrap; }
pre code { display: block; padding: 0.8em; white-space: pre; overflow-x: auto; }
a { color: var(--vscode-textLink-foreground); text-decoration: none; }
a:hover { text-decoration: underline; }
hr { border: 0; border-top: 1px solid var(--vscode-panel-border); margin: 1.5em 0; }
a:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
</style>
</head>
<body>
<main class="explanation">${body}</main>
<script nonce="${nonce}">
const editor = acquireVsCodeApi();
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#target-"]');
  if (link) {
    event.preventDefault();
    editor.postMessage(Number(link.getAttribute("href").slice("#target-".length)));
  }
});
</script>
</body>
</html>`;
}
