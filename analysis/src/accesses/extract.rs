//! Finds the facts of one function.

use super::excess::Excess;
use super::facts::{Access, CallFact, Cell, FunctionFacts, Publishes, Stored};
use super::filled::{Filling, Numbering};
use super::library;
use super::numbers_taken::NumbersTaken;
use super::private;
use super::turns::Turns;
use crate::branches::{Branches, Definitions, Passed};
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::dataflow::{Loops, Solution};
use crate::forks::ForkState;
use crate::ir::{
    AccessKind, AccessMode, Callee, LocalId, Operand, Place, Rvalue, Statement, StatementId, Ty,
};
use crate::locksets::{PointLocks, locksets};
use crate::ownership::{Privacy, Sharing};
use crate::references::References;
use crate::signals::{SignalState, may_set};
use crate::summaries::{Analysed, Callees, Summaries, SyncObjects};
use crate::symexec::{Execution, Path, Rebinding, Root, State, Step, Targets, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The facts of a function that has been analysed.
pub fn function_facts(callees: &Callees<'_>, analysed: &Analysed<'_>) -> FunctionFacts {
    let Analysed {
        body,
        execution,
        states,
        locks,
        forks,
        sharing,
        signals,
        references,
    } = analysed;
    let mut held = Snapshots::default();
    if !locks.is_idle() {
        locks.visit_points(body, |point, id, statement| {
            held.take(&point, id, statement)
        });
    }
    let mut running = Snapshots::default();
    if !forks.is_idle() {
        forks.visit(body, |state, id, statement| {
            running.take(state, id, statement)
        });
    }
    let mut known = Snapshots::default();
    sharing.visit(body, |state, id, statement| {
        known.take(state, id, statement)
    });
    let turns = Turns::new(body, states, execution, forks);
    let mut signalled = Snapshots::default();
    signals.visit(body, |state, id, statement| {
        signalled.take(state, id, statement)
    });
    let mut counted = Snapshots::default();
    references.visit(body, |state, id, statement| {
        counted.take(state, id, statement)
    });
    let definitions = Definitions::new(body);
    let mut extraction = Extraction {
        callees,
        graph: callees.graph,
        function: callees.function,
        execution,
        states,
        loops: execution.loops(),
        turns: &turns,
        definitions: &definitions,
        numberings: Vec::new(),
        facts: FunctionFacts {
            at_return: Arc::new(forks.at_return.clone()),
            drops: references.drops().to_vec(),
            branches: Branches::new(body, &definitions),
            ..FunctionFacts::default()
        },
    };
    let matters = |_, statement: &Statement| match statement {
        Statement::Assign { value, .. } => matches!(value, Rvalue::Use(_) | Rvalue::Convert { .. }),
        Statement::Call { .. } => true,
        _ => statement.access().is_some(),
    };
    execution.visit_chosen(states, matters, |state, id, statement| {
        let point = || Point {
            state,
            id,
            locks: held.at(id),
            forks: running.at(id),
            sharing: known.at(id),
            signals: signalled.at(id),
            references: counted.at(id),
        };
        extraction.statement(state, id, statement, &point);
    });
    extraction.add_numbers_of_elements();
    extraction.keep_lasting_contents();
    extraction.facts.excess = Excess::of(&extraction.facts);
    extraction.facts
}

/// What holds at accesses and calls; neighbours that agree share it.
struct Snapshots<S> {
    known: FxHashMap<StatementId, Arc<S>>,
    latest: Arc<S>,
    nothing: Arc<S>,
}

impl<S: Default> Default for Snapshots<S> {
    fn default() -> Snapshots<S> {
        let nothing = Arc::new(S::default());
        Snapshots {
            known: FxHashMap::default(),
            latest: nothing.clone(),
            nothing,
        }
    }
}

impl<S: Clone + PartialEq> Snapshots<S> {
    fn take(&mut self, state: &S, id: StatementId, statement: &Statement) {
        if statement.access().is_some() || matches!(statement, Statement::Call { .. }) {
            if *self.latest != *state {
                self.latest = Arc::new(state.clone());
            }
            self.known.insert(id, self.latest.clone());
        }
    }

    fn at(&self, id: StatementId) -> Arc<S> {
        self.known.get(&id).unwrap_or(&self.nothing).clone()
    }
}

/// What is known in front of a statement.
pub(super) struct Point<'p> {
    pub state: &'p State,
    pub id: StatementId,
    pub locks: Arc<PointLocks>,
    pub forks: Arc<ForkState>,
    pub sharing: Arc<Sharing>,
    pub signals: Arc<SignalState>,
    pub references: Arc<References>,
}

/// The locks that a function holds at its accesses and calls, when the summaries of all are known.
pub fn statement_locks(
    graph: &CallGraph<'_>,
    summaries: &Summaries,
    objects: &SyncObjects,
    function: FunctionId,
) -> FxHashMap<StatementId, Arc<PointLocks>> {
    let callees = Callees {
        function,
        graph,
        summaries: summaries.known(),
        objects,
    };
    callees.execute(|run| {
        let locks = locksets(run.body, &run.states, run.execution, &callees);
        let mut held = Snapshots::default();
        locks.visit_points(run.body, |point, id, statement| {
            held.take(&point, id, statement)
        });
        held.known
    })
}

pub(super) struct Extraction<'x> {
    pub callees: &'x Callees<'x>,
    pub graph: &'x CallGraph<'x>,
    pub function: FunctionId,
    pub execution: &'x Execution<'x>,
    pub states: &'x Solution<State>,
    pub loops: &'x Loops,
    pub turns: &'x Turns<'x>,
    definitions: &'x Definitions<'x>,
    numberings: Vec<Numbering>,
    pub facts: FunctionFacts,
}

impl Extraction<'_> {
    /// Notes what a statement does; `point` is what is known in front of it, which few statements need.
    fn statement<'p>(
        &mut self,
        state: &State,
        id: StatementId,
        statement: &Statement,
        point: &dyn Fn() -> Point<'p>,
    ) {
        self.name(state, statement);
        if let Some((kind, place, mode)) = statement.access() {
            if let Some(cell) = self.shared_cell(place, access_type(statement)) {
                if let Statement::Store { value, .. } = statement {
                    let value = state.operand(value);
                    let numbering = Numbering::of_store(state, id, place, &value, cell.class);
                    self.numberings.extend(numbering);
                }
                let place = state.place(place);
                let point = point();
                self.facts.accesses.push(Access {
                    statement: id,
                    kind,
                    cell,
                    atomic: mode == AccessMode::Atomic,
                    frees: false,
                    stretches: false,
                    privacy: private::privacy(&point.sharing, &place),
                    own_element: self.own_element(id, &place),
                    place,
                    stored: stored(state, statement, mode),
                    locks: point.locks,
                    forks: point.forks,
                    signals: point.signals,
                    references: point.references,
                });
            }
            return;
        }
        if let Statement::Call {
            callee, arguments, ..
        } = statement
        {
            self.call(&point(), callee, arguments);
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
            let told = self.told(state, &bodies, &values);
            self.facts.calls.push(CallFact {
                statement: id,
                targets: bodies,
                passed: self.passed(arguments.iter().map(Some)),
                told,
                callee,
                arguments: values
                    .iter()
                    .map(|value| self.turns.own_value(id, value.clone()))
                    .collect(),
                taken: values
                    .iter()
                    .map(|value| self.numbers_taken().own_value(value))
                    .collect(),
                locks: point.locks.clone(),
                forks: point.forks.clone(),
                sharing: point.sharing.clone(),
                private: self.private_arguments(point, arguments, &values),
                signals: point.signals.clone(),
                references: point.references.clone(),
                once: None,
                repeats: self.loops.repeats(id),
            });
        }
    }
}

impl Extraction<'_> {
    /// The place by a name that tells it from those of other threads.
    pub(super) fn own_element(&self, at: StatementId, place: &Targets) -> Option<Path> {
        let turns = self.turns.own_element(at, place);
        turns.or_else(|| self.numbers_taken().own_element(place))
    }

    fn numbers_taken(&self) -> NumbersTaken<'_> {
        NumbersTaken {
            body: self.execution.body(),
            callees: self.callees,
        }
    }

    /// Notes the numbers that an earlier loop has left in what threads are given.
    fn add_numbers_of_elements(&mut self) {
        if self.numberings.is_empty() {
            return;
        }
        let filling = Filling {
            body: self.execution.body(),
            execution: self.execution,
            states: self.states,
            loops: self.loops,
            turns: self.turns,
            points_to: self.graph.points_to(),
            accesses: &self.facts.accesses,
        };
        for start in &mut self.facts.starts {
            let contents = filling.contents(&self.numberings, start);
            start.contents.extend(contents);
        }
    }

    /// Of the numbers that threads find in what they are given, keeps those that nobody in this function
    /// overwrites later.
    fn keep_lasting_contents(&mut self) {
        let FunctionFacts {
            accesses, starts, ..
        } = &mut self.facts;
        let points_to = self.graph.points_to();
        for start in starts {
            start.contents.retain(|content| {
                let mut writes = accesses.iter().filter(|access| {
                    let cell = access.cell;
                    access.kind != AccessKind::Read
                        && (cell.class == content.class
                            || (cell.whole && points_to.has_part(cell.class, content.class)))
                });
                !writes.any(|write| self.turns.may_follow(write, start.statement))
            });
        }
    }

    /// What is certain about arguments; of some, nothing is known.
    pub(super) fn passed<'o>(
        &self,
        arguments: impl Iterator<Item = Option<&'o Operand>>,
    ) -> Vec<(u32, Passed)> {
        arguments
            .enumerate()
            .filter_map(|(index, argument)| {
                Some((index as u32, self.definitions.passed(argument?)?))
            })
            .collect()
    }

    /// The numbers that callees find at their entry and that tell what they do to locks.
    fn told(&self, state: &State, callees: &[FunctionId], values: &[Value]) -> Vec<(Path, i128)> {
        let rebinding = Rebinding::new(state, values);
        let mut told = BTreeMap::new();
        for callee in callees {
            for place in &self.callees.summaries.get(*callee).locks.conditions {
                // Others may write to what is not a variable of this activation.
                let is_own = match rebinding.path(place) {
                    Targets::Exactly(own) => !own.outlives_function(),
                    Targets::OneOf(_) | Targets::Unknown => place.steps.is_empty(),
                };
                if let Value::Constant(value) = rebinding.value(&Value::Entry(place.clone()))
                    && is_own
                {
                    told.insert(place.clone(), value);
                }
            }
        }
        told.into_iter().collect()
    }

    /// The objects of this function that a callee is given and nobody else knows.
    fn private_arguments(
        &self,
        point: &Point<'_>,
        arguments: &[Operand],
        values: &[Value],
    ) -> Vec<(Path, Privacy)> {
        let points_to = self.graph.points_to();
        let function = self.execution.body().function;
        let mut found = Vec::new();
        for (index, (argument, value)) in arguments.iter().zip(values).enumerate() {
            let class = points_to.pointee(function, argument);
            // Of what no other thread can get at, nobody asks.
            if class.is_some_and(|class| points_to.has_shared_part(class)) {
                let name = Path::new(Root::Formal(index as u32)).then(Step::Deref);
                private::given(point.state, &point.sharing, value, name, &mut found);
            }
        }
        found
    }
}

fn stored(state: &State, statement: &Statement, mode: AccessMode) -> Stored {
    let is_zero = match statement {
        Statement::Store { value, ty, .. } => !ty.is_aggregate() && !may_set(&state.operand(value)),
        _ => false,
    };
    let is_nonzero = match statement {
        Statement::Store { value, ty, .. } => {
            let stored = state.operand(value);
            !ty.is_aggregate() && matches!(stored, Value::Constant(stored) if stored != 0)
        }
        _ => false,
    };
    Stored {
        zero: is_zero,
        nonzero: is_nonzero,
        publishes: match mode {
            AccessMode::Atomic => Publishes::Everything,
            AccessMode::Plain | AccessMode::Volatile => Publishes::Nothing,
        },
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
