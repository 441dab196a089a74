//! What library functions do, one effect of their model at a time.

use super::image::Machine;
use super::library::{self, RECURSIVE_KIND};
use super::memory::Content;
use super::model_values::such_that;
use super::state::{Activation, Barrier, End, Lock, ModelCall, Phase, Source, State};
use super::stop::{Limit, Stop};
use super::value::{Closed, Value};
use crate::models::{Action, Effect, FunctionModel, LockKind, Mode, Returns, When};

impl Machine<'_> {
    /// The call that the thread is in, with its model.
    pub(super) fn model_call<'s>(
        &self,
        state: &'s State,
        thread: usize,
    ) -> Result<(&'s ModelCall, &FunctionModel), Stop> {
        let Some(Activation::Model(call)) = state.threads[thread].stack.last() else {
            return Err(Limit::Unsupported("a thread that has ended").into());
        };
        let model = self.models.lookup(call.function.name.as_str());
        let model = model.ok_or(Stop::Limit(Limit::Function(call.function.name)))?;
        Ok((call, model))
    }

    pub(super) fn effect_step(&self, state: &mut State, thread: usize) -> Result<(), Stop> {
        let (call, model) = self.model_call(state, thread)?;
        let call = call.clone();
        if self.at_once_step(state, thread, &call)? {
            return Ok(());
        }
        let Some(effect) = model.effects.get(call.effect as usize) else {
            return self.finish_model(state, thread, &call, model);
        };
        let happens = self.happens(&call, effect.when)?;
        if happens == Some(false) {
            self.next_effect(state, thread, None);
            return Ok(());
        }
        // Calls are taken to succeed; those that try, fail where they have to.
        let success = match effect.when {
            When::Result(test) if happens.is_none() => {
                Some(such_that(test, true, model.library.as_str()))
            }
            _ => None,
        };
        self.act(state, thread, &call, model, effect, success)
    }

    fn act(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        model: &FunctionModel,
        effect: &Effect,
        success: Option<Value>,
    ) -> Result<(), Stop> {
        let unsupported = || -> Stop { Limit::Function(call.function.name).into() };
        match &effect.action {
            Action::Acquire {
                lock,
                mode,
                kind,
                recursive,
                blocking,
            } => {
                let keeps_out = keeps_threads_out(*kind);
                let address = self.lock_address(state, call, lock)?;
                if !keeps_out || address == 0 {
                    self.next_effect(state, thread, success);
                    return Ok(());
                }
                if *kind == LockKind::Semaphore && !state.locks.contains_key(&address) {
                    return Err(unsupported());
                }
                let is_recursive =
                    *recursive || self.is_recursive_mutex(state, call, lock, address);
                let entry = state.locks.entry(address).or_insert_with(|| match kind {
                    LockKind::Sequence => Lock::with_sequence(),
                    _ => Lock::new(is_recursive, None),
                });
                if entry.is_free_for(thread, *mode, *recursive) {
                    entry.take(thread, *mode);
                    // A reader beside writers is told how much was written so far.
                    let read_from = entry.sequence.filter(|_| *mode == Mode::Shared);
                    let read_from = read_from.map(|number| Value::Integer(i128::from(number)));
                    self.next_effect(state, thread, read_from.or(success));
                } else if !*blocking && let When::Result(test) = effect.when {
                    let refused = such_that(test, false, model.library.as_str());
                    self.next_effect(state, thread, Some(refused));
                } else {
                    return Err(unsupported());
                }
            }
            Action::Release { lock } => {
                let address = self.lock_address(state, call, lock)?;
                if let Some(start) = library::retried_from(call.function.name.as_str()) {
                    let start = self.argument(call, start)? as u32;
                    let lock = state.locks.get_mut(&address);
                    let again = lock.and_then(|lock| lock.must_retry(thread, start));
                    let again = i128::from(again.ok_or_else(unsupported)?);
                    self.next_effect(state, thread, Some(Value::Integer(again)));
                    return Ok(());
                }
                let is_given_back = match state.locks.get_mut(&address) {
                    Some(entry) => entry.give_back(thread),
                    // Only a semaphore must have been made before.
                    None => !model.posts(lock),
                };
                if !is_given_back {
                    return Err(unsupported());
                }
                self.next_effect(state, thread, success);
            }
            Action::InitialiseLock {
                lock,
                kind,
                recursive,
                count,
            } => {
                let address = self.lock_address(state, call, lock)?;
                let count = match (kind, count) {
                    (LockKind::Semaphore, Some(count))
                        if library::has_counting_semaphores(model.library.as_str()) =>
                    {
                        match self.known(self.model_value(state, call, count)?.0)? {
                            Value::Integer(count) => Some(count as i64),
                            _ => return Err(unsupported()),
                        }
                    }
                    (LockKind::Semaphore, _) => return Err(unsupported()),
                    _ => None,
                };
                let attribute = match call.arguments.get(1) {
                    Some((Value::Integer(attribute), _)) => Some(*attribute as u64),
                    _ => None,
                };
                let recursive = match library::kind_of_new_lock(call.function.name.as_str()) {
                    Some(argument) => {
                        let (kind, _) = call.arguments.get(argument).ok_or_else(unsupported)?;
                        match self.known(kind.clone())? {
                            Value::Integer(kind) => kind & RECURSIVE_KIND != 0,
                            _ => return Err(unsupported()),
                        }
                    }
                    None => {
                        let is_said = |at| state.recursive_attributes.contains(&at);
                        *recursive || attribute.is_some_and(is_said)
                    }
                };
                let made = match kind {
                    LockKind::Sequence => Lock::with_sequence(),
                    _ => Lock::new(recursive, count),
                };
                state.locks.insert(address, made);
                self.next_effect(state, thread, success);
            }
            Action::DestroyLock { lock } => {
                let address = self.lock_address(state, call, lock)?;
                let is_held = |lock: &Lock| lock.count.is_none() && !lock.holders.is_empty();
                if state.locks.get(&address).is_some_and(is_held) {
                    return Err(unsupported());
                }
                state.locks.remove(&address);
                self.next_effect(state, thread, success);
            }
            Action::Wait { lock, mode, on } => {
                self.wait(state, thread, call, (lock, *mode, on.as_ref()), success)?;
            }
            Action::Start { .. } => self.start_thread(state, thread, call, effect, success)?,
            Action::Join { handle, entry } => {
                let Some(joined) = self.joined(state, call, handle.as_ref(), entry.as_ref())?
                else {
                    return Err(unsupported());
                };
                // What `write` says of the place for the thread's result is done here, where it is known.
                if let [one] = joined.as_slice() {
                    let result = state.threads[*one].result.clone();
                    let result = result.unwrap_or(Value::closed(Closed::Uninitialised));
                    self.pass_result(state, call, model, &result)?;
                }
                self.next_effect(state, thread, success);
            }
            Action::Detach { .. } => self.next_effect(state, thread, success),
            Action::EndThread => {
                let result = call.arguments.first().map(|(value, _)| value.clone());
                self.end_thread(state, thread, result);
            }
            Action::Once {
                control,
                entry,
                arguments,
            } => self.once(state, thread, call, control, (entry, arguments), success)?,
            Action::Call { .. } => self.call_back_many(state, thread, call)?,
            Action::Read { .. } => self.next_effect(state, thread, success),
            Action::Write { pointer, .. } => {
                self.fill(state, call, model, effect, pointer)?;
                self.next_effect(state, thread, success);
            }
            Action::Copy { to, from, size } => {
                let (to, from_address) = (
                    self.model_address(state, call, to)?,
                    self.model_address(state, call, from)?,
                );
                if to != 0 && from_address != 0 {
                    let bytes = match self.model_size(state, call, size, from)? {
                        Some(bytes) => bytes,
                        // As much as both objects have: `realloc`.
                        None => {
                            let room = state.memory.extent(to)?.1;
                            state.memory.extent(from_address)?.1.min(room)
                        }
                    };
                    let image = state.memory.read(from_address, bytes)?;
                    state.memory.write(to, &image)?;
                }
                self.next_effect(state, thread, success);
            }
            Action::Allocate { result, zeroed } => {
                self.allocate(state, thread, call, result, *zeroed)?;
            }
            Action::Free { pointer } => {
                let address = self.model_address(state, call, pointer)?;
                if address != 0 {
                    state.memory.free(address)?;
                }
                self.next_effect(state, thread, success);
            }
            Action::Atomic(atomic) => {
                let result = self.atomic(state, call, atomic)?;
                self.next_effect(state, thread, result.or(success));
            }
            Action::Post { object } => {
                let is_semaphore = model.effects.iter().any(
                    |other| matches!(&other.action, Action::Release { lock } if lock == object),
                );
                if !is_semaphore && model.barrier() != Some(object) {
                    let address = self.lock_address(state, call, object)?;
                    self.post(state, address);
                }
                self.next_effect(state, thread, success);
            }
            Action::InitialiseSignal { object, count } => {
                let address = self.lock_address(state, call, object)?;
                let posted = match count {
                    Some(count) => match self.known(self.model_value(state, call, count)?.0)? {
                        Value::Integer(count) => count > 0,
                        _ => return Err(unsupported()),
                    },
                    None => false,
                };
                state.signals.insert(address, posted);
                self.next_effect(state, thread, success);
            }
            Action::WaitFor { object } => {
                let is_semaphore = model.effects.iter().any(
                    |other| matches!(&other.action, Action::Acquire { lock, .. } if lock == object),
                );
                if is_semaphore {
                    self.next_effect(state, thread, success);
                    return Ok(());
                }
                let address = self.lock_address(state, call, object)?;
                if model.barrier() == Some(object) {
                    return self.meet(state, thread, call, address);
                }
                match state.signals.get_mut(&address) {
                    Some(posted) if *posted => *posted = false,
                    _ => return Err(unsupported()),
                }
                self.next_effect(state, thread, success);
            }
            Action::Body => {
                if call.phase == Phase::Calling {
                    self.next_effect(state, thread, call.result.clone());
                    return Ok(());
                }
                let values = call.arguments.iter().map(|(value, _)| value.clone());
                let values = values.collect();
                self.call_back(state, thread, call.function, values)?;
            }
        }
        Ok(())
    }

    /// Goes on to the next effect, perhaps with a result.
    pub(super) fn next_effect(&self, state: &mut State, thread: usize, result: Option<Value>) {
        if let Some(Activation::Model(call)) = state.thread_mut(thread).stack.last_mut() {
            call.effect += 1;
            call.phase = Phase::Beginning;
            if result.is_some() {
                call.result = result;
            }
        }
    }

    pub(super) fn set_phase(&self, state: &mut State, thread: usize, phase: Phase) {
        if let Some(Activation::Model(call)) = state.thread_mut(thread).stack.last_mut() {
            call.phase = phase;
        }
    }

    /// Runs a function of the program as part of an effect.
    pub(super) fn call_back(
        &self,
        state: &mut State,
        thread: usize,
        function: crate::ir::FunctionRef,
        values: Vec<Value>,
    ) -> Result<(), Stop> {
        let number = self.body_number(function)?;
        let frame = self.enter(state, thread, number, values)?;
        self.set_phase(state, thread, Phase::Calling);
        state
            .thread_mut(thread)
            .stack
            .push(Activation::Frame(frame));
        Ok(())
    }

    fn finish_model(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        model: &FunctionModel,
    ) -> Result<(), Stop> {
        if model.noreturn {
            self.end(state, End::Exit);
            return Ok(());
        }
        let name = call.function.name.as_str();
        let result = match (&call.result, self.computed_result(thread, call)?) {
            (_, Some(computed)) => computed,
            (Some(result), None) => result.clone(),
            (None, None) => match &model.returns {
                Returns::Value(value) => self.model_value(state, call, value)?.0,
                Returns::Zero => Value::ZERO,
                Returns::Fresh => {
                    let address = state
                        .memory
                        .allocate_elastic(thread + 1, Content::UNINITIALISED)?;
                    Value::Integer(i128::from(address))
                }
                Returns::Unknown if library::succeeds_with_zero(model.library.as_str(), name) => {
                    Value::ZERO
                }
                Returns::Unknown if library::is_outside(name) => {
                    let source = Source::Function(call.function.name);
                    self.outside_value(state, thread, source, &call.result_ty)
                }
                Returns::Unknown => Value::closed(Closed::Library(call.function.name)),
            },
        };
        self.remember(state, call)?;
        state.thread_mut(thread).stack.pop();
        self.finish_call(state, thread, result);
        Ok(())
    }

    /// What models have no word for: the number of threads at a barrier, and recursive mutexes.
    fn remember(&self, state: &mut State, call: &ModelCall) -> Result<(), Stop> {
        let name = call.function.name.as_str();
        let argument = |index: usize| -> Result<i128, Stop> {
            match call.arguments.get(index) {
                Some((value, _)) => match self.known(value.clone())? {
                    Value::Integer(number) => Ok(number),
                    _ => Err(Limit::Function(call.function.name).into()),
                },
                None => Err(Limit::Function(call.function.name).into()),
            }
        };
        if let Some(parties) = library::barrier_parties(name) {
            let parties = argument(parties)? as u64;
            let address = argument(0)? as u64;
            let arrived = 0;
            state.barriers.insert(address, Barrier { parties, arrived });
        }
        if library::sets_mutex_kind(name) {
            let attribute = argument(0)? as u64;
            match argument(1)? {
                RECURSIVE_KIND => state.recursive_attributes.insert(attribute),
                _ => state.recursive_attributes.remove(&attribute),
            };
        }
        Ok(())
    }
}

/// Whether such a lock keeps other threads from going on.
pub(super) fn keeps_threads_out(kind: LockKind) -> bool {
    match kind {
        LockKind::Mutex
        | LockKind::Spin
        | LockKind::ReadWrite
        | LockKind::Semaphore
        | LockKind::Global
        // A reader waits for a writer before it begins.
        | LockKind::Sequence
        // Whoever waits for readers is kept out by those that have begun. In truth further ones may begin meanwhile, which
        // is an interleaving less, and none too many.
        | LockKind::Rcu => true,
        // Handlers are not run.
        LockKind::Interrupts => false,
    }
}
