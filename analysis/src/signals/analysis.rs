//! The signals at every point of a function, and at its end.

use super::domain::{Locks, SignalState};
use super::steps::{SignalCalls, SignalStep, signal_steps};
use crate::dataflow::{Analysis, Edge, Solution, solve, visit_returns, visit_statements};
use crate::ir::{Base, Body, LocalId, Statement, StatementId, Storage};
use crate::locksets::{LocksetSolution, Outcomes, Signs, Tested};
use crate::symexec::{Execution, Path, State};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function does to signals, for its callers, by the sign of its result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SignalSummary {
    pub outcomes: Outcomes<SignalState>,
}

impl SignalSummary {
    pub fn is_idle(&self) -> bool {
        self.outcomes.possible().all(SignalState::is_idle)
    }

    pub fn join(&mut self, other: &SignalSummary) {
        if self.outcomes.possible().next().is_none() {
            self.outcomes = other.outcomes.clone();
        } else {
            self.outcomes.join(&other.outcomes);
        }
    }

    /// What may have happened in a function that may or may not be called, any number of times.
    pub fn perhaps(&self) -> SignalSummary {
        let any = self.outcomes.joined(Signs::ALL).unwrap_or_default();
        SignalSummary {
            outcomes: Outcomes::always(any.perhaps()),
        }
    }
}

pub struct SignalSolution {
    steps: FxHashMap<StatementId, SignalStep>,
    /// The statements behind which locks may be free.
    releasing: FxHashSet<StatementId>,
    entries: Option<Solution<Tested<SignalState>>>,
    pub summary: SignalSummary,
}

/// Computes the signals of a function whose symbolic states and locksets are known.
pub fn signals(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    locks: &LocksetSolution<'_>,
    calls: &dyn SignalCalls,
) -> SignalSolution {
    let steps = signal_steps(body, states, execution, calls, locks);
    if steps.is_empty() {
        return SignalSolution {
            steps,
            releasing: FxHashSet::default(),
            entries: None,
            summary: SignalSummary::default(),
        };
    }
    let releasing = locks.releasing().collect();
    let flow = Flow {
        body,
        steps: &steps,
        releasing: &releasing,
    };
    let entries = solve(&flow, body);
    let mut outcomes = Outcomes::default();
    visit_returns(&flow, body, &entries, |state, _, value| {
        outcomes.join(&state.returned(value));
    });
    let around = Locks {
        at_entry: true,
        ..Locks::default()
    };
    let lasting = |path: &Path| {
        let is_known = path.is_known_outside() && path.outlives_function();
        is_known.then(|| path.clone())
    };
    let summary = SignalSummary {
        outcomes: outcomes.map(|state| state.rebound(&lasting, &around)),
    };
    SignalSolution {
        steps,
        releasing,
        entries: Some(entries),
        summary,
    }
}

impl SignalSolution {
    /// Calls `visit` for every reachable statement with the signals in front of it; not at all if the
    /// function touches none.
    pub fn visit(&self, body: &Body, mut visit: impl FnMut(&SignalState, StatementId, &Statement)) {
        if let Some(entries) = &self.entries {
            let flow = Flow {
                body,
                steps: &self.steps,
                releasing: &self.releasing,
            };
            visit_statements(&flow, body, entries, |state, id, statement| {
                visit(&state.known, id, statement);
            });
        }
    }
}

struct Flow<'s> {
    body: &'s Body,
    steps: &'s FxHashMap<StatementId, SignalStep>,
    releasing: &'s FxHashSet<StatementId>,
}

impl Flow<'_> {
    fn is_in_memory(&self, local: LocalId) -> bool {
        self.body.local(local).storage == Storage::Memory
    }
}

impl Analysis for Flow<'_> {
    type Domain = Tested<SignalState>;

    fn entry(&self, _body: &Body) -> Tested<SignalState> {
        Tested::default()
    }

    fn statement(&self, state: &mut Tested<SignalState>, id: StatementId, statement: &Statement) {
        if matches!(statement, Statement::Store { .. } | Statement::Call { .. }) {
            // Variables in memory keep what they hold only while nothing is written.
            state.forget(|local| self.is_in_memory(local));
        }
        if self.releasing.contains(&id) {
            state.change(SignalState::forget_unset);
        }
        if let Some(step) = self.steps.get(&id) {
            if step.acquire_fence {
                state.change(SignalState::acquire_fence);
            }
            state.call(id, step.result, step.kind, &step.outcomes);
            if step.result != statement.target() {
                state.assigned(statement.target());
            }
            return;
        }
        match statement {
            Statement::Load { target, place, .. } => match place.base {
                Base::Local(local) if place.path.is_empty() => state.copied(*target, local),
                _ => state.assigned(Some(*target)),
            },
            Statement::Assign { target, value } => state.computed(*target, value),
            _ => state.assigned(statement.target()),
        }
    }

    fn edge(&self, state: &mut Tested<SignalState>, edge: Edge<'_>) {
        state.branch(edge.terminator, edge.index);
    }
}
