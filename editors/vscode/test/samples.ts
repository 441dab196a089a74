// Findings to test with.

import type { Access, Race, Range } from "../src/protocol";

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
