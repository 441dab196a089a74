// The tree of findings as plain data: what is grouped under what, in which order, with which words.

import type { Access, Findings, Race, Range, Tier, Violation } from "./protocol";

export type Grouping = "location" | "file" | "tier";

/** A place in the source that a row of the tree leads to. */
export interface Place {
  uri: string;
  range: Range;
}

export interface GroupNode {
  kind: "group";
  id: string;
  label: string;
  description: string;
  icon: "location" | "file" | "tier" | "violations";
  /** The file of a group by file, for the icon and the colour that the editor gives it. */
  uri?: string;
  children: Node[];
}

export interface RaceNode {
  kind: "race";
  id: string;
  label: string;
  description: string;
  tooltip: string;
  /** By which the server can explain it. */
  findingId: string;
  race: Race;
  children: AccessNode[];
}

export interface AccessNode {
  kind: "access";
  id: string;
  label: string;
  description: string;
  tooltip: string;
  write: boolean;
  place: Place;
}

export interface ViolationNode {
  kind: "violation";
  id: string;
  label: string;
  description: string;
  tooltip: string;
  findingId: string;
  place: Place;
}

export type Node = GroupNode | RaceNode | AccessNode | ViolationNode;

/** How a file is named in the tree; the editor knows its folders, this module does not. */
export type ShownPath = (uri: string) => string;

export const TIER_TITLES: Record<Tier, string> = {
  witnessed: "Witnessed",
  possible: "Possible",
  proven_safe: "Proven safe",
};

/** The most certain first. */
const TIERS: Tier[] = ["witnessed", "possible", "proven_safe"];

export function findingTree(findings: Findings, grouping: Grouping, shownPath: ShownPath): Node[] {
  const races = [...findings.races].sort(byUrgency);
  const nodes = groupsOf(races, grouping, shownPath);
  if (findings.violations.length > 0) {
    nodes.push(violationGroup(findings.violations, shownPath));
  }
  return nodes;
}

function groupsOf(races: Race[], grouping: Grouping, shownPath: ShownPath): Node[] {
  switch (grouping) {
    case "location":
      return byLocation(races, shownPath);
    case "file":
      return byFile(races, shownPath);
    case "tier":
      return byTier(races, shownPath);
  }
}

/** A location with one race is that race: a group around it would only cost a click. */
function byLocation(races: Race[], shownPath: ShownPath): Node[] {
  return [...collected(races, (race) => [race.location_name])].map(([location, members]) => {
    const [only] = members;
    const id = `location:${location}`;
    if (only && members.length === 1) {
      return raceNode(only, id, shownPath);
    }
    return {
      kind: "group",
      id,
      label: location,
      description: counted(members.length, "race"),
      icon: "location",
      children: members.map((race) => raceNode(race, id, shownPath)),
    };
  });
}

/** A race between two files stands under both, since either may be the one that is open. */
function byFile(races: Race[], shownPath: ShownPath): Node[] {
  const groups = [...collected(races, (race) => race.accesses.slice(0, 2).map((access) => access.uri))];
  groups.sort(([left], [right]) => compared(shownPath(left), shownPath(right)));
  return groups.map(([uri, members]) => {
    const id = `file:${uri}`;
    return {
      kind: "group",
      id,
      label: shownPath(uri),
      description: counted(members.length, "race"),
      icon: "file",
      uri,
      children: members.map((race) => raceNode(race, id, shownPath)),
    };
  });
}

function byTier(races: Race[], shownPath: ShownPath): Node[] {
  const groups = collected(races, (race) => [race.tier]);
  return TIERS.flatMap((tier): Node[] => {
    const members = groups.get(tier);
    if (!members) {
      return [];
    }
    const id = `tier:${tier}`;
    return [
      {
        kind: "group",
        id,
        label: TIER_TITLES[tier],
        description: counted(members.length, "race"),
        icon: "tier",
        children: members.map((race) => raceNode(race, id, shownPath)),
      },
    ];
  });
}

function violationGroup(violations: Violation[], shownPath: ShownPath): GroupNode {
  return {
    kind: "group",
    id: "violations",
    label: "Broken lock annotations",
    description: String(violations.length),
    icon: "violations",
    children: violations.map((violation) => ({
      kind: "violation",
      id: `violation:${violation.id}`,
      label: violation.message,
      description: placeName(violation, shownPath),
      tooltip: violation.function ? `${violation.message}, in ${violation.function}` : violation.message,
      findingId: violation.id,
      place: { uri: violation.uri, range: violation.range },
    })),
  };
}

function raceNode(race: Race, group: string, shownPath: ShownPath): RaceNode {
  const id = `${group}/${race.id}`;
  return {
    kind: "race",
    id,
    label: race.location_name,
    description: [pairName(race.accesses, shownPath), verdictName(race)].filter((part) => part !== "").join(", "),
    tooltip: [race.message, `${TIER_TITLES[race.tier].toLowerCase()}, rank ${race.rank} of 100`, race.summary ?? ""]
      .filter((line) => line !== "")
      .join("\n"),
    findingId: race.id,
    race,
    children: distinct(race.accesses).map(([access, times], index) =>
      accessNode(access, times, `${id}/${index}`, shownPath),
    ),
  };
}

/** What the tier alone does not say. */
function verdictName({ tier, verdict }: Race): string {
  if (tier !== "possible" || verdict === null) {
    return "";
  }
  return { not_found: "not found", unknown: "unknown", out_of_date: "out of date", witnessed: "" }[verdict];
}

function accessNode(access: Access, times: number, id: string, shownPath: ShownPath): AccessNode {
  const { uri, range, write } = access;
  const label = `${write ? "write" : "read"} in ${access.thread}`;
  const place = placeName(access, shownPath);
  const locks = access.locks.length === 0 ? "no lock" : `with ${access.locks.join(", ")}`;
  const circumstances = times > 1 ? `several at once, ${locks}` : locks;
  return {
    kind: "access",
    id,
    label,
    // A view is narrow and cuts off what comes last: the place comes first, the function not at all.
    description: `${place}, ${circumstances}`,
    tooltip: `${label}, ${circumstances}\n${access.function}, ${place}`,
    write,
    place: { uri, range },
  };
}

/** Threads that run the same code race in one access, which is the pair's both ends: one row will do. */
function distinct(accesses: Access[]): [Access, number][] {
  const counts = new Map<string, [Access, number]>();
  for (const access of accesses) {
    const key = JSON.stringify([access.uri, access.range, access.write, access.thread, access.locks]);
    const known = counts.get(key);
    if (known) {
      known[1] += 1;
    } else {
      counts.set(key, [access, 1]);
    }
  }
  return [...counts.values()];
}

function pairName([first, second]: Access[], shownPath: ShownPath): string {
  if (!first) {
    return "";
  }
  const from = placeName(first, shownPath);
  if (!second || from === placeName(second, shownPath)) {
    return from;
  }
  const line = second.range.start.line + 1;
  return `${from} ↔ ${first.uri === second.uri ? line : placeName(second, shownPath)}`;
}

function placeName(place: Place, shownPath: ShownPath): string {
  return `${shownPath(place.uri)}:${place.range.start.line + 1}`;
}

export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** The members of each group, groups in the order in which they first occur. */
function collected<Key>(races: Race[], keysOf: (race: Race) => Key[]): Map<Key, Race[]> {
  const groups = new Map<Key, Race[]>();
  for (const race of races) {
    for (const key of new Set(keysOf(race))) {
      const members = groups.get(key);
      if (members) {
        members.push(race);
      } else {
        groups.set(key, [race]);
      }
    }
  }
  return groups;
}

function byUrgency(left: Race, right: Race): number {
  return (
    TIERS.indexOf(left.tier) - TIERS.indexOf(right.tier) ||
    right.rank - left.rank ||
    compared(left.location_name, right.location_name) ||
    compared(left.id, right.id)
  );
}

function compared(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
