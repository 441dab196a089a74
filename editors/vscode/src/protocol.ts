// What the server says beyond the Language Server Protocol.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** One end of a race. */
export interface Access {
  uri: string;
  range: Range;
  write: boolean;
  thread: string;
  locks: string[];
  function: string;
}

export type Tier = "possible" | "witnessed" | "proven_safe";

export interface Race {
  /** Stays the same when lines move. */
  id: string;
  tier: Tier;
  /** How much speaks for the race, from 0 to 100. */
  rank: number;
  kind: string;
  /** The memory that is raced on, such as `cache.lookups`. */
  location_name: string;
  message: string;
  /** The first two are the pair to look at; others of the same cause follow. */
  accesses: Access[];
}

/** A promise about locks that a declaration makes and the program breaks. */
export interface Violation {
  id: string;
  /** The attribute of the declaration, such as `guarded_by`. */
  kind: string;
  message: string;
  uri: string;
  range: Range;
  function: string;
}

export interface Findings {
  races: Race[];
  violations: Violation[];
}

export type State = "indexing" | "checking" | "ready" | "failed";

export interface Status {
  state: State;
  races: number;
  violations: number;
  message?: string | null;
}

export const RACES_REQUEST = "racelens/races";
export const STATUS_NOTIFICATION = "racelens/status";

/** Commands of the server; the language client registers them by these names. */
export const EXPLAIN_COMMAND = "racelens.explain";
export const CHECK_COMMAND = "racelens.checkNow";
