//! Reference counts: how many references to an object a function has given up since its entry, and where it
//! knows that it had the last one.

mod analysis;
mod domain;
mod reaching_zero;
mod steps;

pub use analysis::{ReferenceSolution, ReferenceSummary, references};
pub use domain::{Last, References};
pub use steps::{Drop, ReferenceCalls, ReferenceEffect};
