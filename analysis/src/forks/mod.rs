//! Fork sets, the dual of locksets: which threads may have been started and may still run at every point
//! of a function, and which ones have certainly been joined.

mod analysis;
mod crowd;
mod domain;
mod steps;

pub use analysis::{ForkSolution, ForkSummary, forks};
pub use crowd::MOST_STARTED;
pub use domain::{ForkState, Handle, Origin, Started};
pub use steps::{ForkCalls, ForkEffect};
