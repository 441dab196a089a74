//! Bottom-up over the call graph: every function's effect on values and locks, callees first.

mod callees;
mod fixpoint;
mod flags;
mod objects;
mod semaphores;

pub use callees::{Callees, Executed};
pub use fixpoint::{Summaries, Summary, summarise_program};
pub use flags::Flags;
pub use objects::SyncObjects;
pub use semaphores::Semaphores;
