//! The flow function of the symbolic execution.

use super::model_effects;
use super::path::{Definition, Path, Root, Site, Step};
use super::rebind::Rebinding;
use super::state::State;
use super::summary::ValueSummary;
use super::value::{Targets, Value};
use super::walks::Walks;
use crate::dataflow::{Analysis, Edge, Liveness, Loops, Solution};
use crate::ir::*;
use crate::models::FunctionModel;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What is known about the functions that a body calls.
pub trait Calls {
    /// What the call may do to values: one effect for each function that it may reach. `function` is the
    /// one that is called, if that is certain.
    fn value_effects(&self, call: CallSite) -> Vec<CallEffect<'_>>;

    /// Whether what the statement reads from memory is known to be new each time, so that its value gets a name of
    /// its own.
    fn gives_number(&self, _statement: StatementId) -> bool {
        false
    }
}

/// A call in the body that is analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSite {
    pub statement: StatementId,
    /// The function that is called, if that is certain.
    pub function: Option<FunctionRef>,
    pub arguments: usize,
}

impl CallSite {
    /// The calls of a body, as far as its text tells what is called.
    pub fn of_body(body: &Body) -> impl Iterator<Item = CallSite> + '_ {
        body.statements()
            .filter_map(|(statement, content)| match content {
                Statement::Call {
                    callee, arguments, ..
                } => Some(CallSite {
                    statement,
                    function: match callee {
                        Callee::Direct(function) => Some(*function),
                        Callee::Indirect(_) => None,
                    },
                    arguments: arguments.len(),
                }),
                _ => None,
            })
    }

    /// Whether a call matters as far as the body's text tells, and those that may: what a pointer leads to is known
    /// better when the body is executed.
    pub fn that_matter(
        body: &Body,
        matters: impl Fn(CallSite) -> bool,
    ) -> (bool, FxHashSet<StatementId>) {
        let mut any = false;
        let mut chosen = FxHashSet::default();
        for call in CallSite::of_body(body) {
            let does = matters(call);
            any |= does;
            if does || call.function.is_none() {
                chosen.insert(call.statement);
            }
        }
        (any, chosen)
    }
}

/// What a call does to values.
#[derive(Clone)]
pub enum CallEffect<'m> {
    /// A function of the program.
    Summary(Arc<ValueSummary>),
    /// A library function.
    Model(&'m FunctionModel),
    /// A function of which nothing is known writes to what its arguments point to.
    Unknown,
}

pub struct Execution<'e> {
    body: &'e Body,
    calls: &'e dyn Calls,
    loops: &'e Loops,
    liveness: &'e Liveness,
    /// What was found since it has been executed.
    walks: Walks,
}

impl Analysis for Execution<'_> {
    type Domain = State;

    fn entry(&self, body: &Body) -> State {
        State::entry(body.parameters)
    }

    fn statement(&self, state: &mut State, id: StatementId, statement: &Statement) {
        match statement {
            Statement::Load { target, place, .. } => {
                let value = self.read(state, id, &state.place(place));
                self.define(state, id, *target, value);
            }
            Statement::Store { place, value, .. } => {
                let value = state.operand(value);
                let targets = state.place(place);
                state.write(&targets, &value);
            }
            Statement::Update { target, place, .. } => {
                let targets = state.place(place);
                let value = self.read(state, id, &targets);
                self.define(state, id, *target, value);
                state.write(&targets, &Value::Anything);
            }
            Statement::Assign { target, value } => {
                let value = self.rvalue(state, id, value);
                self.define(state, id, *target, value);
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => self.call(state, id, *target, callee, arguments),
            Statement::Assembly { memory_clobber, .. } => {
                if *memory_clobber {
                    state.forget_shared();
                }
            }
        }
    }

    fn edge(&self, state: &mut State, edge: Edge<'_>) {
        state.retain_registers(|local| self.liveness.is_needed(edge.to, local));
        if self.loops.goes_back(edge.from, edge.to) {
            state.forget_definitions(&|block| self.loops.is_behind(block, edge.to));
        }
    }

    /// Registers that a loop assigns, and those on which paths disagree, get a name here.
    fn enter(&self, state: &mut State, block: BlockId) {
        let assigned = self.loops.assigned(block);
        state.change_registers(|local, value| {
            let is_open =
                is_open(value) || assigned.is_some_and(|assigned| assigned.contains(&local));
            is_open.then(|| named(Definition::Merge(block, local)))
        });
    }
}

/// Whether a value is best known by where it comes from. A name says that it is the same value wherever it is
/// used, which a choice of several does not. A choice says what may be written or unlocked through it, which matters
/// for variables of this activation, and for variables and members that are chosen themselves.
fn is_open(value: &Value) -> bool {
    let is_object = |path: &Path| match path.steps.last() {
        Some(Step::Field { .. }) => false,
        _ => path.steps.contains(&Step::Deref) || path.has_unknown_index(),
    };
    match value {
        Value::Anything => true,
        Value::OneOf(paths) => {
            paths.iter().all(Path::outlives_function) && paths.iter().any(is_object)
        }
        _ => false,
    }
}

/// A value that has no name but where it comes from.
fn named(definition: Definition) -> Value {
    Value::Entry(Path::new(Root::Value(definition)))
}

impl<'e> Execution<'e> {
    pub fn new(
        body: &'e Body,
        calls: &'e dyn Calls,
        loops: &'e Loops,
        liveness: &'e Liveness,
    ) -> Execution<'e> {
        Execution {
            body,
            calls,
            loops,
            liveness,
            walks: Walks::new(body.blocks.len()),
        }
    }

    pub(super) fn walks(&self) -> &Walks {
        &self.walks
    }

    pub fn body(&self) -> &'e Body {
        self.body
    }

    pub fn loops(&self) -> &'e Loops {
        self.loops
    }

    /// For a loop that counts a register up by one: where it begins, and the bound that it stops at.
    pub fn counted_range(
        &self,
        states: &Solution<State>,
        head: BlockId,
        counter: LocalId,
    ) -> Option<(i128, Value)> {
        let bound = self.loops.counted_bound(self.body, head, counter)?;
        let mut first = None;
        for (index, block) in self.body.blocks.iter().enumerate() {
            let from = BlockId(index as u32);
            let leads_there = block.terminator.successors().contains(&head);
            if leads_there && !self.loops.goes_back(from, head) {
                let state = self.exit_state(states, from)?;
                match state.operand(&Operand::Local(counter)) {
                    Value::Constant(value) if first.is_none_or(|first| first == value) => {
                        first = Some(value);
                    }
                    _ => return None,
                }
            }
        }
        let state = self.exit_state(states, head)?;
        match state.operand(bound) {
            // A value that the loop itself makes may change from turn to turn.
            Value::Entry(path) if self.is_made_inside(&path, head) => None,
            Value::Anything | Value::Nothing => None,
            bound => Some((first?, bound)),
        }
    }

    /// Whether a value comes from the loop with this head.
    fn is_made_inside(&self, value: &Path, head: BlockId) -> bool {
        match value.root {
            Root::Value(definition) => self.loops.is_inside(definition.block(), head),
            _ => false,
        }
    }

    fn read(&self, state: &State, id: StatementId, targets: &Targets) -> Value {
        if self.calls.gives_number(id) {
            return Value::Anything;
        }
        state.read(targets)
    }

    fn define(&self, state: &mut State, id: StatementId, target: LocalId, value: Value) {
        let value = if is_open(&value) {
            named(Definition::Statement(id))
        } else {
            value
        };
        state.set_register(target, value);
    }

    fn rvalue(&self, state: &State, id: StatementId, value: &Rvalue) -> Value {
        match value {
            Rvalue::Use(operand) => state.operand(operand),
            Rvalue::Convert { value, from } if !from.is_float() => state.operand(value),
            Rvalue::AddressOf(place) => match state.place(place) {
                Targets::Exactly(path) => Value::address_of(path),
                Targets::OneOf(paths) => Value::OneOf(paths),
                Targets::Unknown => Value::Anything,
            },
            Rvalue::PointerAdd { base, index, size } => {
                let base = state.operand(base);
                let index = state.operand(index);
                match index {
                    // Counting bytes: from a member to what contains it, or through raw memory.
                    Value::Constant(bytes) if *size == 1 => match i64::try_from(bytes) {
                        Ok(bytes) => base.map_targets(|path| path.then(Step::Bytes(bytes))),
                        Err(_) => Value::Anything,
                    },
                    index => {
                        let index = index.as_index();
                        base.map_targets(|path| path.element(index.clone()))
                    }
                }
            }
            Rvalue::StackAllocate { .. } => Value::Address(Path::new(Root::Heap(self.site(id)))),
            // Equal operations on equal values are equal elements of an array.
            Rvalue::Binary {
                operator,
                left,
                right,
                ..
            } if !operator.is_comparison() => match (state.operand(left), state.operand(right)) {
                (value, Value::Constant(constant)) => value.computed(*operator, constant),
                (Value::Constant(constant), value) if operator.is_commutative() => {
                    value.computed(*operator, constant)
                }
                _ => Value::Anything,
            },
            Rvalue::Unary(..)
            | Rvalue::Binary { .. }
            | Rvalue::Convert { .. }
            | Rvalue::PointerDifference { .. }
            | Rvalue::LabelAddress(_)
            | Rvalue::VariableArgument(_) => Value::Anything,
        }
    }

    pub fn site(&self, statement: StatementId) -> Site {
        Site {
            function: self.body.function,
            statement: self.body.landmark(statement),
            part: 0,
        }
    }

    /// The call that a statement is, as far as the state tells what is called.
    pub fn call_site(
        &self,
        state: &State,
        statement: StatementId,
        callee: &Callee,
        arguments: usize,
    ) -> CallSite {
        let function = match callee {
            Callee::Direct(function) => Some(*function),
            Callee::Indirect(pointer) => match state.operand(pointer) {
                Value::Function(function) => Some(function),
                _ => None,
            },
        };
        CallSite {
            statement,
            function,
            arguments,
        }
    }

    fn call(
        &self,
        state: &mut State,
        id: StatementId,
        target: Option<LocalId>,
        callee: &Callee,
        arguments: &[Operand],
    ) {
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| state.operand(argument))
            .collect();
        let site = self.call_site(state, id, callee, arguments.len());
        let effects = self.calls.value_effects(site);
        let mut result = Value::Nothing;
        let mut joined: Option<State> = None;
        let several = effects.len() > 1;
        for effect in &effects {
            if several {
                let mut branch = state.clone();
                result.join(&self.effect(&mut branch, id, effect, &values));
                match &mut joined {
                    Some(joined) => {
                        crate::dataflow::Domain::join(joined, &branch);
                    }
                    None => joined = Some(branch),
                }
            } else {
                result = self.effect(state, id, effect, &values);
            }
        }
        if let Some(joined) = joined {
            *state = joined;
        }
        if effects.is_empty() {
            result = self.effect(state, id, &CallEffect::Unknown, &values);
        }
        if let Some(target) = target {
            self.define(state, id, target, result);
        }
    }

    fn effect(
        &self,
        state: &mut State,
        id: StatementId,
        effect: &CallEffect<'_>,
        values: &[Value],
    ) -> Value {
        match effect {
            CallEffect::Summary(summary) => {
                let rebinding = Rebinding::new(state, values).at(self.site(id), &summary.heap);
                let result = rebinding.value(&summary.result);
                let stores: Vec<(Targets, Value)> = summary
                    .stores
                    .iter()
                    .map(|(path, value)| (rebinding.path(path), rebinding.value(value)))
                    .collect();
                if summary.forgot {
                    state.forget_shared();
                }
                for field in &summary.clobbered {
                    state.clobber_field(*field);
                }
                for (targets, value) in &stores {
                    state.write(targets, value);
                }
                values.iter().for_each(|value| state.escape(value));
                result
            }
            CallEffect::Model(model) => {
                if !model.pure {
                    values.iter().for_each(|value| state.escape(value));
                }
                model_effects::apply(state, model, values, self.site(id))
            }
            CallEffect::Unknown => {
                for value in values {
                    state.forget_targets(&value.targets());
                    state.escape(value);
                }
                Value::Anything
            }
        }
    }
}
