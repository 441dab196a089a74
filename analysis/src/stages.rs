//! The stages of a check, for somebody who wants to know how long each of them takes.

/// A part of the work on the whole program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// What each function says about pointers, and what its annotations promise.
    Constraints,
    PointsTo,
    CallGraph,
    /// Functions bottom-up, with the accesses of each.
    Summaries,
    /// Top-down where threads get, and with what.
    Contexts,
    /// What orders threads.
    Orders,
    /// The accesses by the memory that they are to.
    Locations,
    /// Which accesses race, with evidence, rank and name.
    Pairing,
    /// Which promises about locks are broken.
    Contracts,
}

/// Is told which stage begins; a stage lasts until the next one does.
// The analysis has no clock: whoever asks has one.
pub trait Stages: Sync {
    fn begin(&self, stage: Stage);
}

/// Nobody wants to know.
pub struct Unwatched;

impl Stages for Unwatched {
    fn begin(&self, _: Stage) {}
}
