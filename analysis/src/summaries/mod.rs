//! Bottom-up over the call graph: every function's effect on values and locks, callees first.

mod callees;
mod fixpoint;
mod semaphores;

pub use callees::{Callees, Executed};
pub use fixpoint::{Summaries, Summary, summarise_program};
pub use semaphores::Semaphores;
