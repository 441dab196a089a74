//! Random functions that take and release locks, and what a run of them can hold where.
//!
//! The analysis summarises functions and joins where paths meet. Its naive twin here keeps every state that a
//! run can be in, enters each call anew, and so knows exactly which locks are held whenever control gets to a line.

mod plan;
mod source;
mod states;

pub use plan::{Plan, plan};
pub use source::{Source, source};
pub use states::{Held, held_at_accesses};
