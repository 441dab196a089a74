//! Where a function goes beyond the bounds on what is told apart at one point.

use super::facts::FunctionFacts;
use crate::forks::ForkState;
use crate::ir::StatementId;
use crate::locksets::PointLocks;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Excess {
    /// It starts threads at more places than are told apart.
    pub threads: bool,
    /// The first point at which more locks are held or released than are told apart.
    pub locks: Option<StatementId>,
}

impl Excess {
    pub(super) fn of(facts: &FunctionFacts) -> Excess {
        let mut full = points(facts).filter(|(_, locks)| locks.is_full());
        Excess {
            threads: states(facts).any(ForkState::has_crowd),
            locks: full.next().map(|(statement, _)| statement),
        }
    }
}

/// What is known of locks at points of a function.
fn points(facts: &FunctionFacts) -> impl Iterator<Item = (StatementId, &PointLocks)> {
    let accesses = facts.accesses.iter();
    let accesses = accesses.map(|access| (access.statement, &*access.locks));
    let calls = facts
        .calls
        .iter()
        .map(|call| (call.statement, &*call.locks));
    accesses.chain(calls)
}

/// What is known of threads at points of a function.
fn states(facts: &FunctionFacts) -> impl Iterator<Item = &ForkState> {
    let accesses = facts.accesses.iter().map(|access| &*access.forks);
    let calls = facts.calls.iter().map(|call| &*call.forks);
    let starts = facts.starts.iter().map(|start| &*start.forks);
    let end = [&*facts.at_return].into_iter();
    accesses.chain(calls).chain(starts).chain(end)
}
