//! Data-flow analysis over bodies: what an analysis has to say, and the engine that runs it.
//!
//! The contract: a domain is a join-semilattice in which every chain of joins that an analysis can
//! produce is finite, and transfer functions are monotone. Then the engine ends with the least fixpoint, which
//! does not depend on the order in which blocks are visited; the tests compare it with an engine
//! that visits them in any order.

mod cursor;
mod engine;

pub use cursor::visit_statements;
pub use engine::{Solution, solve};

use crate::ir::{Body, Statement, StatementId, Terminator};

/// Facts that can be joined where paths meet.
pub trait Domain: Clone {
    /// Makes `self` hold for both; returns whether it changed.
    fn join(&mut self, other: &Self) -> bool;
}

/// A forward analysis.
pub trait Analysis {
    type Domain: Domain;

    /// What holds at the entry of the function.
    fn entry(&self, body: &Body) -> Self::Domain;

    fn statement(&self, state: &mut Self::Domain, id: StatementId, statement: &Statement);

    /// What the end of a block adds before control goes to its `edge`-th successor. The default
    /// adds nothing.
    fn edge(&self, _state: &mut Self::Domain, _terminator: &Terminator, _edge: usize) {}
}
