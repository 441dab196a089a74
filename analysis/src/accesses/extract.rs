//! Finds the facts of one function.

use super::facts::{Access, CallFact, Cell, FunctionFacts};
use super::library;
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::dataflow::{Liveness, Loops, Solution, visit_statements};
use crate::forks::{ForkState, forks};
use crate::ir::{
    AccessMode, Body, Callee, LocalId, Operand, Place, Rvalue, Statement, StatementId, Ty,
};
use crate::locksets::{Lockset, LocksetSolution, locksets};
use crate::summaries::{Callees, Semaphores, Summaries};
use crate::symexec::{Execution, Root, State, Value, summarise};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The facts of a function, when the summaries of all functions are known.
pub fn function_facts(
    graph: &CallGraph<'_>,
    summaries: &Summaries,
    semaphores: &Semaphores,
    function: FunctionId,
) -> FunctionFacts {
    let body = graph.functions.body(function);
    let callees = Callees {
        function,
        graph,
        summaries,
        semaphores,
    };
    let (loops, liveness) = (Loops::new(body), Liveness::new(body));
    let execution = Execution::new(body, &callees, &loops, &liveness);
    let (_, states) = summarise(body, &execution);
    let solution = locksets(body, &states, &execution, &callees);
    let held = held_at_statements(body, &solution);
    let forks = forks(body, &states, &execution, &callees);
    let mut running: FxHashMap<StatementId, Arc<ForkState>> = FxHashMap::default();
    let mut latest: Option<Arc<ForkState>> = None;
    forks.visit(body, |state, id, statement| {
        if statement.access().is_some() || matches!(statement, Statement::Call { .. }) {
            let shared = match &latest {
                Some(known) if **known == *state => known.clone(),
                _ => Arc::new(state.clone()),
            };
            latest = Some(shared.clone());
            running.insert(id, shared);
        }
    });
    let nothing = Arc::new(ForkState::default());
    let mut extraction = Extraction {
        graph,
        function,
        execution: &execution,
        states: &states,
        loops: &loops,
        facts: FunctionFacts::default(),
    };
    visit_statements(&execution, body, &states, |state, id, statement| {
        let point = Point {
            state,
            id,
            locks: held.get(&id).cloned().unwrap_or_default(),
            forks: running.get(&id).unwrap_or(&nothing).clone(),
        };
        extraction.statement(&point, statement);
    });
    extraction.facts
}

/// What is known in front of a statement.
pub(super) struct Point<'p> {
    pub state: &'p State,
    pub id: StatementId,
    pub locks: Arc<Lockset>,
    pub forks: Arc<ForkState>,
}

/// The locks that a function holds at its accesses and calls, when the summaries of all are known.
pub fn statement_locks(
    graph: &CallGraph<'_>,
    summaries: &Summaries,
    semaphores: &Semaphores,
    function: FunctionId,
) -> FxHashMap<StatementId, Arc<Lockset>> {
    let body = graph.functions.body(function);
    let callees = Callees {
        function,
        graph,
        summaries,
        semaphores,
    };
    let (loops, liveness) = (Loops::new(body), Liveness::new(body));
    let execution = Execution::new(body, &callees, &loops, &liveness);
    let (_, states) = summarise(body, &execution);
    held_at_statements(body, &locksets(body, &states, &execution, &callees))
}

fn held_at_statements(
    body: &Body,
    solution: &LocksetSolution<'_>,
) -> FxHashMap<StatementId, Arc<Lockset>> {
    let mut held: FxHashMap<StatementId, Arc<Lockset>> = FxHashMap::default();
    let mut latest: Option<Arc<Lockset>> = None;
    solution.visit(body, |lockset, id, statement| {
        if statement.access().is_some() || matches!(statement, Statement::Call { .. }) {
            let shared = match &latest {
                Some(known) if **known == *lockset => known.clone(),
                _ => Arc::new(lockset.clone()),
            };
            latest = Some(shared.clone());
            held.insert(id, shared);
        }
    });
    held
}

pub(super) struct Extraction<'x> {
    pub graph: &'x CallGraph<'x>,
    pub function: FunctionId,
    pub execution: &'x Execution<'x>,
    pub states: &'x Solution<State>,
    pub loops: &'x Loops,
    pub facts: FunctionFacts,
}

impl Extraction<'_> {
    fn statement(&mut self, point: &Point<'_>, statement: &Statement) {
        self.name(point.state, statement);
        if let Some((kind, place, mode)) = statement.access() {
            if let Some(cell) = self.shared_cell(place, access_type(statement)) {
                self.facts.accesses.push(Access {
                    statement: point.id,
                    kind,
                    cell,
                    atomic: mode == AccessMode::Atomic,
                    frees: false,
                    stretches: false,
                    place: point.state.place(place),
                    locks: point.locks.clone(),
                    forks: point.forks.clone(),
                });
            }
            return;
        }
        if let Statement::Call {
            callee, arguments, ..
        } = statement
        {
            self.call(point, callee, arguments);
        }
    }

    /// Notes what the source calls a value. A formal keeps its own name, unless its type says nothing.
    fn name(&mut self, state: &State, statement: &Statement) {
        let Statement::Assign {
            target,
            value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
        } = statement
        else {
            return;
        };
        let body = self.execution.body();
        let Some(name) = body.local(*target).name else {
            return;
        };
        match state.operand(value) {
            Value::Entry(path) => {
                let is_telling = match path.root {
                    Root::Formal(index) if path.steps.is_empty() => {
                        let ty = &body.local(LocalId(index)).ty;
                        ty.pointee().is_none_or(|pointee| !pointee.is_void())
                    }
                    Root::Global(_) => path.steps.is_empty(),
                    _ => false,
                };
                if !is_telling {
                    self.facts.names.values.entry(path).or_insert(name);
                }
            }
            Value::Address(path) => {
                self.facts.names.pointers.entry(path).or_insert(name);
            }
            _ => {}
        }
    }

    /// The memory that a place names, if another thread may reach it.
    fn shared_cell(&self, place: &Place, ty: Option<&Ty>) -> Option<Cell> {
        let points_to = self.graph.points_to();
        let class = points_to.place(self.execution.body().function, place)?;
        points_to.is_shared(class).then(|| Cell {
            class,
            whole: ty.is_none_or(Ty::is_aggregate),
        })
    }

    fn call(&mut self, point: &Point<'_>, callee: &Callee, arguments: &[Operand]) {
        let Point { state, id, .. } = *point;
        let call = self.execution.call_site(state, id, callee, arguments.len());
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| state.operand(argument))
            .collect();
        let mut bodies = Vec::new();
        for target in self
            .graph
            .targets(self.function, id, call.function, arguments.len())
        {
            match target {
                Target::Body(body) => bodies.push(body),
                Target::Model(model) => library::effects(self, point, model, arguments, &values),
            }
        }
        if !bodies.is_empty() {
            let callee = match callee {
                Callee::Direct(_) => None,
                Callee::Indirect(pointer) => Some(state.operand(pointer)),
            };
            self.facts.calls.push(CallFact {
                statement: id,
                targets: bodies,
                callee,
                arguments: values,
                locks: point.locks.clone(),
                forks: point.forks.clone(),
                repeats: self.loops.repeats(id),
            });
        }
    }
}

fn access_type(statement: &Statement) -> Option<&Ty> {
    match statement {
        Statement::Load { ty, .. } | Statement::Store { ty, .. } | Statement::Update { ty, .. } => {
            Some(ty)
        }
        _ => None,
    }
}
