//! What is known about one position of the text, for whoever points at it.

use super::{AccessKind, FunctionSummary, HeldLock, LineFact, Thread};
use crate::project::Place;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Insight {
    /// The accesses at the position itself.
    pub accesses: Vec<LineFact>,
    /// What guards the memory of the first of them, as far as its accesses tell.
    pub guard: Option<Guard>,
    /// What is held at the statement there. None if there is no statement.
    pub held: Option<Vec<HeldLock>>,
    /// The function that is named there.
    pub function: Option<FunctionSummary>,
    /// Threads that are started on the line.
    pub starts: Vec<Thread>,
    /// What the lock protects that is named there.
    pub protects: Vec<Guard>,
}

/// How often a lock is held where a piece of memory is accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The memory, as one of its accesses calls it.
    pub location: String,
    /// The lock, as one of the functions calls it that hold it.
    pub lock: String,
    /// So many accesses hold it.
    pub held: usize,
    /// Of so many.
    pub accesses: usize,
}

/// Where a function is defined, and which threads run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionPlace {
    pub name: String,
    /// Of its name.
    pub place: Place,
    pub threads: Vec<Thread>,
}

/// An access to memory that several threads reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    pub place: Place,
    /// How many characters it has in the source.
    pub length: u32,
    pub kind: AccessKind,
    /// Whether it is part of a race.
    pub races: bool,
}

/// Calls between two functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The other one.
    pub function: FunctionPlace,
    pub places: Vec<Place>,
}
