//! What people who watch a run ask: values, and which object an effect is about.

use super::image::Machine;
use super::state::{Activation, State};
use super::value::Value;
use crate::ir::{FunctionRef, Operand};
use crate::models::{Action, Value as ModelValue};

impl Machine<'_> {
    /// The value of an operand in a thread's innermost function.
    pub fn value_of(&self, state: &State, thread: usize, operand: &Operand) -> Option<Value> {
        let frame = state.threads[thread].frame()?;
        self.operand(frame, operand).ok()
    }

    /// The number that lies in memory, if it is small and known.
    pub fn number_at(&self, state: &State, address: u64, size: u64) -> Option<i128> {
        let image = state.memory.read(address, size).ok()?;
        if !image.unknown.is_empty() || size == 0 || size > 8 {
            return None;
        }
        let mut bytes = [0; 16];
        bytes[..size as usize].copy_from_slice(&image.bytes);
        let bits = size as u32 * 8;
        let number = i128::from_le_bytes(bytes);
        // Most numbers are signed, and those that are not are seldom so large.
        let is_negative = size >= 4 && number >> (bits - 1) == 1;
        Some(if is_negative {
            number - (1 << bits)
        } else {
            number
        })
    }

    /// The number in the variable of this name, if there is one such variable.
    pub fn number_in(&self, state: &State, name: &str) -> Option<i128> {
        let mut named = self.globals.iter();
        let (_, address) = named.find(|(global, _)| global.name.as_str() == name)?;
        let (address, size) = state.memory.extent(*address).ok()?;
        self.number_at(state, address, size)
    }

    /// The function that an address is, if it is one.
    pub fn function_named(&self, address: u64) -> Option<FunctionRef> {
        self.function_at(address).ok()
    }

    /// The effect that a thread's library call is at, and the object that it is about.
    pub fn effect_at(&self, state: &State, thread: usize) -> Option<(&Action, Option<u64>)> {
        let (call, model) = self.model_call(state, thread).ok()?;
        let effect = model.effects.get(call.effect as usize)?;
        if self.happens(call, effect.when) == Ok(Some(false)) {
            return None;
        }
        let object: Option<&ModelValue> = match &effect.action {
            Action::Acquire { lock, .. } | Action::Release { lock } | Action::Wait { lock, .. } => {
                Some(lock)
            }
            Action::Post { object } | Action::WaitFor { object } => Some(object),
            Action::Once { control, .. } => Some(control),
            Action::Free { pointer } => Some(pointer),
            _ => None,
        };
        let address = object.and_then(|object| self.model_address(state, call, object).ok());
        Some((&effect.action, address))
    }

    /// The threads that a call waits for.
    pub fn joined_threads(
        &self,
        state: &State,
        thread: usize,
        handle: Option<&ModelValue>,
        entry: Option<&ModelValue>,
    ) -> Option<Vec<usize>> {
        let Some(Activation::Model(call)) = state.threads[thread].stack.last() else {
            return None;
        };
        self.joined(state, call, handle, entry).ok()?
    }
}
