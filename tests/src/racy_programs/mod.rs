//! Random small programs with threads, for which ThreadSanitizer says which pairs of lines race.
//!
//! Every access to shared memory stands on a line of its own, so that a race is a pair of lines. The
//! programs end, and have no undefined behaviour but their races: objects are never freed, indices
//! are in range, and at most two locks are held at once, always in the same order.

mod accesses;
mod choices;
mod locks;
mod misses;
mod objects;
mod operations;
mod plan;
mod shrinking;
mod source;
mod watching;

pub use choices::plan;
pub use misses::{Analyse, Outcome, missed_races};
pub use plan::Plan;
pub use source::source;
pub use watching::{Batch, PROGRAMS_PER_BATCH};
