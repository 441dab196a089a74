//! Random small programs with threads, for which ThreadSanitizer says which pairs of lines race.
//!
//! A program has a locked part, whose threads access objects under locks, and scenes, each of which shows
//! an idiom that keeps threads apart by other means. Every access to shared memory stands on a line of its
//! own, so that a race is a pair of lines. The programs end, and have no undefined behaviour but their
//! races: nothing is freed that another thread could still use, indices are in range, and at most two locks
//! are held at once, always in the same order.

mod accesses;
mod choices;
mod idioms;
mod locks;
mod misses;
mod objects;
mod operations;
mod outcome;
mod plan;
mod reported_today;
mod shrinking;
mod source;
mod watching;
mod wrong_reports;

pub use choices::plan;
pub use idioms::{Idiom, all as all_idioms};
pub use outcome::{Analyse, Outcome, outcome};
pub use plan::Plan;
pub use reported_today::{REPORTED_TODAY, ReportedIdiom};
pub use source::source;
pub use watching::{Batch, PROGRAMS_PER_BATCH};
