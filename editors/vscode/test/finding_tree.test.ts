import assert from "node:assert/strict";
import { test } from "node:test";
import { findingTree, type Grouping, type Node } from "../src/finding_tree";
import type { Race, Violation } from "../src/protocol";
import { access, race, range, shownPath } from "./samples";

function tree(races: Race[], grouping: Grouping, violations: Violation[] = []): Node[] {
  return findingTree({ races, violations }, grouping, shownPath);
}

/** The tree as indented lines, which is how a person sees it. */
function drawn(nodes: Node[], depth = 0): string[] {
  return nodes.flatMap((node) => [
    `${"  ".repeat(depth)}${node.label} | ${node.description}`,
    ...("children" in node ? drawn(node.children, depth + 1) : []),
  ]);
}

test("a race leads to both of its accesses", () => {
  assert.deepEqual(drawn(tree([race("1")], "location")), [
    "counter | a.c:10 ↔ b.c:20",
    "  write in worker | a.c:10, with m",
    "  read in main | b.c:20, no lock",
  ]);
});

test("a file that both ends share is named once, and an end that is both is one row", () => {
  const within = race("1", { accesses: [access("a.c", 1), access("a.c", 2)] });
  assert.deepEqual(drawn(tree([within], "location")), [
    "counter | a.c:2 ↔ 3",
    "  read in main | a.c:2, no lock",
    "  read in main | a.c:3, no lock",
  ]);
  const itself = race("1", { accesses: [access("a.c", 1), access("a.c", 1), access("a.c", 2)] });
  assert.deepEqual(drawn(tree([itself], "location")), [
    "counter | a.c:2",
    "  read in main | a.c:2, several at once, no lock",
    "  read in main | a.c:3, no lock",
  ]);
});

test("an access knows its place", () => {
  const [node] = tree([race("1")], "location");
  assert.equal(node?.kind, "race");
  assert.deepEqual(
    node.children.map((child) => child.place),
    [
      { uri: "file:///project/a.c", range: range(9) },
      { uri: "file:///project/b.c", range: range(19) },
    ],
  );
});

test("only a location with several races is a group", () => {
  const several = [race("1"), race("2"), race("3", { location_name: "flag" })];
  assert.deepEqual(
    tree(several, "location").map((node) => [node.kind, node.label, node.description]),
    [
      ["group", "counter", "2 races"],
      ["race", "flag", "a.c:10 ↔ b.c:20"],
    ],
  );
});

test("a race between two files stands under both, and once under one file", () => {
  const within = race("2", { accesses: [access("b.c", 1), access("b.c", 2)] });
  assert.deepEqual(
    tree([race("1"), within], "file").map((node) => [node.label, node.description]),
    [
      ["a.c", "1 race"],
      ["b.c", "2 races"],
    ],
  );
});

test("further accesses of a cause do not make further files", () => {
  const accesses = [access("a.c", 1), access("a.c", 2), access("c.c", 3)];
  assert.deepEqual(
    tree([race("1", { accesses })], "file").map((node) => node.label),
    ["a.c"],
  );
});

test("tiers are ordered by certainty and empty ones are left out", () => {
  const races = [race("1", { tier: "proven_safe" }), race("2", { tier: "possible" }), race("3", { tier: "witnessed" })];
  assert.deepEqual(
    tree(races, "tier").map((node) => node.label),
    ["Witnessed", "Possible", "Proven safe"],
  );
  assert.deepEqual(
    tree([race("1")], "tier").map((node) => node.label),
    ["Possible"],
  );
});

test("the highest rank comes first, then names, then ids, whatever the server's order", () => {
  const races = [
    race("2", { location_name: "b" }),
    race("4", { location_name: "a", rank: 90 }),
    race("1", { location_name: "b" }),
    race("3", { location_name: "a" }),
  ];
  for (const order of [races, [...races].reverse()]) {
    const [group] = tree(order, "tier");
    assert.equal(group?.kind, "group");
    assert.deepEqual(
      group.children.map((node) => node.id),
      ["tier:possible/4", "tier:possible/3", "tier:possible/1", "tier:possible/2"],
    );
  }
});

test("ids are unique in every grouping", () => {
  const races = [race("1"), race("2"), race("3", { tier: "witnessed", location_name: "flag" })];
  const ids = (nodes: Node[]): string[] =>
    nodes.flatMap((node) => [node.id, ...("children" in node ? ids(node.children) : [])]);
  for (const grouping of ["location", "file", "tier"] as const) {
    const all = ids(tree(races, grouping));
    assert.equal(new Set(all).size, all.length, grouping);
  }
});

test("broken annotations stand below the races", () => {
  const violation: Violation = {
    id: "9",
    kind: "guarded_by",
    message: "`hits` is guarded by `m`, which is not held",
    uri: "file:///project/a.c",
    range: range(4),
    function: "count",
  };
  const nodes = tree([race("1")], "location", [violation]);
  assert.deepEqual(drawn(nodes).slice(-2), [
    "Broken lock annotations | 1",
    "  `hits` is guarded by `m`, which is not held | a.c:5",
  ]);
  assert.deepEqual(tree([], "location"), []);
});
