//! What is known about one line: its accesses, the locks held at them, and the function around it.

use super::{AccessKind, Lock, Thread};
use crate::project::Place;

/// The answer to "what holds here, and why?"
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The accesses on the line, from left to right.
    pub lines: Vec<LineFact>,
    /// The function that the line belongs to; none if it stands outside of all.
    pub summary: Option<FunctionSummary>,
}

/// One access on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFact {
    pub place: Place,
    /// How many characters it has in the source; 0 if that is not known.
    pub length: u32,
    pub kind: AccessKind,
    pub atomic: bool,
    /// As it is written: `c->hits`.
    pub expression: String,
    /// What is certainly held.
    pub locks: Vec<HeldLock>,
    /// Which threads run it.
    pub threads: Vec<Thread>,
    /// Whether the memory can be reached by several threads at all.
    pub is_shared: bool,
    /// The races that it is part of, by their ids.
    pub races: Vec<String>,
    /// Why other accesses of the memory do not race with it.
    pub no_races: Vec<NoRace>,
    /// What else is to say: sentences for people.
    pub remarks: Vec<String>,
}

/// Accesses that do not race with one, all for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRace {
    /// Empty if it is the access itself in another thread.
    pub with: Vec<OtherAccess>,
    /// Why not: ``both hold `m` ``.
    pub reason: String,
}

/// Another access of the same memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OtherAccess {
    pub place: Place,
    pub kind: AccessKind,
    pub atomic: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldLock {
    pub name: String,
    /// Held for reading only, together with others.
    pub shared: bool,
    pub origin: LockOrigin,
}

/// Who took a lock that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockOrigin {
    /// The function itself, at one of these places. Empty if the place is not known.
    Here(Vec<Place>),
    /// Every caller holds it: the calls.
    EveryCaller(Vec<Place>),
}

/// What a function does for those who call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionSummary {
    pub name: String,
    pub place: Place,
    /// Locks that it takes, whether or not it still holds them when it returns.
    pub takes: Vec<Lock>,
    /// Locks that it may release although it did not take them.
    pub releases: Vec<Lock>,
    /// Threads that it may start.
    pub starts: Vec<Thread>,
    /// Threads that it certainly waits for.
    pub joins: Vec<Thread>,
    /// Where its callers keep the handles of others that it certainly waits for: `pool->threads[…]`.
    pub joined_handles: Vec<String>,
    /// Threads that run it.
    pub threads: Vec<Thread>,
    /// What it certainly holds in addition when it returns.
    pub returns_holding: Vec<Lock>,
    /// Where that depends on what it returns.
    pub outcomes: Vec<Outcome>,
}

/// What is held after one class of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The class, to follow "if it returns": `0`, `NULL`, `anything but 0`.
    pub result: String,
    pub holding: Vec<Lock>,
}
