// Findings to test with.

import type { Access, Interleaving, Race, Range, Step } from "../src/protocol";

export function range(line: number, from = 4, to = 18): Range {
  return { start: { line, character: from }, end: { line, character: to } };
}

export function access(file: string, line: number, more: Partial<Access> = {}): Access {
  return {
    uri: `file:///project/${file}`,
    range: range(line),
    write: false,
    thread: "main",
    locks: [],
    function: "run",
    ...more,
  };
}

export function race(id: string, more: Partial<Race> = {}): Race {
  return {
    id,
    tier: "possible",
    verdict: null,
    summary: null,
    rank: 50,
    kind: "race",
    location_name: "counter",
    message: "possible data race on `counter`",
    accesses: [access("a.c", 9, { write: true, thread: "worker", locks: ["m"] }), access("b.c", 19)],
    ...more,
  };
}

export function shownPath(uri: string): string {
  return uri.replace("file:///project/", "");
}

export function step(number: number, thread: number, what: string, more: Partial<Step> = {}): Step {
  return {
    number,
    thread,
    uri: "file:///project/a.c",
    range: range(number + 10),
    file: "a.c",
    function: "run",
    what,
    locks: [],
    end: false,
    ...more,
  };
}

export function interleaving(more: Partial<Interleaving> = {}): Interleaving {
  return {
    id: "0123456789ab",
    tier: "witnessed",
    location_name: "counter",
    verdict: "witnessed",
    summary: "An interleaving of 3 steps gets there.",
    limits: [],
    assumptions: [],
    threads: [
      { entry: "main", harness: false },
      { entry: "worker", harness: false },
    ],
    steps: [
      step(1, 0, "starts thread 1"),
      step(2, 0, "writes counter = 1", { end: true }),
      step(3, 1, "reads counter = 0", { end: true, locks: ["m"] }),
    ],
    ...more,
  };
}
