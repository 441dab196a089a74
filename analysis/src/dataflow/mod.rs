//! Data-flow analysis over bodies: what an analysis has to say, and the engine that runs it.
//!
//! The contract: a domain is a join-semilattice in which every chain of joins that an analysis can
//! produce is finite, and transfer functions are monotone. Then the engine ends with the least fixpoint, which
//! does not depend on the order in which blocks are visited; the tests compare it with an engine
//! that visits them in any order. An analysis whose transfer functions are not monotone still ends, at some
//! fixpoint: a block that is visited often accumulates what reached it.

mod cursor;
mod engine;
mod fixed;
mod liveness;
mod loops;
mod shared;

pub use cursor::{by_arrival, visit_block, visit_returns, visit_statements};
pub use engine::{Solution, solve};
pub use fixed::Fixed;
pub use liveness::Liveness;
pub use loops::Loops;
pub use shared::Shared;

use crate::ir::{BlockId, Body, Statement, StatementId, Terminator};

/// Facts that can be joined where paths meet.
pub trait Domain: Clone + PartialEq {
    /// Makes `self` hold for both; returns whether it changed.
    fn join(&mut self, other: &Self) -> bool;
}

/// A way from the end of one block to the start of another.
#[derive(Clone, Copy)]
pub struct Edge<'b> {
    pub from: BlockId,
    pub to: BlockId,
    pub terminator: &'b Terminator,
    /// Which of the terminator's successors this is.
    pub index: usize,
}

/// A forward analysis.
pub trait Analysis {
    type Domain: Domain;

    /// What holds at the entry of the function.
    fn entry(&self, body: &Body) -> Self::Domain;

    fn statement(&self, state: &mut Self::Domain, id: StatementId, statement: &Statement);

    /// What the end of a block adds before control goes along one of its edges. The default
    /// adds nothing.
    fn edge(&self, _state: &mut Self::Domain, _edge: Edge<'_>) {}

    /// What the beginning of a block changes in the joined state. The default changes nothing.
    fn enter(&self, _state: &mut Self::Domain, _block: BlockId) {}
}
