//! Calls and returns.

use super::image::Machine;
use super::library;
use super::memory::Content;
use super::state::{Activation, End, Frame, Ignored, ModelCall, Phase, Source, State};
use super::stop::{Limit, Stop};
use super::value::{Closed, Value, convert};
use crate::ir::{FunctionRef, LocalId, Statement, Storage, Ty};
use crate::kiss::program::{Meaning, intrinsics};
use std::sync::Arc;

/// Deeper calls than this are taken for a recursion without end.
const DEEPEST_CALL: usize = 200;

impl Machine<'_> {
    pub(super) fn call(
        &self,
        state: &mut State,
        thread: usize,
        function: FunctionRef,
        arguments: Vec<(Value, Ty)>,
        result: &Ty,
    ) -> Result<(), Stop> {
        if state.threads[thread].stack.len() >= DEEPEST_CALL {
            return Err(Limit::CallDepth.into());
        }
        let name = function.name.as_str();
        let model = self
            .models
            .lookup(name)
            .filter(|model| model.accepts(arguments.len()));
        let meaning = self.program.function(function);
        if let Meaning::Ambiguous = meaning {
            return Err(Limit::Ambiguous(function.name).into());
        }
        let has_body = matches!(meaning, Meaning::Body(_));
        if !has_body && library::needs_handlers(name) && has_handlers(state) {
            return Err(Limit::Function(function.name).into());
        }
        if library::is_assertion_failure(name) {
            self.end(state, End::AssertionFailed(thread));
            return Ok(());
        }
        if let Some(model) = model
            && (!has_body || model.replaces_body || model.wraps_body())
            && !(has_body && model.effects.is_empty())
            && !library::is_decided_elsewhere(name)
        {
            let call = ModelCall {
                function,
                arguments,
                result_ty: result.clone(),
                effect: 0,
                result: None,
                phase: Phase::Beginning,
                progress: (0, 0),
            };
            state.thread_mut(thread).stack.push(Activation::Model(call));
            return Ok(());
        }
        if has_body {
            let number = self.body_number(function)?;
            let values = arguments.into_iter().map(|(value, _)| value).collect();
            let frame = self.enter(state, thread, number, values)?;
            state
                .thread_mut(thread)
                .stack
                .push(Activation::Frame(frame));
            return Ok(());
        }
        let value = self.external(state, thread, name, &arguments, result)?;
        self.finish_call(state, thread, value);
        Ok(())
    }

    /// A function that neither the program nor a model describes.
    fn external(
        &self,
        state: &mut State,
        thread: usize,
        name: &str,
        arguments: &[(Value, Ty)],
        result: &Ty,
    ) -> Result<Value, Stop> {
        let condition = |machine: &Self| -> Result<bool, Stop> {
            let value = arguments
                .first()
                .map_or(Value::ZERO, |(value, _)| value.clone());
            Ok(super::value::is_true(&machine.known(value)?).unwrap_or(false))
        };
        match name {
            intrinsics::CHOOSE => {
                let count = arguments
                    .first()
                    .map_or(Value::ZERO, |(value, _)| value.clone());
                let Value::Integer(count) = self.known(count)? else {
                    return Err(Limit::Unsupported("such a choice").into());
                };
                let count = u32::try_from(count).unwrap_or(1).max(1);
                Ok(self.open(state, thread, Source::Choice(count), result))
            }
            intrinsics::ASSUME | "__VERIFIER_assume" => {
                if !condition(self)? {
                    self.end(state, End::Assumed);
                }
                Ok(Value::ZERO)
            }
            "__VERIFIER_assert" => {
                if !condition(self)? {
                    self.end(state, End::AssertionFailed(thread));
                }
                Ok(Value::ZERO)
            }
            name if name.starts_with(intrinsics::ARGUMENT) => {
                let source = Source::Passed(ustr::Ustr::from(name));
                Ok(self.outside_value(state, thread, source, result))
            }
            name if library::is_outside(name) || self.models.lookup(name).is_none() => {
                let function = ustr::Ustr::from(name);
                let ignored = Ignored::Function(function);
                if !library::is_outside(name) && !state.ignored.contains(&ignored) {
                    Arc::make_mut(&mut state.ignored).insert(ignored);
                }
                Ok(self.outside_value(state, thread, Source::Function(function), result))
            }
            name => Ok(Value::closed(Closed::Library(ustr::Ustr::from(name)))),
        }
    }

    /// Any value of an integer or pointer type; of others none can be chosen.
    pub(super) fn outside_value(
        &self,
        state: &mut State,
        thread: usize,
        source: Source,
        ty: &Ty,
    ) -> Value {
        if ty.is_integer() || ty.pointee().is_some() {
            self.open(state, thread, source, ty)
        } else {
            Value::closed(Closed::Unrepresented)
        }
    }

    /// Makes a frame for a call of the body.
    pub(super) fn enter(
        &self,
        state: &mut State,
        thread: usize,
        number: u32,
        arguments: Vec<Value>,
    ) -> Result<Frame, Stop> {
        let body = self.body(number).clone();
        let mut objects = Vec::with_capacity(body.locals.len());
        for local in &body.locals {
            objects.push(match local.storage {
                Storage::Register => 0,
                Storage::Memory => match self.program.size_of(&local.ty) {
                    Some(size) => {
                        state
                            .memory
                            .allocate(thread + 1, size, Content::UNINITIALISED)?
                    }
                    None => return Err(Limit::IncompleteType.into()),
                },
            });
        }
        let mut frame = Frame {
            body: number,
            block: 0,
            index: 0,
            registers: vec![Value::closed(Closed::Uninitialised); body.locals.len()],
            objects,
            dynamic: Vec::new(),
        };
        let mut arguments = arguments.into_iter();
        for index in 0..body.parameters {
            let local = &body.locals[index];
            let value = arguments
                .next()
                .unwrap_or(Value::closed(Closed::Uninitialised));
            let value = convert(self.program.data_model, value, &local.ty);
            match local.storage {
                Storage::Register => frame.registers[index] = value,
                Storage::Memory => {
                    let address = super::places::Address {
                        first: frame.objects[index],
                        bits: None,
                    };
                    self.store(state, address, &value, &local.ty)?;
                }
            }
        }
        Ok(frame)
    }

    pub(super) fn return_from(
        &self,
        state: &mut State,
        thread: usize,
        value: Value,
    ) -> Result<(), Stop> {
        let Some(Activation::Frame(frame)) = state.thread_mut(thread).stack.pop() else {
            return Ok(());
        };
        for object in frame.objects.iter().chain(&frame.dynamic) {
            if *object != 0 {
                state.memory.leave_scope(*object);
            }
        }
        match state.threads[thread].stack.last() {
            None if thread == 0 => self.end(state, End::Exit),
            None => state.thread_mut(thread).result = Some(value),
            Some(Activation::Frame(_)) => self.finish_call(state, thread, value),
            Some(Activation::Model(_)) => {
                if let Some(Activation::Model(call)) = state.thread_mut(thread).stack.last_mut() {
                    call.result = Some(value);
                }
            }
        }
        Ok(())
    }

    /// The call that the innermost frame stands at has come back with this value.
    pub(super) fn finish_call(&self, state: &mut State, thread: usize, value: Value) {
        let target = self.call_target(state, thread);
        let set = target.map(|(target, ty)| {
            let value = match value {
                value @ Value::Unknown(_) => value,
                value => convert(self.program.data_model, value, &ty),
            };
            (target, value)
        });
        self.advance(state, thread, set);
    }

    fn call_target(&self, state: &State, thread: usize) -> Option<(LocalId, Ty)> {
        let Some(Activation::Frame(frame)) = state.threads[thread].stack.last() else {
            return None;
        };
        let body = self.body(frame.body);
        let statement = body.blocks[frame.block as usize]
            .statements
            .get(frame.index as usize)?;
        let Statement::Call { target, .. } = statement else {
            return None;
        };
        let target = (*target)?;
        Some((target, body.locals[target.0 as usize].ty.clone()))
    }
}

/// Whether handlers were set on the way here.
fn has_handlers(state: &State) -> bool {
    let are_handlers = |ignored: &Ignored| matches!(ignored, Ignored::HandlersOf(_));
    state.ignored.iter().any(are_handlers)
}
