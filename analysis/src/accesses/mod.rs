//! What a function does that other threads may notice: guarded accesses (RELAY fig. 6), calls and thread
//! starts, each with the locks held since the entry.

mod excess;
mod extract;
mod facts;
mod filled;
mod library;
mod listed;
mod numbers_taken;
mod private;
mod turns;

pub use extract::{function_facts, statement_locks};
pub use facts::{
    Access, BarrierFact, CallFact, Cell, Facts, FunctionFacts, PostFact, Publishes, StartFact,
    StartedWith, Stored, VariableNames,
};
