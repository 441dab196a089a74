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

/** What looking for an interleaving came to. */
export type Verdict = "witnessed" | "not_found" | "unknown" | "out_of_date";

export interface Race {
  /** Stays the same when lines move. */
  id: string;
  tier: Tier;
  /** Null if nobody has verified it. */
  verdict: Verdict | null;
  /** The same in a sentence. */
  summary: string | null;
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

/** One step of an interleaving. */
export interface Step {
  /** Counts from 1. */
  number: number;
  /** The thread's place in the list of threads. */
  thread: number;
  /** Null if the step stands in no file. */
  uri: string | null;
  range: Range | null;
  /** The file as people call it. */
  file: string | null;
  function: string;
  /** What happens, with the value: `reads cache.closing = 0`. */
  what: string;
  locks: string[];
  /** Whether it is one of the accesses that happen at the same time. */
  end: boolean;
}

export interface InterleavingThread {
  /** The function that it runs. */
  entry: string;
  /** Whether it was made up to call the others. */
  harness: boolean;
}

/** What verifying a race came to. */
export interface Interleaving {
  id: string;
  tier: Tier;
  location_name: string;
  verdict: Verdict | null;
  summary: string | null;
  /** Why nothing is known, or what was assumed where nothing was found. */
  limits: string[];
  /** Values that the interleaving needs and that nobody knows. */
  assumptions: string[];
  threads: InterleavingThread[];
  steps: Step[];
}

export const RACES_REQUEST = "racelens/races";
export const INTERLEAVING_REQUEST = "racelens/interleaving";
export const STATUS_NOTIFICATION = "racelens/status";

/** Commands of the server; the language client registers them by these names. */
export const EXPLAIN_COMMAND = "racelens.explain";
export const CHECK_COMMAND = "racelens.checkNow";
export const VERIFY_COMMAND = "racelens.verify";
export const SHOW_INTERLEAVING_COMMAND = "racelens.showInterleaving";
