// From one end of a race to the other.

import type { Access, Position, Race } from "./protocol";

export interface Counterpart {
  race: Race;
  access: Access;
}

/**
 * The accesses that race with the one at a position: of an access of the pair the other one, of
 * further accesses of the same cause the first of the pair. The innermost range counts if several
 * contain the position; without such a range, those that begin in the same line do.
 */
export function otherAccesses(races: Race[], uri: string, position: Position): Counterpart[] {
  const here = races.flatMap((race) =>
    race.accesses.map((access, index) => ({ race, access, index })).filter(({ access }) => access.uri === uri),
  );
  const around = here.filter(({ access }) => contains(access, position));
  const candidates =
    around.length > 0 ? innermost(around) : here.filter(({ access }) => access.range.start.line === position.line);
  const found = new Map<string, Counterpart>();
  for (const { race, index } of candidates) {
    // Two threads can race in one and the same access, which is then its own counterpart.
    const access = race.accesses[index === 0 ? 1 : 0] ?? race.accesses[0];
    if (access) {
      found.set(JSON.stringify([race.id, access.uri, access.range]), { race, access });
    }
  }
  return [...found.values()];
}

function contains(access: Access, position: Position): boolean {
  const { start, end } = access.range;
  return !isBefore(position, start) && !isBefore(end, position);
}

function isBefore(left: Position, right: Position): boolean {
  return left.line < right.line || (left.line === right.line && left.character < right.character);
}

function innermost<Found extends { access: Access }>(found: Found[]): Found[] {
  const inside = (inner: Access, outer: Access): boolean =>
    JSON.stringify(inner.range) !== JSON.stringify(outer.range) &&
    !isBefore(inner.range.start, outer.range.start) &&
    !isBefore(outer.range.end, inner.range.end);
  return found.filter((candidate) => !found.some((other) => inside(other.access, candidate.access)));
}
