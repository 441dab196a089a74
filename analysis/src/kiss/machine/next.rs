//! What a thread would do next, without doing it.

use super::effects::keeps_threads_out;
use super::image::Machine;
use super::library;
use super::model_values::library_object;
use super::state::{Activation, End, Lock, ModelCall, Once, Phase, State};
use super::stop::Stop;
use crate::ir::{AccessMode, Callee, Statement, StatementId, Terminator};
use crate::models::{Action, AtomicOperation, FunctionModel, Mode, Root};

/// The next step of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// There is none.
    Finished,
    /// It waits for another thread.
    Blocked,
    Step {
        /// Whether another thread could notice it.
        visible: bool,
        accesses: Vec<Access>,
    },
}

/// Bytes that a step touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub address: u64,
    pub size: u64,
    pub writes: bool,
    pub atomic: bool,
}

impl Access {
    /// Whether both at once are a data race.
    pub fn conflicts(&self, other: &Access) -> bool {
        let overlap =
            self.address < other.address + other.size && other.address < self.address + self.size;
        overlap && (self.writes || other.writes) && !(self.atomic && other.atomic)
    }
}

impl Next {
    const LOCAL: Next = Next::Step {
        visible: false,
        accesses: Vec::new(),
    };
    const VISIBLE: Next = Next::Step {
        visible: true,
        accesses: Vec::new(),
    };

    pub fn accesses(&self) -> &[Access] {
        match self {
            Next::Step { accesses, .. } => accesses,
            Next::Finished | Next::Blocked => &[],
        }
    }
}

impl Machine<'_> {
    pub fn next(&self, state: &State, thread: usize) -> Result<Next, Stop> {
        if state.end.is_some() {
            return Ok(Next::Finished);
        }
        match state.threads[thread].stack.last() {
            None => Ok(Next::Finished),
            Some(Activation::Model(call)) => {
                let (_, model) = self.model_call(state, thread)?;
                self.next_effect_of(state, thread, call, model)
            }
            Some(Activation::Frame(frame)) => {
                let body = self.body(frame.body);
                let block = &body.blocks[frame.block as usize];
                let Some(statement) = block.statements.get(frame.index as usize) else {
                    let ends_all = thread == 0
                        && state.threads[0].stack.len() == 1
                        && matches!(block.terminator, Terminator::Return(_));
                    return Ok(if ends_all { Next::VISIBLE } else { Next::LOCAL });
                };
                let id = StatementId {
                    block: crate::ir::BlockId(frame.block),
                    index: frame.index,
                };
                self.next_statement(state, thread, statement, (body.function, id))
            }
        }
    }

    /// Whether the thread stands at a statement of its own, which nothing keeps it from.
    pub fn runs_on(&self, state: &State, thread: usize) -> bool {
        let top = state.threads[thread].stack.last();
        state.end.is_none() && matches!(top, Some(Activation::Frame(_)))
    }

    /// Whether two threads that stand before these accesses race.
    pub fn races(&self, state: &State, one: (usize, &[Access]), other: (usize, &[Access])) -> bool {
        let (first, second) = (one.0, other.0);
        let race = |left: &Access, right: &Access| {
            left.conflicts(right)
                && !is_retried(state, first, left, second)
                && !is_retried(state, second, right, first)
        };
        let mut left = one.1.iter();
        left.any(|left| other.1.iter().any(|right| race(left, right)))
    }

    fn next_statement(
        &self,
        state: &State,
        thread: usize,
        statement: &Statement,
        (function, id): (crate::ir::FunctionRef, StatementId),
    ) -> Result<Next, Stop> {
        let frame = self.frame(state, thread)?;
        let (place, ty, writes, atomic) = match statement {
            Statement::Load {
                place, ty, mode, ..
            } => (place, ty, false, *mode == AccessMode::Atomic),
            Statement::Store {
                place, ty, mode, ..
            } => (place, ty, true, *mode == AccessMode::Atomic),
            Statement::Update { place, ty, .. } => (place, ty, true, true),
            Statement::Call {
                callee: Callee::Direct(function),
                ..
            } if library::is_assertion_failure(function.name.as_str()) => {
                return Ok(Next::VISIBLE);
            }
            Statement::Assign { .. } | Statement::Call { .. } | Statement::Assembly { .. } => {
                return Ok(Next::LOCAL);
            }
        };
        let visible = atomic || self.is_point(function, id);
        if !visible {
            return Ok(Next::LOCAL);
        }
        let address = self.address(state, thread, frame, place)?;
        let (address, size) = self.touched(address, ty)?;
        state.memory.check(address, size)?;
        Ok(Next::Step {
            visible,
            accesses: vec![Access {
                address,
                size,
                writes,
                atomic,
            }],
        })
    }

    fn next_effect_of(
        &self,
        state: &State,
        thread: usize,
        call: &ModelCall,
        model: &FunctionModel,
    ) -> Result<Next, Stop> {
        if let Some(next) = self.next_at_once(state, thread, call)? {
            return Ok(next);
        }
        let Some(effect) = model.effects.get(call.effect as usize) else {
            return Ok(if model.noreturn {
                Next::VISIBLE
            } else {
                Next::LOCAL
            });
        };
        if self.happens(call, effect.when)? == Some(false) {
            return Ok(Next::LOCAL);
        }
        let blocked_if = |blocked: bool| {
            Ok(if blocked {
                Next::Blocked
            } else {
                Next::VISIBLE
            })
        };
        match &effect.action {
            Action::Acquire {
                lock,
                mode,
                kind,
                recursive,
                blocking,
            } => {
                if !keeps_threads_out(*kind) {
                    return Ok(Next::LOCAL);
                }
                let address = self.lock_address(state, call, lock)?;
                let is_free =
                    |lock: &Lock| lock.is_free_for(thread, *mode, *recursive) || !*blocking;
                blocked_if(!state.locks.get(&address).is_none_or(is_free))
            }
            Action::Wait { lock, mode, .. } => match call.phase {
                Phase::Asleep(_) if library::timed_out(call.function.name.as_str()).is_none() => {
                    Ok(Next::Blocked)
                }
                Phase::Asleep(_) | Phase::Woken => {
                    let address = self.lock_address(state, call, lock)?;
                    let is_free = |lock: &Lock| lock.is_free_for(thread, *mode, false);
                    blocked_if(!state.locks.get(&address).is_none_or(is_free))
                }
                Phase::Beginning | Phase::Calling => Ok(Next::VISIBLE),
            },
            Action::WaitFor { object } => {
                let is_semaphore = model.effects.iter().any(
                    |other| matches!(&other.action, Action::Acquire { lock, .. } if lock == object),
                );
                if is_semaphore {
                    return Ok(Next::LOCAL);
                }
                match call.phase {
                    Phase::Asleep(_) => Ok(Next::Blocked),
                    Phase::Woken => Ok(Next::VISIBLE),
                    _ if model.barrier() == Some(object) => Ok(Next::VISIBLE),
                    _ => {
                        let address = self.lock_address(state, call, object)?;
                        blocked_if(state.signals.get(&address) == Some(&false))
                    }
                }
            }
            Action::Join { handle, entry } => {
                match self.joined(state, call, handle.as_ref(), entry.as_ref())? {
                    Some(threads) => {
                        let runs = |thread: &usize| !state.threads[*thread].is_finished();
                        blocked_if(threads.iter().any(runs))
                    }
                    None => Ok(Next::VISIBLE),
                }
            }
            Action::Once { control, .. } => {
                let control = self.lock_address(state, call, control)?;
                let by_another = matches!(state.once.get(&control), Some(Once::RunBy(other)) if *other != thread);
                blocked_if(by_another)
            }
            Action::Atomic(_)
            | Action::Read { .. }
            | Action::Write { .. }
            | Action::Copy { .. }
            | Action::Free { .. } => self.next_access_of(state, thread, call, &effect.action),
            Action::Body
            | Action::Allocate { .. }
            | Action::Detach { .. }
            | Action::Call { .. } => Ok(Next::LOCAL),
            Action::Release { .. }
            | Action::InitialiseLock { .. }
            | Action::DestroyLock { .. }
            | Action::Start { .. }
            | Action::EndThread
            | Action::Post { .. }
            | Action::InitialiseSignal { .. } => Ok(Next::VISIBLE),
        }
    }

    fn next_access_of(
        &self,
        state: &State,
        thread: usize,
        call: &ModelCall,
        action: &Action,
    ) -> Result<Next, Stop> {
        let position = self.position(state, thread);
        let is_point = position
            .is_some_and(|(body, statement)| self.is_point(self.body(body).function, statement));
        let is_atomic = matches!(action, Action::Atomic(_));
        if !is_point && !is_atomic {
            return Ok(Next::LOCAL);
        }
        let mut accesses = Vec::new();
        let mut add = |address: u64, size: u64, writes: bool, atomic: bool| {
            if address != 0 && size > 0 {
                accesses.push(Access {
                    address,
                    size,
                    writes,
                    atomic,
                });
            }
        };
        match action {
            Action::Atomic(atomic) => {
                if let Some(pointer) = &atomic.pointer {
                    let (address, ty) = self.atomic_object(state, call, pointer)?;
                    let writes = atomic.operation != AtomicOperation::Load;
                    add(address, self.size_of(&ty)?, writes, true);
                }
            }
            Action::Read { pointer, size } | Action::Write { pointer, size, .. } => {
                let writes = matches!(action, Action::Write { .. });
                if matches!(pointer.root, Root::ArgumentsFrom(_)) && !writes {
                    return Ok(Next::LOCAL);
                }
                let address = self.model_address(state, call, pointer)?;
                if matches!(pointer.root, Root::Global(_)) {
                    add(address, 1, writes, false);
                } else if address != 0
                    && let Some(bytes) = self.model_size(state, call, size, pointer)?
                {
                    add(address, bytes, writes, false);
                }
            }
            Action::Copy { to, from, size } => {
                let source = self.model_address(state, call, from)?;
                if source != 0
                    && let Some(bytes) = self.model_size(state, call, size, from)?
                {
                    add(source, bytes, false, false);
                    add(self.model_address(state, call, to)?, bytes, true, false);
                }
            }
            Action::Free { pointer } => {
                let address = self.model_address(state, call, pointer)?;
                if address != 0 {
                    let (first, size) = state.memory.extent(address)?;
                    add(first, size, true, false);
                }
            }
            _ => {}
        }
        Ok(Next::Step {
            visible: true,
            accesses,
        })
    }

    /// Whether another thread runs a section that nobody may interrupt.
    pub fn is_shut_out(&self, state: &State, thread: usize) -> bool {
        let section = library_object("__VERIFIER_atomic");
        let holders = state.locks.get(&section).map(|lock| &lock.holders);
        holders.is_some_and(|holders| holders.iter().any(|holder| holder.thread != thread))
    }

    /// Whether the program came to its end by a violated assertion.
    pub fn failed(&self, state: &State) -> Option<usize> {
        match state.end {
            Some(End::AssertionFailed(thread)) => Some(thread),
            _ => None,
        }
    }
}

/// Whether a thread reads in a section of a sequence lock that the other one holds: it will read again, so that what it
/// makes of the two is no race.
fn is_retried(state: &State, reader: usize, access: &Access, writer: usize) -> bool {
    let holds = |lock: &Lock, thread: usize, mode: Mode| {
        let mut holders = lock.holders.iter();
        holders.any(|holder| holder.thread == thread && holder.mode == mode)
    };
    let is_such = |lock: &Lock| {
        lock.sequence.is_some()
            && holds(lock, reader, Mode::Shared)
            && holds(lock, writer, Mode::Exclusive)
    };
    !access.writes && state.locks.values().any(is_such)
}
