//! The fork set at every point of a function, and at its end.

use super::crowd::{crowd, too_many};
use super::domain::{ForkState, Handle, Started};
use super::steps::{ForkCalls, ForkStep, ForkSteps, fork_steps};
use crate::dataflow::{
    Analysis, Domain, Edge, Loops, Shared, Solution, solve, visit_returns, visit_statements,
};
use crate::ir::{Body, Statement, StatementId};
use crate::symexec::{Execution, Site, State, Value};

/// What a function does to threads, for its callers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForkSummary {
    /// Threads that it may have started.
    pub threads: Vec<(Site, Started)>,
    /// Handles in terms of its formals whose threads have ended when it returns.
    pub joined: Vec<Handle>,
}

impl ForkSummary {
    /// The same threads, known by where they are started and not by their handles.
    pub fn anonymous(&self) -> ForkSummary {
        let mut state = ForkState::default();
        for (call, started) in &self.threads {
            if started.is_crowd() {
                state.start(*call, started.clone());
                continue;
            }
            for (call, started) in started.by_origin() {
                // Twice, since an earlier one may still run.
                state.start(call, started.clone());
                state.start(call, started);
            }
        }
        ForkSummary {
            threads: listed(&state),
            joined: Vec::new(),
        }
    }

    /// Makes it hold for both.
    pub fn join(&mut self, other: &ForkSummary) {
        let state = |summary: &ForkSummary| ForkState {
            threads: Shared::new(summary.threads.iter().cloned().collect()),
            joined: summary.joined.clone(),
        };
        let mut joined = state(self);
        joined.join(&state(other));
        self.threads = listed(&joined);
        self.joined = joined.joined;
    }
}

fn listed(state: &ForkState) -> Vec<(Site, Started)> {
    if let Some(crowd) = too_many(state.threads.values()).and_then(crowd) {
        return vec![crowd];
    }
    let threads = state.threads.iter();
    threads
        .map(|(call, started)| (*call, started.clone()))
        .collect()
}

pub struct ForkSolution<'l> {
    steps: ForkSteps,
    loops: &'l Loops,
    entries: Option<Solution<ForkState>>,
    pub summary: ForkSummary,
    /// What happened to threads until the function returns.
    pub at_return: ForkState,
}

/// Computes the fork sets of a function whose symbolic states are known.
pub fn forks<'l>(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'l>,
    calls: &dyn ForkCalls,
) -> ForkSolution<'l> {
    let steps = fork_steps(body, states, execution, calls);
    let loops = execution.loops();
    if steps.statements.is_empty() && steps.loops.is_empty() {
        return ForkSolution {
            steps,
            loops,
            entries: None,
            summary: ForkSummary::default(),
            at_return: ForkState::default(),
        };
    }
    let flow = Flow {
        steps: &steps,
        loops,
    };
    let entries = solve(&flow, body);
    let mut exit: Option<ForkState> = None;
    visit_returns(&flow, body, &entries, |state, _, _| match &mut exit {
        Some(exit) => {
            exit.join(&state);
        }
        None => exit = Some(state),
    });
    let exit = exit.unwrap_or_default();
    let at_return = exit.clone();
    let is_known = |handle: &Handle| {
        let bound = match &handle.range {
            Some((_, Value::Entry(path))) => path.is_known_outside(),
            _ => true,
        };
        handle.place.outlives_function() && handle.place.is_known_outside() && bound
    };
    let threads = listed(&exit).into_iter().map(|(call, mut started)| {
        started.handle = started.handle.filter(is_known).map(|handle| Handle {
            counter: None,
            ..handle
        });
        (call, started)
    });
    let summary = ForkSummary {
        threads: threads.collect(),
        joined: exit.joined.into_iter().filter(is_known).collect(),
    };
    ForkSolution {
        steps,
        loops,
        entries: Some(entries),
        summary,
        at_return,
    }
}

impl ForkSolution<'_> {
    /// Whether nothing happens to threads in the whole function.
    pub fn is_idle(&self) -> bool {
        self.entries.is_none()
    }

    /// The calls of this function that start threads, and where the handles go.
    pub fn starts(&self) -> impl Iterator<Item = (StatementId, Option<&Handle>)> {
        let steps = self.steps.statements.iter();
        let mut starts: Vec<(StatementId, Option<&Handle>)> = steps
            .flat_map(|(id, steps)| steps.iter().map(move |step| (*id, step)))
            .filter_map(|(id, step)| match step {
                ForkStep::Start(_, started) => Some((id, started.handle.as_ref())),
                _ => None,
            })
            .collect();
        starts.sort_by_key(|(id, _)| *id);
        starts.into_iter()
    }

    /// The calls that join one thread of many in each turn of a loop.
    pub fn joins_in_loops(&self) -> impl Iterator<Item = (StatementId, &Handle)> {
        let joins = self.steps.joins_in_loops.iter();
        joins.map(|(id, handle)| (*id, handle))
    }

    /// Calls `visit` for every reachable statement with the fork set in front of it.
    pub fn visit(&self, body: &Body, visit: impl FnMut(&ForkState, StatementId, &Statement)) {
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
    steps: &'s ForkSteps,
    loops: &'s Loops,
}

impl Analysis for Flow<'_> {
    type Domain = ForkState;

    fn entry(&self, _body: &Body) -> ForkState {
        ForkState::default()
    }

    fn statement(&self, state: &mut ForkState, id: StatementId, _statement: &Statement) {
        for step in self.steps.statements.get(&id).into_iter().flatten() {
            match step {
                ForkStep::Start(call, started) => state.start(*call, started.clone()),
                ForkStep::JoinThread(call) => state.join_thread(*call),
                ForkStep::JoinHandle(handle) => state.join_handle(handle),
            }
        }
    }

    fn edge(&self, state: &mut ForkState, edge: Edge<'_>) {
        if let Some(handles) = self.steps.loops.get(&edge.from)
            && !self.loops.is_inside(edge.to, edge.from)
        {
            for handle in handles {
                state.join_handle(handle);
            }
        }
    }
}
