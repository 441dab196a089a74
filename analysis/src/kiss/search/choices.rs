//! Tries every choice of a program with one thread, such as KISS makes of one with several.

use crate::kiss::machine::stop::{Fault, Limit, Stop};
use crate::kiss::machine::value::OpenValue;
use crate::kiss::machine::{Machine, Next, Source, State};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How far all choices are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChoiceBounds {
    /// States behind a choice that are looked at.
    pub states: usize,
    /// Steps between two choices.
    pub steps: u32,
}

/// What came of trying.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    pub states: usize,
    /// Every choice was tried, and every path followed to its end.
    pub complete: bool,
    pub limits: BTreeSet<Limit>,
    pub faults: BTreeSet<Fault>,
}

/// Follows every path from the program's beginning, and shows each state in which one has failed. Two paths that come to
/// the same state go on as one.
pub fn try_all_choices(
    machine: &Machine<'_>,
    bounds: ChoiceBounds,
    failed: &mut dyn FnMut(&State),
) -> Tried {
    let mut tried = Tried {
        complete: true,
        ..Tried::default()
    };
    let mut work = Vec::new();
    match machine.start() {
        Ok(state) => work.push(state),
        Err(stop) => tried.note(&stop),
    }
    let mut seen: FxHashSet<u128> = FxHashSet::default();
    while let Some(mut state) = work.pop() {
        let open = match run(machine, &mut state, bounds.steps) {
            Ok(()) => {
                if machine.failed(&state).is_some() {
                    failed(&state);
                }
                continue;
            }
            Err(Stop::Choose(open)) => open,
            Err(stop) => {
                tried.note(&stop);
                continue;
            }
        };
        for next in with_each_value(machine, &state, open, &mut tried) {
            if seen.insert(next.fingerprint()) {
                work.push(next);
            }
        }
        if seen.len() > bounds.states {
            tried.complete = false;
            break;
        }
    }
    tried.states = seen.len();
    tried
}

/// Runs to the program's end, or to where it cannot go on without a choice.
fn run(machine: &Machine<'_>, state: &mut State, steps: u32) -> Result<(), Stop> {
    for _ in 0..steps {
        if machine.runs_on(state, 0) {
            machine.step(state, 0)?;
            continue;
        }
        match machine.next(state, 0)? {
            Next::Finished => return Ok(()),
            Next::Blocked => {
                return Err(Limit::Unsupported("a thread that waits for itself").into());
            }
            Next::Step { .. } => machine.step(state, 0)?,
        }
    }
    Err(Limit::Steps.into())
}

fn with_each_value(
    machine: &Machine<'_>,
    state: &State,
    open: OpenValue,
    tried: &mut Tried,
) -> Vec<State> {
    let is_choice =
        |opened: &crate::kiss::machine::Opened| matches!(opened.source, Source::Choice(_));
    tried.complete &= state.open.get(&open).is_some_and(is_choice);
    let (values, _) = machine.candidates(state, open, &[], usize::MAX);
    let mut states = Vec::new();
    for chosen in values {
        let mut next = state.clone();
        match machine.choose(&mut next, open, chosen) {
            Ok(()) => {
                // How many choices were made on the way does not tell two states apart.
                if next.open.is_empty() {
                    next.thread_mut(0).opened = 0;
                }
                states.push(next);
            }
            Err(stop) => tried.note(&stop),
        }
    }
    states
}

impl Tried {
    fn note(&mut self, stop: &Stop) {
        self.complete = false;
        match stop {
            Stop::Limit(limit) => {
                self.limits.insert(*limit);
            }
            Stop::Fault(fault) => {
                self.faults.insert(*fault);
            }
            Stop::Choose(_) => {}
        }
    }
}
