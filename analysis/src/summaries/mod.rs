//! Bottom-up over the call graph: every function's effect on values and locks, callees first.

mod callees;
mod fixpoint;
mod known;
mod semaphores;

pub use callees::{Analysed, Callees, Executed};
pub use fixpoint::{Then, summarise_program};
pub use known::{Known, Summaries, Summary};
pub use semaphores::Semaphores;
