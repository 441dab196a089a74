import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, page } from "../src/interleaving_page";
import { interleaving, step } from "./samples";

const CURRENT = { outOfDate: false, selected: 0, focus: true };

test("threads are columns and steps are rows", () => {
  const text = page(interleaving(), CURRENT, "secret");
  assert.match(text, /<th scope="col">0: main<\/th><th scope="col">1: worker<\/th>/);
  const rows = [...text.matchAll(/<tr data-step="(\d+)" class="([^"]*)"[^>]*>(.*)<\/tr>/g)];
  assert.deepEqual(
    rows.map(([, number, classes]) => [number, classes]),
    [
      ["1", ""],
      ["2", "end first-end"],
      ["3", "end"],
    ],
  );
  // The worker's step stands in the second column.
  assert.match(rows[2]?.[3] ?? "", /<td><\/td><td><code>reads counter = 0<\/code>/);
  assert.match(rows[2]?.[3] ?? "", /a\.c:14 in run.*holding m/);
  assert.match(rows[1]?.[3] ?? "", /holding no lock/);
});

test("threads that do nothing have no column, but are not forgotten", () => {
  const idle = { entry: "idle", harness: false };
  const [main, worker] = interleaving().threads;
  assert.ok(main && worker);
  const steps = [step(1, 0, "starts thread 2"), step(2, 2, "reads counter = 0", { end: true })];
  const text = page(interleaving({ threads: [main, idle, worker], steps }), CURRENT, "secret");
  assert.match(text, /<th scope="col">0: main<\/th><th scope="col">2: worker<\/th><\/tr>/);
  assert.match(text, /<td><\/td><td><code>reads counter = 0/);
  assert.match(text, /Nothing happens in 1: idle\./);
  assert.equal(page(interleaving(), CURRENT, "secret").includes("Nothing happens"), false);
});

test("one row can be reached by the tabulator: the one that is looked at", () => {
  const reachable = (selected: number): string[] =>
    [...page(interleaving(), { ...CURRENT, selected }, "secret").matchAll(/data-step="(\d+)"[^>]*tabindex="0"/g)].map(
      (match) => match[1] ?? "",
    );
  assert.deepEqual(reachable(0), ["1"]);
  assert.deepEqual(reachable(3), ["3"]);
});

test("text of the program gets into the page as text only", () => {
  const evil = `<script>alert("x")</script>&'`;
  const steps = [step(1, 0, evil, { file: evil, function: evil, locks: [evil], end: true })];
  const threads = [{ entry: evil, harness: false }];
  const text = page(
    interleaving({ location_name: evil, summary: evil, assumptions: [evil], threads, steps }),
    CURRENT,
    "secret",
  );
  assert.equal(text.includes(evil), false);
  assert.equal([...text.matchAll(/<script/g)].length, 1);
  assert.equal(escaped(evil), "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;");
  assert.match(text, /default-src 'none'; style-src 'nonce-secret'; script-src 'nonce-secret'/);
});

test("what is out of date is said, with what to do", () => {
  const text = page(interleaving(), { outOfDate: true, selected: 2, focus: false }, "secret");
  assert.match(text, /out of date.*<button id="verify">/);
  assert.equal(page(interleaving(), CURRENT, "secret").includes('id="verify"'), false);
});

test("assumptions stand below", () => {
  const text = page(interleaving({ assumptions: ["`rand` returns 1"] }), CURRENT, "secret");
  assert.match(text, /<h2>Assumed<\/h2><ul><li>`rand` returns 1<\/li><\/ul>/);
});
