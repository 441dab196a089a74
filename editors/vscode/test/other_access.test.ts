import assert from "node:assert/strict";
import { test } from "node:test";
import { otherAccesses } from "../src/other_access";
import type { Position, Race } from "../src/protocol";
import { access, race, range, shownPath } from "./samples";

function lines(races: Race[], file: string, position: Position): string[] {
  return otherAccesses(races, `file:///project/${file}`, position).map(
    (found) => `${shownPath(found.access.uri)}:${found.access.range.start.line}`,
  );
}

test("each end of the pair leads to the other", () => {
  assert.deepEqual(lines([race("1")], "a.c", { line: 9, character: 6 }), ["b.c:19"]);
  assert.deepEqual(lines([race("1")], "b.c", { line: 19, character: 18 }), ["a.c:9"]);
});

test("anywhere in the line will do if no access is at the cursor", () => {
  assert.deepEqual(lines([race("1")], "a.c", { line: 9, character: 0 }), ["b.c:19"]);
});

test("elsewhere there is nothing", () => {
  assert.deepEqual(lines([race("1")], "a.c", { line: 10, character: 6 }), []);
  assert.deepEqual(lines([race("1")], "c.c", { line: 9, character: 6 }), []);
});

test("a further access of the cause leads to the first", () => {
  const accesses = [access("a.c", 1), access("a.c", 2), access("a.c", 3)];
  assert.deepEqual(lines([race("1", { accesses })], "a.c", { line: 3, character: 5 }), ["a.c:1"]);
});

test("an access can race with itself", () => {
  const accesses = [access("a.c", 1), access("a.c", 1)];
  assert.deepEqual(lines([race("1", { accesses })], "a.c", { line: 1, character: 5 }), ["a.c:1"]);
  assert.deepEqual(lines([race("1", { accesses: [access("a.c", 1)] })], "a.c", { line: 1, character: 5 }), ["a.c:1"]);
});

test("of two accesses in one line the one at the cursor counts", () => {
  const left = race("1", { accesses: [access("a.c", 5, { range: range(5, 0, 4) }), access("a.c", 6)] });
  const right = race("2", { accesses: [access("a.c", 5, { range: range(5, 8, 12) }), access("a.c", 7)] });
  assert.deepEqual(lines([left, right], "a.c", { line: 5, character: 2 }), ["a.c:6"]);
  assert.deepEqual(lines([left, right], "a.c", { line: 5, character: 10 }), ["a.c:7"]);
  assert.deepEqual(lines([left, right], "a.c", { line: 5, character: 6 }), ["a.c:6", "a.c:7"]);
});

test("of nested accesses the innermost counts", () => {
  const outer = race("1", { accesses: [access("a.c", 5, { range: range(5, 0, 20) }), access("a.c", 6)] });
  const inner = race("2", { accesses: [access("a.c", 5, { range: range(5, 8, 12) }), access("a.c", 7)] });
  assert.deepEqual(lines([outer, inner], "a.c", { line: 5, character: 10 }), ["a.c:7"]);
});
