//! The lockset at every point of a function, and at its end (RELAY fig. 4).

use super::domain::Lockset;
use super::effects::{LockCalls, lock_steps};
use super::outcomes::Outcomes;
use super::state::LockState;
use super::summary::LockSummary;
use crate::dataflow::{Analysis, Edge, Loops, Solution, solve, visit_statements};
use crate::ir::{BlockId, Body, Statement, StatementId, Terminator};
use crate::symexec::{Execution, State};
use rustc_hash::FxHashMap;

/// The locksets of one function.
pub struct LocksetSolution<'l> {
    steps: FxHashMap<StatementId, Outcomes>,
    loops: &'l Loops,
    entries: Solution<LockState>,
    /// What a caller finds when the function has returned.
    pub summary: LockSummary,
}

/// Computes the locksets of a function whose symbolic states are known.
pub fn locksets<'l>(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'l>,
    locks: &dyn LockCalls,
) -> LocksetSolution<'l> {
    let steps = lock_steps(body, states, execution, locks);
    let loops = execution.loops();
    let mut outcomes = Outcomes::default();
    if steps.is_empty() {
        // Nothing happens to locks in here, as in most functions.
        let entry = Some(LockState::default());
        let returns = body
            .blocks
            .iter()
            .zip(&states.entries)
            .any(|(block, state)| {
                state.is_some() && matches!(block.terminator, Terminator::Return(_))
            });
        if returns {
            outcomes = Outcomes::always(Lockset::default());
        }
        let entries = states
            .entries
            .iter()
            .map(|state| state.as_ref().and(entry.clone()))
            .collect();
        return LocksetSolution {
            steps,
            loops,
            entries: Solution { entries },
            summary: LockSummary {
                outcomes,
                heap: Vec::new(),
            },
        };
    }
    let flow = Flow {
        steps: &steps,
        loops,
    };
    let entries = solve(&flow, body);
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Return(value) = &block.terminator else {
            continue;
        };
        let Some(mut state) = entries.entries[index].clone() else {
            continue;
        };
        for (position, statement) in block.statements.iter().enumerate() {
            flow.statement(&mut state, statement_id(index, position), statement);
        }
        outcomes.join(&state.returned(value.as_ref()));
    }
    let outcomes = outcomes.map(Lockset::for_callers);
    let heap = outcomes.possible().flat_map(Lockset::heap_sites);
    let heap: std::collections::BTreeSet<_> = heap.collect();
    let summary = LockSummary {
        heap: heap.into_iter().collect(),
        outcomes,
    };
    LocksetSolution {
        steps,
        loops,
        entries,
        summary,
    }
}

impl LocksetSolution<'_> {
    /// Calls `visit` for every reachable statement with the lockset in front of it.
    pub fn visit(&self, body: &Body, mut visit: impl FnMut(&Lockset, StatementId, &Statement)) {
        let flow = Flow {
            steps: &self.steps,
            loops: self.loops,
        };
        visit_statements(&flow, body, &self.entries, |state, id, statement| {
            visit(&state.lockset, id, statement);
        });
    }
}

fn statement_id(block: usize, index: usize) -> StatementId {
    StatementId {
        block: BlockId(block as u32),
        index: index as u32,
    }
}

struct Flow<'s> {
    steps: &'s FxHashMap<StatementId, Outcomes>,
    loops: &'s Loops,
}

impl Analysis for Flow<'_> {
    type Domain = LockState;

    fn entry(&self, _body: &Body) -> LockState {
        LockState::default()
    }

    fn statement(&self, state: &mut LockState, id: StatementId, statement: &Statement) {
        match statement {
            Statement::Call { target, .. } => match self.steps.get(&id) {
                Some(effect) => state.call(id, *target, effect),
                None => state.assigned(*target),
            },
            Statement::Assign { target, value } => state.computed(*target, value),
            _ => state.assigned(statement.target()),
        }
    }

    fn edge(&self, state: &mut LockState, edge: Edge<'_>) {
        state.branch(edge.terminator, edge.index);
        if self.loops.goes_back(edge.from, edge.to) {
            state.change(|lockset| {
                lockset.forget_definitions(&|block| self.loops.is_behind(block, edge.to));
            });
        }
    }
}
