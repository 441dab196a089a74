//! Finds the facts of one function.

use super::facts::{Access, CallFact, Cell, FunctionFacts};
use super::library;
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::dataflow::{Liveness, Loops, visit_statements};
use crate::ir::{AccessMode, Body, Callee, LocalId, Place, Rvalue, Statement, StatementId, Ty};
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
        self.name(state, statement);
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
