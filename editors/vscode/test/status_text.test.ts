import assert from "node:assert/strict";
import { test } from "node:test";
import { statusText } from "../src/status_text";

test("counts are in words", () => {
  const text = (races: number, violations: number): string => statusText({ state: "ready", races, violations }).text;
  assert.equal(text(0, 0), "$(check) no races");
  assert.equal(text(1, 0), "$(warning) 1 race");
  assert.equal(text(3, 0), "$(warning) 3 races");
  assert.equal(text(0, 1), "$(warning) 1 finding");
  assert.equal(text(2, 1), "$(warning) 3 findings");
});

test("the counts of the last check stay while the next one runs", () => {
  assert.equal(statusText({ state: "checking", races: 3, violations: 0 }).text, "$(sync~spin) 3 races");
});

test("nothing is said to be free of races before it was checked", () => {
  assert.equal(statusText({ state: "checking", races: 0, violations: 0 }).text, "$(sync~spin) Racelens: checking");
});

test("what went wrong is told and stands out", () => {
  const failed = statusText({ state: "failed", races: 0, violations: 0, message: "no compiler" });
  assert.equal(failed.severity, "error");
  assert.match(failed.tooltip, /no compiler/);
  assert.equal(statusText({ state: "stopped" }).severity, "warning");
});
