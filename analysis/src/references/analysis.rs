//! The references at every point of a function, and at its end.

use super::domain::References;
use super::steps::{Drop, ReferenceCalls, ReferenceSteps, ResultSays, reference_steps};
use crate::dataflow::{
    Analysis, Domain, Edge, Loops, Solution, solve, visit_returns, visit_statements,
};
use crate::ir::{Body, Statement, StatementId};
use crate::symexec::{Execution, Path, State};

/// What a function does to reference counts, for its callers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReferenceSummary {
    /// Objects, and by how many references more the thread has at least when the function returns.
    pub net: Vec<(Path, i8)>,
    pub(super) result: Option<ResultSays>,
}

impl ReferenceSummary {
    pub fn is_idle(&self) -> bool {
        self.net.is_empty()
    }

    /// Makes it hold for both.
    pub fn join(&mut self, other: &ReferenceSummary) {
        if self.result != other.result {
            self.result = None;
        }
        let state = |summary: &ReferenceSummary| {
            let mut state = References::default();
            for (object, net) in &summary.net {
                state.count(object, *net);
            }
            state
        };
        let mut joined = state(self);
        joined.join(&state(other));
        let net = joined.net();
        self.net = net.map(|(object, net)| (object.clone(), net)).collect();
    }
}

pub struct ReferenceSolution<'l> {
    steps: ReferenceSteps,
    loops: &'l Loops,
    entries: Option<Solution<References>>,
    pub summary: ReferenceSummary,
}

/// Follows the reference counts of a function whose symbolic states are known.
pub fn references<'l>(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'l>,
    calls: &dyn ReferenceCalls,
) -> ReferenceSolution<'l> {
    let steps = reference_steps(body, states, execution, calls);
    let loops = execution.loops();
    if steps.statements.is_empty() {
        return ReferenceSolution {
            steps,
            loops,
            entries: None,
            summary: ReferenceSummary::default(),
        };
    }
    let flow = Flow {
        steps: &steps,
        loops,
    };
    let entries = solve(&flow, body);
    let mut exit: Option<References> = None;
    visit_returns(&flow, body, &entries, |state, _, _| match &mut exit {
        Some(exit) => {
            exit.join(&state);
        }
        None => exit = Some(state),
    });
    let exit = exit.unwrap_or_default();
    let told = exit.net().filter(|(object, _)| object.is_known_outside());
    let result = steps.result.clone();
    let summary = ReferenceSummary {
        result: result.filter(ResultSays::is_known_outside),
        net: told.map(|(object, net)| (object.clone(), net)).collect(),
    };
    ReferenceSolution {
        steps,
        loops,
        entries: Some(entries),
        summary,
    }
}

impl ReferenceSolution<'_> {
    /// Where counts go down.
    pub fn drops(&self) -> &[Drop] {
        &self.steps.drops
    }

    /// Calls `visit` for every reachable statement with the references in front of it.
    pub fn visit(&self, body: &Body, visit: impl FnMut(&References, StatementId, &Statement)) {
        if let Some(entries) = &self.entries {
            let flow = Flow {
                steps: &self.steps,
                loops: self.loops,
            };
            visit_statements(&flow, body, entries, visit);
        }
    }
}

struct Flow<'s> {
    steps: &'s ReferenceSteps,
    loops: &'s Loops,
}

impl Analysis for Flow<'_> {
    type Domain = References;

    fn entry(&self, _body: &Body) -> References {
        References::default()
    }

    fn statement(&self, state: &mut References, id: StatementId, _statement: &Statement) {
        for (object, step) in self.steps.statements.get(&id).into_iter().flatten() {
            state.count(object, *step);
        }
    }

    fn edge(&self, state: &mut References, edge: Edge<'_>) {
        if let Some((object, last)) = self.steps.last.get(&(edge.from, edge.index)) {
            state.find_last(object, *last);
        }
        if self.loops.goes_back(edge.from, edge.to) {
            state.forget_definitions(&|block| self.loops.is_behind(block, edge.to));
        }
    }
}
