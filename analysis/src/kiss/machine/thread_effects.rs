//! Threads that begin and end, and what runs once.

use super::image::Machine;
use super::library;
use super::model_values::handle_of;
use super::places::Address;
use super::state::{Activation, Ignored, ModelCall, Once, Phase, State, Thread};
use super::stop::{Limit, Stop};
use super::value::{Value, convert};
use crate::models::{Action, Context, Effect, FunctionModel, Root, Value as ModelValue};
use std::sync::Arc;

/// Every thread needs a region of memory.
const MOST_THREADS: usize = 64;

impl Machine<'_> {
    pub(super) fn start_thread(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        effect: &Effect,
        success: Option<Value>,
    ) -> Result<(), Stop> {
        let Action::Start {
            entry,
            arguments,
            handle,
            context,
            ..
        } = &effect.action
        else {
            return Ok(());
        };
        // Nothing runs before the signal comes, or the process ends; that neither happens is one way among others.
        if matches!(context, Context::Signal | Context::Exit) {
            let name = call.function.name;
            let is_first = Arc::make_mut(&mut state.ignored).insert(Ignored::HandlersOf(name));
            let replaced = match is_first && library::returns_old_handler(name.as_str()) {
                // `SIG_DFL`: the program is taken to be started as a shell does.
                true => Some(Value::ZERO),
                false => success,
            };
            self.next_effect(state, thread, replaced);
            return Ok(());
        }
        if !is_thread(*context) && self.model_address(state, call, entry) == Ok(0) {
            self.next_effect(state, thread, success);
            return Ok(());
        }
        let is_known = |value: &ModelValue| value.root != Root::Unknown;
        if !is_thread(*context) || !arguments.iter().all(is_known) {
            return Err(Limit::Function(call.function.name).into());
        }
        if state.threads.len() >= MOST_THREADS {
            return Err(Limit::Threads.into());
        }
        let function = self.function_at(self.model_address(state, call, entry)?)?;
        let number = self.body_number(function)?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.model_value(state, call, argument)?.0);
        }
        let new = state.threads.len();
        let identity = handle_of(new);
        let mut result = success;
        if let Some(handle) = handle {
            match self.model_place(state, call, handle)? {
                Some((0, _)) => {}
                Some((place, ty)) => {
                    let value = Value::Integer(i128::from(identity));
                    let address = Address {
                        first: place,
                        bits: None,
                    };
                    if self.size_of(&ty)? < 8 {
                        return Err(Limit::Function(call.function.name).into());
                    }
                    self.store(state, address, &value, &ty)?;
                    state.handles.insert(identity, new);
                }
                None if handle.root == Root::Result => {
                    result = Some(Value::Integer(i128::from(identity)));
                    state.handles.insert(identity, new);
                }
                None => {
                    let address = self.model_address(state, call, handle)?;
                    state.handles.insert(address, new);
                }
            }
        }
        state.threads.push(Arc::new(Thread {
            entry: self.canonical(function),
            stack: Vec::new(),
            result: None,
            opened: 0,
        }));
        self.add_thread_locals(state, new)?;
        let frame = self.enter(state, new, number, values)?;
        state.thread_mut(new).stack.push(Activation::Frame(frame));
        self.next_effect(state, thread, result);
        Ok(())
    }

    /// The threads that a call waits for; `None` if they are not known.
    pub(super) fn joined(
        &self,
        state: &State,
        call: &ModelCall,
        handle: Option<&ModelValue>,
        entry: Option<&ModelValue>,
    ) -> Result<Option<Vec<usize>>, Stop> {
        if let Some(handle) = handle {
            let handle = self.model_address(state, call, handle)?;
            return Ok(state.handles.get(&handle).map(|thread| vec![*thread]));
        }
        let Some(entry) = entry else {
            return Ok(None);
        };
        let function = self.function_at(self.model_address(state, call, entry)?)?;
        let function = self.canonical(function);
        let all = 0..state.threads.len();
        Ok(Some(
            all.filter(|thread| state.threads[*thread].entry == function)
                .collect(),
        ))
    }

    /// Gives the result of a joined thread to who asked for it.
    pub(super) fn pass_result(
        &self,
        state: &mut State,
        call: &ModelCall,
        model: &FunctionModel,
        result: &Value,
    ) -> Result<(), Stop> {
        for effect in &model.effects {
            let Action::Write { pointer, .. } = &effect.action else {
                continue;
            };
            let (value, ty) = self.model_value(state, call, pointer)?;
            let Value::Integer(address) = self.known(value)? else {
                continue;
            };
            if address != 0
                && let Some(pointee) = ty.pointee()
            {
                let address = Address {
                    first: address as u64,
                    bits: None,
                };
                let result = convert(self.program.data_model, result.clone(), pointee);
                self.store(state, address, &result, pointee)?;
            }
        }
        Ok(())
    }

    pub(super) fn end_thread(&self, state: &mut State, thread: usize, result: Option<Value>) {
        let stack = std::mem::take(&mut state.thread_mut(thread).stack);
        for activation in stack {
            if let Activation::Frame(frame) = activation {
                for object in frame.objects.iter().chain(&frame.dynamic) {
                    if *object != 0 {
                        state.memory.leave_scope(*object);
                    }
                }
            }
        }
        state.thread_mut(thread).result = result;
    }

    pub(super) fn once(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        control: &ModelValue,
        (entry, arguments): (&ModelValue, &[ModelValue]),
        success: Option<Value>,
    ) -> Result<(), Stop> {
        let control = self.lock_address(state, call, control)?;
        if call.phase == Phase::Calling {
            state.once.insert(control, Once::Done);
            if let Some(Activation::Model(call)) = state.thread_mut(thread).stack.last_mut() {
                call.result = None;
            }
            self.next_effect(state, thread, success);
            return Ok(());
        }
        match state.once.get(&control) {
            Some(Once::Done) => self.next_effect(state, thread, success),
            Some(Once::RunBy(_)) => return Err(Limit::Function(call.function.name).into()),
            None => {
                let function = self.function_at(self.model_address(state, call, entry)?)?;
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.model_value(state, call, argument)?.0);
                }
                self.call_back(state, thread, function, values)?;
                state.once.insert(control, Once::RunBy(thread));
            }
        }
        Ok(())
    }
}

/// Whether what is started there runs beside its starter, whenever it likes to.
pub(super) fn is_thread(context: Context) -> bool {
    matches!(context, Context::Thread | Context::Work)
}
