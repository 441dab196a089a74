//! Finds the facts of one function.

use super::facts::{Access, CallFact, Cell, FunctionFacts};
use super::library;
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::dataflow::{Liveness, Loops, visit_statements};
use crate::ir::{AccessMode, Base, Body, Callee, Place, Statement, StatementId, Ty};
use crate::locksets::{Lockset, LocksetSolution, locksets};
use crate::summaries::{Callees, Semaphores, Summaries};
use crate::symexec::{Execution, State, Value, summarise};
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
    let mut extraction = Extraction {
        graph,
        function,
        execution: &execution,
        loops: &loops,
        facts: FunctionFacts::default(),
    };
    visit_statements(&execution, body, &states, |state, id, statement| {
        let locks = held.get(&id).cloned().unwrap_or_default();
        extraction.statement(state, id, statement, locks);
    });
    extraction.facts
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
    pub loops: &'x Loops,
    pub facts: FunctionFacts,
}

impl Extraction<'_> {
    fn statement(
        &mut self,
        state: &State,
        id: StatementId,
        statement: &Statement,
        locks: Arc<Lockset>,
    ) {
        if let Some((kind, place, mode)) = statement.access() {
            if let Some(cell) = self.shared_cell(place, access_type(statement)) {
                self.facts.accesses.push(Access {
                    statement: id,
                    kind,
                    cell,
                    atomic: mode == AccessMode::Atomic,
                    frees: false,
                    place: state.place(place),
                    locks,
                });
            }
            return;
        }
        if let Statement::Call {
            callee, arguments, ..
        } = statement
        {
            self.call(state, id, callee, arguments, &locks);
        }
    }

    /// The memory that a place names, if another thread may reach it.
    fn shared_cell(&self, place: &Place, ty: Option<&Ty>) -> Option<Cell> {
        if matches!(&place.base, Base::Global(global) if global.thread_local) {
            return None;
        }
        let points_to = self.graph.points_to();
        let class = points_to.place(self.execution.body().function, place)?;
        points_to.is_shared(class).then(|| Cell {
            class,
            whole: ty.is_none_or(Ty::is_aggregate),
        })
    }

    fn call(
        &mut self,
        state: &State,
        id: StatementId,
        callee: &Callee,
        arguments: &[crate::ir::Operand],
        locks: &Arc<Lockset>,
    ) {
        let call = self
            .execution
            .call_site(state, id, callee, arguments.len());
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
                Target::Model(model) => {
                    library::effects(self, state, id, model, arguments, &values, locks);
                }
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
                locks: locks.clone(),
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
