//! Threads that sleep, and what wakes them.

use super::image::Machine;
use super::library;
use super::state::{Activation, ModelCall, Phase, State, Thread};
use super::stop::{Limit, Stop};
use super::value::Value;
use crate::ir::Ty;
use crate::models::{Mode, Root, Value as ModelValue};

impl Machine<'_> {
    /// The object that a lock or signal is known by. It must be alive.
    pub(super) fn lock_address(
        &self,
        state: &State,
        call: &ModelCall,
        lock: &ModelValue,
    ) -> Result<u64, Stop> {
        let address = self.model_address(state, call, lock)?;
        let is_in_memory = !matches!(lock.root, Root::Global(_));
        if is_in_memory && address != 0 {
            state.memory.check(address, 0)?;
        }
        Ok(address)
    }

    /// Whether a mutex that nobody made by a call says of itself that it is recursive, as those of the GNU C library
    /// do in a member.
    pub(super) fn is_recursive_mutex(
        &self,
        state: &State,
        call: &ModelCall,
        lock: &ModelValue,
        address: u64,
    ) -> bool {
        let Ok((_, ty)) = self.model_value(state, call, lock) else {
            return false;
        };
        let mut at = address;
        let mut ty = ty.pointee().cloned();
        for name in ["__data", "__kind"] {
            let record = ty.as_ref().and_then(Ty::record);
            let layout = record.and_then(|record| self.program.layout(record));
            let field = layout.and_then(|layout| {
                let mut fields = layout.fields.iter();
                fields.find(|field| field.name.as_str() == name)
            });
            let Some(field) = field else {
                return false;
            };
            at += field.offset;
            ty = Some(field.ty.clone());
        }
        self.number_at(state, at, 4) == Some(library::RECURSIVE_KIND)
    }

    pub(super) fn wait(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        (lock, mode, on): (&ModelValue, Mode, Option<&ModelValue>),
        success: Option<Value>,
    ) -> Result<(), Stop> {
        let address = self.lock_address(state, call, lock)?;
        match call.phase {
            Phase::Beginning => {
                let Some(on) = on else {
                    return Err(Limit::Function(call.function.name).into());
                };
                let on = self.lock_address(state, call, on)?;
                let given = state.locks.get_mut(&address);
                if !given.is_some_and(|lock| lock.give_back(thread)) {
                    return Err(Limit::Function(call.function.name).into());
                }
                self.set_phase(state, thread, Phase::Asleep(on));
            }
            Phase::Woken => {
                if let Some(lock) = state.locks.get_mut(&address) {
                    lock.take(thread, mode);
                }
                self.next_effect(state, thread, success);
            }
            // Nobody ended the wait, but its time is over.
            Phase::Asleep(_) => {
                let Some(result) = library::timed_out(call.function.name.as_str()) else {
                    return Err(Limit::Function(call.function.name).into());
                };
                if let Some(lock) = state.locks.get_mut(&address) {
                    lock.take(thread, mode);
                }
                self.next_effect(state, thread, Some(Value::Integer(result)));
            }
            Phase::Calling => return Err(Limit::Function(call.function.name).into()),
        }
        Ok(())
    }

    /// Wakes who sleeps on the object. POSIX lets a signal wake more than one.
    pub(super) fn post(&self, state: &mut State, address: u64) {
        let sleeps = |thread: &Thread| matches!(thread.stack.last(), Some(Activation::Model(call)) if call.phase == Phase::Asleep(address));
        for thread in 0..state.threads.len() {
            if sleeps(&state.threads[thread]) {
                self.set_phase(state, thread, Phase::Woken);
            }
        }
        if let Some(posted) = state.signals.get_mut(&address) {
            *posted = true;
        }
    }

    pub(super) fn meet(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        address: u64,
    ) -> Result<(), Stop> {
        if call.phase == Phase::Woken {
            self.next_effect(state, thread, Some(Value::ZERO));
            return Ok(());
        }
        let Some(barrier) = state.barriers.get_mut(&address) else {
            return Err(Limit::Function(call.function.name).into());
        };
        if barrier.arrived + 1 < barrier.parties {
            barrier.arrived += 1;
            self.set_phase(state, thread, Phase::Asleep(address));
            return Ok(());
        }
        barrier.arrived = 0;
        self.post(state, address);
        let last = library::last_at_barrier(call.function.name.as_str());
        self.next_effect(state, thread, Some(Value::Integer(last)));
        Ok(())
    }
}
