//! Bottom-up over the call graph: every function's effect on values and locks, callees first.

mod callees;
mod component;
mod counters;
mod deeper_calls;
mod earlier;
mod fixpoint;
mod flags;
mod group_member;
mod known;
mod large_component;
mod lock_looks;
mod objects;
mod semaphores;
mod sync_uses;
mod takings;
mod tokens;

pub use callees::{Analysed, Callees, Executed, MOST_TARGETS};
pub use component::MOST_WITH_VALUES;
pub use counters::Counters;
pub use earlier::{Earlier, Summarised, Work};
pub use fixpoint::{Then, summarise_program};
pub use flags::Flags;
pub use known::{Known, Summaries, Summary};
pub use objects::SyncObjects;
pub use semaphores::Semaphores;
pub use tokens::{Token, Tokens};
