//! The flow function of the symbolic execution.

use super::path::{Path, Root, Site, Step};
use super::rebind::Rebinding;
use super::state::State;
use super::summary::ValueSummary;
use super::value::Value;
use crate::dataflow::Analysis;
use crate::ir::*;
use std::sync::Arc;

/// What is known about the functions that a body calls.
pub trait Calls {
    /// What a call does to values; `None` if nothing is known about the function.
    fn effect(&self, function: FunctionRef) -> Option<CallEffect>;
}

/// What a call does to values.
#[derive(Clone)]
pub enum CallEffect {
    /// A function of the program.
    Summary(Arc<ValueSummary>),
    /// Returns memory that nobody else knows.
    Allocates,
    /// Returns one of its arguments.
    ReturnsArgument(usize),
    /// Writes to what its pointer arguments point to, and nowhere else.
    WritesArguments,
    /// Writes to no memory of the program.
    WritesNothing,
}

pub struct Execution<'e> {
    pub body: &'e Body,
    pub calls: &'e dyn Calls,
}

impl Analysis for Execution<'_> {
    type Domain = State;

    fn entry(&self, body: &Body) -> State {
        State::entry(body.locals.len(), body.parameters)
    }

    fn statement(&self, state: &mut State, id: StatementId, statement: &Statement) {
        match statement {
            Statement::Load { target, place, .. } => {
                let value = state.read(&state.place(place));
                state.set_register(*target, value);
            }
            Statement::Store { place, value, .. } => {
                let value = state.operand(value);
                let targets = state.place(place);
                state.write(&targets, &value);
            }
            Statement::Update { target, place, .. } => {
                let targets = state.place(place);
                let value = state.read(&targets);
                state.set_register(*target, value);
                state.write(&targets, &Value::Anything);
            }
            Statement::Assign { target, value } => {
                let value = self.rvalue(state, id, value);
                state.set_register(*target, value);
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => self.call(state, id, *target, callee, arguments),
            Statement::Assembly { memory_clobber } => {
                if *memory_clobber {
                    state.forget_shared();
                }
            }
        }
    }
}

impl Execution<'_> {
    fn rvalue(&self, state: &State, id: StatementId, value: &Rvalue) -> Value {
        match value {
            Rvalue::Use(operand) => state.operand(operand),
            Rvalue::Convert { value, from } if !from.is_float() => state.operand(value),
            Rvalue::AddressOf(place) => match state.place(place) {
                super::Targets::Exactly(path) => Value::address_of(path),
                super::Targets::OneOf(paths) => Value::OneOf(paths),
                super::Targets::Unknown => Value::Anything,
            },
            Rvalue::PointerAdd { base, index, size } => {
                let base = state.operand(base);
                let index = state.operand(index);
                match index {
                    // Counting bytes: from a member to what contains it, or through raw memory.
                    Value::Constant(bytes) if *size == 1 => {
                        base.map_targets(|path| path.then(Step::Bytes(bytes)))
                    }
                    index => {
                        let index = index.as_index();
                        base.map_targets(|path| path.element(index.clone()))
                    }
                }
            }
            Rvalue::StackAllocate { .. } => Value::Address(Path::new(Root::Heap(self.site(id)))),
            Rvalue::Unary(..)
            | Rvalue::Binary { .. }
            | Rvalue::Convert { .. }
            | Rvalue::PointerDifference { .. }
            | Rvalue::LabelAddress(_)
            | Rvalue::VariableArgument(_) => Value::Anything,
        }
    }

    fn site(&self, statement: StatementId) -> Site {
        Site {
            function: self.body.function,
            statement,
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
        let function = match callee {
            Callee::Direct(function) => Some(*function),
            Callee::Indirect(pointer) => match state.operand(pointer) {
                Value::Function(function) => Some(function),
                _ => None,
            },
        };
        let effect = function.and_then(|function| self.calls.effect(function));
        let result = match &effect {
            Some(CallEffect::Summary(summary)) => {
                let before = state.clone();
                let rebinding = Rebinding::new(&before, &values);
                let result = rebinding.value(&summary.result);
                if summary.forgot {
                    state.forget_shared();
                }
                for (path, value) in &summary.stores {
                    let value = rebinding.value(value);
                    state.write(&rebinding.path(path), &value);
                }
                result
            }
            Some(CallEffect::Allocates) => Value::Address(Path::new(Root::Heap(self.site(id)))),
            Some(CallEffect::ReturnsArgument(index)) => {
                values.get(*index).cloned().unwrap_or(Value::Anything)
            }
            Some(CallEffect::WritesNothing) => Value::Anything,
            Some(CallEffect::WritesArguments) | None => {
                for value in &values {
                    state.forget_targets(&value.targets());
                }
                Value::Anything
            }
        };
        let keeps_addresses = !matches!(
            effect,
            Some(CallEffect::WritesNothing | CallEffect::Allocates)
        );
        if keeps_addresses {
            values.iter().for_each(|value| state.escape(value));
        }
        if let Some(target) = target {
            state.set_register(target, result);
        }
    }
}
