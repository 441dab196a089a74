//! Follows an interleaving step by step, and tells what happens on the way.

use crate::ir::{FunctionRef, Statement};
use crate::kiss::machine::stop::Stop;
use crate::kiss::machine::{Activation, Ignored, Machine, Next, Source, State};
use crate::kiss::schedule::{Chosen, Goal, Move, Position, Witness};
use crate::models::{Action, Mode};
use std::collections::BTreeSet;
use std::fmt;

/// What happened on the way to the goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub threads: Vec<ThreadStart>,
    pub events: Vec<Event>,
    /// The two accesses, or the assertion.
    pub ends: Vec<Event>,
    /// Values that nobody knows and that the way depends on.
    pub assumptions: Vec<Assumption>,
    /// What was left out on the way.
    pub ignored: BTreeSet<Ignored>,
    /// Those that something was run of.
    pub functions: BTreeSet<FunctionRef>,
}

/// A thread, and where it was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadStart {
    pub entry: FunctionRef,
    pub started: Option<(usize, Position)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub thread: usize,
    pub at: Position,
    pub happening: Happening,
    /// How many effects of a library function came before it in the same call.
    pub effect: u32,
    /// The locks that the thread holds there.
    pub locks: Vec<HeldLock>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldLock {
    pub name: String,
    pub shared: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happening {
    Reads {
        what: String,
        value: Option<String>,
    },
    Writes {
        what: String,
        value: Option<String>,
    },
    Updates {
        what: String,
        value: Option<String>,
    },
    Locks(String),
    Unlocks(String),
    /// Tries a lock in vain.
    FailsToLock(String),
    Starts(usize),
    Joins(Vec<usize>),
    Waits(String),
    Wakes(String),
    Posts(String),
    CallsOnce(String),
    Frees(String),
    FailsAssertion,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    pub thread: usize,
    pub source: Source,
    /// `None` for a pointer to an object that the program did not know before.
    pub value: Option<i128>,
}

/// Why an interleaving cannot happen as it is told. This is a mistake of whoever made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoesNotReplay(pub String);

impl fmt::Display for DoesNotReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Follows the witness from the program's beginning. The machine must let other threads in everywhere, so that every
/// access is seen. Events at other statements than `shown` are left out, unless they are operations on locks, threads
/// or atomic objects.
pub fn replay(
    machine: &Machine<'_>,
    witness: &Witness,
    shown: &dyn Fn(Position) -> bool,
) -> Result<Trace, DoesNotReplay> {
    let mut state = machine
        .start()
        .map_err(|stop| DoesNotReplay(format!("the program does not start: {stop:?}")))?;
    let mut trace = Trace {
        threads: vec![ThreadStart {
            entry: state.threads[0].entry,
            started: None,
        }],
        events: Vec::new(),
        ends: Vec::new(),
        assumptions: Vec::new(),
        ignored: BTreeSet::new(),
        functions: BTreeSet::new(),
    };
    for (number, next) in witness.moves.iter().enumerate() {
        match *next {
            Move::Choose { open, chosen } => {
                let Some(opened) = state.open.get(&open) else {
                    return fail(number, "a value is chosen that nobody asked for");
                };
                if !matches!(opened.source, Source::Choice(_)) {
                    trace.assumptions.push(Assumption {
                        thread: open.thread as usize,
                        source: opened.source,
                        value: match chosen {
                            Chosen::Number(number) => Some(number),
                            Chosen::NewObject => None,
                        },
                    });
                }
                if let Err(stop) = machine.choose(&mut state, open, chosen) {
                    return fail(number, &format!("a value cannot be chosen: {stop:?}"));
                }
            }
            Move::Run { thread, steps } => {
                for _ in 0..steps {
                    one_step(machine, &mut state, thread, shown, &mut trace)
                        .map_err(|error| DoesNotReplay(format!("move {number}: {error}")))?;
                }
            }
        }
    }
    finish(machine, &state, witness, &mut trace)?;
    trace.ignored = BTreeSet::clone(&state.ignored);
    Ok(trace)
}

fn fail<T>(number: usize, message: &str) -> Result<T, DoesNotReplay> {
    Err(DoesNotReplay(format!("move {number}: {message}")))
}

fn one_step(
    machine: &Machine<'_>,
    state: &mut State,
    thread: usize,
    shown: &dyn Fn(Position) -> bool,
    trace: &mut Trace,
) -> Result<(), String> {
    if thread >= state.threads.len() {
        return Err(format!("there is no thread {thread}"));
    }
    if machine.is_shut_out(state, thread) {
        // Others may do what nobody notices while a section runs that must not be interrupted.
        let next = machine.next(state, thread);
        let is_silent = next.is_ok_and(|next| next.accesses().is_empty());
        if !is_silent {
            return Err(format!("thread {thread} interrupts an atomic section"));
        }
    }
    match machine.next(state, thread) {
        Ok(Next::Step { .. }) => {}
        Ok(Next::Blocked) => return Err(format!("thread {thread} is blocked")),
        Ok(Next::Finished) => return Err(format!("thread {thread} has ended")),
        Err(stop) => return Err(describe_stop(thread, &stop)),
    }
    note_function(machine, state, thread, trace);
    let before = state.clone();
    machine
        .step(state, thread)
        .map_err(|stop| describe_stop(thread, &stop))?;
    if let Some(event) = event(machine, &before, state, thread, shown) {
        if let Happening::Starts(_) = event.happening {
            trace.threads.push(ThreadStart {
                entry: state.threads[state.threads.len() - 1].entry,
                started: Some((thread, event.at)),
            });
        }
        trace.events.push(event);
    }
    Ok(())
}

/// The function that a thread is in, below the library functions that it calls.
fn note_function(machine: &Machine<'_>, state: &State, thread: usize, trace: &mut Trace) {
    let frame = state.threads.get(thread).and_then(|thread| thread.frame());
    if let Some(frame) = frame {
        trace.functions.insert(machine.body(frame.body).function);
    }
}

fn describe_stop(thread: usize, stop: &Stop) -> String {
    format!("thread {thread} cannot go on: {stop:?}")
}

/// Checks that the goal is reached, with nothing but the state.
fn finish(
    machine: &Machine<'_>,
    state: &State,
    witness: &Witness,
    trace: &mut Trace,
) -> Result<(), DoesNotReplay> {
    let everything = |_: Position| true;
    match witness.goal {
        Goal::Race { first, second } => {
            let mut accesses = Vec::new();
            for (thread, position) in [first, second] {
                if thread >= state.threads.len() || state.end.is_some() {
                    return Err(DoesNotReplay(format!("thread {thread} does not run")));
                }
                trace.functions.insert(position.function);
                let at = self::position(machine, state, thread);
                if at != Some(position) {
                    return Err(DoesNotReplay(format!(
                        "thread {thread} is not where it should be"
                    )));
                }
                match machine.next(state, thread) {
                    Ok(Next::Step { accesses: next, .. }) => accesses.push(next),
                    _ => {
                        return Err(DoesNotReplay(format!("thread {thread} cannot go on")));
                    }
                }
                // What the access would do shows which value is at stake.
                let mut after = state.clone();
                if machine.step(&mut after, thread).is_ok()
                    && let Some(event) = event(machine, state, &after, thread, &everything)
                {
                    trace.ends.push(event);
                }
            }
            let (one, other) = ((first.0, &*accesses[0]), (second.0, &*accesses[1]));
            if first.0 == second.0 || !machine.races(state, one, other) {
                return Err(DoesNotReplay("the accesses are no race".to_owned()));
            }
        }
        Goal::Assertion { thread, at } => {
            if machine.failed(state) != Some(thread) || position(machine, state, thread) != Some(at)
            {
                return Err(DoesNotReplay("no assertion is violated".to_owned()));
            }
            trace.ends.push(Event {
                thread,
                at,
                happening: Happening::FailsAssertion,
                effect: 0,
                locks: held(machine, state, thread),
            });
        }
    }
    Ok(())
}

pub(super) fn position(machine: &Machine<'_>, state: &State, thread: usize) -> Option<Position> {
    let (body, statement) = machine.position(state, thread)?;
    Some(Position {
        function: machine.body(body).function,
        statement,
    })
}

fn held(machine: &Machine<'_>, state: &State, thread: usize) -> Vec<HeldLock> {
    let mut locks = Vec::new();
    for (address, lock) in &state.locks {
        // Who took a semaphore need not be who gives it back.
        if lock.count.is_some() {
            continue;
        }
        for holder in &lock.holders {
            if holder.thread == thread {
                locks.push(HeldLock {
                    name: machine.describe_address(state, *address, u64::MAX),
                    shared: holder.mode == Mode::Shared,
                });
            }
        }
    }
    locks
}

/// What a step was, if it is one to tell.
fn event(
    machine: &Machine<'_>,
    before: &State,
    after: &State,
    thread: usize,
    shown: &dyn Fn(Position) -> bool,
) -> Option<Event> {
    let at = position(machine, before, thread)?;
    let happening = match before.threads[thread].stack.last()? {
        Activation::Frame(frame) => {
            let body = machine.body(frame.body);
            let block = &body.blocks[frame.block as usize];
            let statement = block.statements.get(frame.index as usize)?;
            let accesses = machine.next(before, thread).ok()?;
            let access = *accesses.accesses().first()?;
            if !shown(at) && !access.atomic {
                return None;
            }
            let what = machine.describe_address(before, access.address, access.size);
            match statement {
                Statement::Load { target, .. } => {
                    let frame = after.threads[thread].frame()?;
                    let value = &frame.registers[target.0 as usize];
                    let value = machine.describe_value(after, value);
                    Happening::Reads { what, value }
                }
                Statement::Store {
                    place: _, value, ..
                } => {
                    let value = machine.value_of(before, thread, value);
                    let value = value.and_then(|value| machine.describe_value(before, &value));
                    Happening::Writes { what, value }
                }
                Statement::Update { .. } => {
                    let value = machine.number_at(after, access.address, access.size);
                    let value = value.map(|value| value.to_string());
                    Happening::Updates { what, value }
                }
                _ => return None,
            }
        }
        Activation::Model(_) => effect_event(machine, before, after, thread, at, shown)?,
    };
    let locks = held(machine, before, thread);
    let effect = match before.threads[thread].stack.last()? {
        Activation::Model(call) => call.effect,
        Activation::Frame(_) => 0,
    };
    Some(Event {
        thread,
        at,
        happening,
        effect,
        locks,
    })
}

fn effect_event(
    machine: &Machine<'_>,
    before: &State,
    after: &State,
    thread: usize,
    at: Position,
    shown: &dyn Fn(Position) -> bool,
) -> Option<Happening> {
    let (action, address) = machine.effect_at(before, thread)?;
    let name = |address: Option<u64>| {
        address.map_or_else(
            || "an object of the library".to_owned(),
            |address| machine.describe_address(before, address, u64::MAX),
        )
    };
    let count = |state: &State, address: u64| {
        let lock = state.locks.get(&address)?;
        let mine = lock.holders.iter().filter(|holder| holder.thread == thread);
        Some(mine.map(|holder| holder.times).sum::<u32>())
    };
    Some(match action {
        Action::Acquire { .. } => {
            let address = address?;
            let times = count(after, address).unwrap_or(0);
            if times > count(before, address).unwrap_or(0) {
                Happening::Locks(name(Some(address)))
            } else {
                Happening::FailsToLock(name(Some(address)))
            }
        }
        Action::Release { .. } => Happening::Unlocks(name(address)),
        Action::Start { .. } if after.threads.len() > before.threads.len() => {
            Happening::Starts(after.threads.len() - 1)
        }
        Action::Join { handle, entry } => {
            let joined = machine.joined_threads(before, thread, handle.as_ref(), entry.as_ref());
            Happening::Joins(joined.unwrap_or_default())
        }
        Action::Wait { .. } => match before.threads[thread].stack.last()? {
            Activation::Model(call) if call.phase == crate::kiss::machine::Phase::Woken => {
                Happening::Wakes(name(address))
            }
            _ => Happening::Waits(name(address)),
        },
        Action::WaitFor { .. } => Happening::Waits(name(address)),
        Action::Post { .. } => Happening::Posts(name(address)),
        Action::Once { .. } => Happening::CallsOnce(name(address)),
        Action::Atomic(_)
        | Action::Read { .. }
        | Action::Write { .. }
        | Action::Copy { .. }
        | Action::Allocate { .. } => {
            let next = machine.next(before, thread).ok()?;
            let access = next.accesses().iter().max_by_key(|access| access.writes)?;
            if !access.atomic && !shown(at) {
                return None;
            }
            let what = machine.describe_address(before, access.address, access.size);
            let value = machine.number_at(after, access.address, access.size);
            let value = value.map(|value| value.to_string());
            match (access.atomic, access.writes) {
                (true, true) => Happening::Updates { what, value },
                (_, true) => Happening::Writes { what, value },
                (_, false) => Happening::Reads { what, value },
            }
        }
        Action::Free { .. } if shown(at) => Happening::Frees(name(address)),
        _ => return None,
    })
}
