import assert from "node:assert/strict";
import { test } from "node:test";
import { page, withLinkTargets } from "../src/explanation_page";

test("links to files become numbers of targets, in their order", () => {
  const { markdown, targets } = withLinkTargets(
    "no race with [a.c:50](file:///project/a.c#L50) and [b.c:3:7](file:///project/b%20b.c#L3,7), see [c](file:///c.c)",
  );
  assert.equal(markdown, "no race with [a.c:50](#target-0) and [b.c:3:7](#target-1), see [c](#target-2)");
  assert.deepEqual(targets, [
    { uri: "file:///project/a.c", line: 49, character: 0 },
    { uri: "file:///project/b%20b.c", line: 2, character: 6 },
    { uri: "file:///c.c", line: 0, character: 0 },
  ]);
});

test("other links and text stay as they are", () => {
  const text = "[manual](https://example.org/a#L3) `(file:///x)` a[i](j)";
  assert.deepEqual(withLinkTargets(text), { markdown: text, targets: [] });
});

test("a page allows no script but its own", () => {
  const text = page("<p>explained</p>", "secret");
  assert.match(text, /default-src 'none'; style-src 'nonce-secret'; script-src 'nonce-secret'/);
  assert.match(text, /<main class="explanation"><p>explained<\/p><\/main>/);
});
