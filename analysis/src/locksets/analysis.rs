//! The lockset at every point of a function, and at its end (RELAY fig. 4).

use super::domain::Lockset;
use super::effects::{LockCalls, LockStep, lock_steps};
use crate::dataflow::{Analysis, Domain, Solution, solve};
use crate::ir::{BlockId, Body, Statement, StatementId, Terminator};
use crate::symexec::{Calls, State, Targets};
use rustc_hash::FxHashMap;

/// The locksets of one function.
pub struct LocksetSolution {
    steps: FxHashMap<StatementId, LockStep>,
    entries: Solution<Lockset>,
    /// What a caller finds when the function has returned.
    pub summary: Lockset,
}

/// Computes the locksets of a function whose symbolic states are known.
pub fn locksets(
    body: &Body,
    states: &Solution<State>,
    calls: &dyn Calls,
    locks: &dyn LockCalls,
) -> LocksetSolution {
    let steps = lock_steps(body, states, calls, locks);
    let flow = Flow { steps: &steps };
    let entries = solve(&flow, body);
    let mut summary: Option<Lockset> = None;
    for (index, block) in body.blocks.iter().enumerate() {
        if !matches!(block.terminator, Terminator::Return(_)) {
            continue;
        }
        let Some(mut state) = entries.entries[index].clone() else {
            continue;
        };
        for (position, statement) in block.statements.iter().enumerate() {
            flow.statement(&mut state, statement_id(index, position), statement);
        }
        match &mut summary {
            Some(summary) => {
                summary.join(&state);
            }
            None => summary = Some(state),
        }
    }
    LocksetSolution {
        steps,
        entries,
        summary: summary.unwrap_or_default(),
    }
}

impl LocksetSolution {
    /// Calls `visit` for every reachable statement with the lockset in front of it.
    pub fn visit(&self, body: &Body, visit: impl FnMut(&Lockset, StatementId, &Statement)) {
        let flow = Flow { steps: &self.steps };
        crate::dataflow::visit_statements(&flow, body, &self.entries, visit);
    }
}

fn statement_id(block: usize, index: usize) -> StatementId {
    StatementId {
        block: BlockId(block as u32),
        index: index as u32,
    }
}

struct Flow<'s> {
    steps: &'s FxHashMap<StatementId, LockStep>,
}

impl Analysis for Flow<'_> {
    type Domain = Lockset;

    fn entry(&self, _body: &Body) -> Lockset {
        Lockset::default()
    }

    fn statement(&self, state: &mut Lockset, id: StatementId, _statement: &Statement) {
        match self.steps.get(&id) {
            Some(LockStep::Acquire(path, mode)) => state.acquire(path.clone(), *mode),
            Some(LockStep::Release(Targets::Exactly(path))) => state.release(path.clone()),
            Some(LockStep::Release(Targets::OneOf(paths))) => state.release_one_of(paths.clone()),
            Some(LockStep::Release(Targets::Unknown)) => state.release_unknown(),
            Some(LockStep::Call(callee)) => *state = state.then(callee),
            None => {}
        }
    }
}
