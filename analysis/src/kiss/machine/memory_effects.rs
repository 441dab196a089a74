//! What library functions write and allocate.

use super::image::Machine;
use super::library::{self, Asked};
use super::memory::Content;
use super::places::Address;
use super::state::{ModelCall, State};
use super::stop::{Fault, Limit, Stop};
use super::thread_effects::is_thread;
use super::value::{Closed, Image, Value, convert};
use crate::ir::Ty;
use crate::models::{Action, Effect, FunctionModel, Root, Value as ModelValue};

impl Machine<'_> {
    /// Writes what is known of it.
    pub(super) fn fill(
        &self,
        state: &mut State,
        call: &ModelCall,
        model: &FunctionModel,
        effect: &Effect,
        pointer: &ModelValue,
    ) -> Result<(), Stop> {
        let Action::Write { size, value, .. } = &effect.action else {
            return Ok(());
        };
        let is_done = model.effects.iter().any(|other| match &other.action {
            Action::Start { context, .. } => is_thread(*context),
            action => matches!(action, Action::Join { .. }),
        });
        if is_done || matches!(pointer.root, Root::Global(_)) {
            return Ok(());
        }
        let name = call.function.name.as_str();
        // What is sorted has been moved already.
        if library::comparing(name).is_some() {
            return Ok(());
        }
        let address = self.model_address(state, call, pointer)?;
        if address == 0 {
            return Ok(());
        }
        let Some(bytes) = self.model_size(state, call, size, pointer)? else {
            return Err(Limit::Function(call.function.name).into());
        };
        let image = match (library::filled_with(name), value) {
            (Some(Some(argument)), _) => {
                let byte = call.arguments.get(argument).map(|(value, _)| value.clone());
                match self.known(byte.unwrap_or(Value::ZERO))? {
                    Value::Integer(byte) => Image::known(vec![byte as u8; bytes as usize]),
                    _ => return Err(Limit::Function(call.function.name).into()),
                }
            }
            (Some(None), _) => Image::known(vec![0; bytes as usize]),
            (None, Some(value)) => {
                let (value, _) = self.model_value(state, call, value)?;
                let (_, ty) = self.model_value(state, call, pointer)?;
                let ty = ty.pointee().cloned().unwrap_or_else(Ty::unknown);
                let value = convert(self.program.data_model, value, &ty);
                self.encode(state, &value, &ty, bytes)?
            }
            (None, None) => {
                Image::filled(bytes, Content::Closed(Closed::Library(call.function.name)))
            }
        };
        Ok(state.memory.write(address, &image)?)
    }

    pub(super) fn allocate(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        result: &ModelValue,
        zeroed: bool,
    ) -> Result<(), Stop> {
        let content = if zeroed {
            Content::Zero
        } else {
            Content::UNINITIALISED
        };
        let argument = |index: usize| -> Result<u64, Stop> {
            match call.arguments.get(index) {
                Some((value, _)) => match self.known(value.clone())? {
                    Value::Integer(number) => Ok(number as u64),
                    _ => Err(Limit::Function(call.function.name).into()),
                },
                None => Err(Limit::Function(call.function.name).into()),
            }
        };
        let size = match library::allocated_bytes(call.function.name.as_str()) {
            Asked::Argument(index) => Some(argument(index)?),
            Asked::Product(left, right) => {
                let product = argument(left)?.checked_mul(argument(right)?);
                Some(product.ok_or(Fault::OutOfMemory)?)
            }
            Asked::NotSaid => None,
        };
        let place = self.model_place(state, call, result)?;
        let address = match size {
            Some(size) => state.memory.allocate(thread + 1, size, content)?,
            None => state.memory.allocate_elastic(thread + 1, content)?,
        };
        let value = Value::Integer(i128::from(address));
        match place {
            Some((place, ty)) => {
                let place = Address {
                    first: place,
                    bits: None,
                };
                self.store(state, place, &value, &ty)?;
                self.next_effect(state, thread, None);
            }
            None => self.next_effect(state, thread, Some(value)),
        }
        Ok(())
    }
}
