//! Tries every interleaving of a small program, one statement at a time, and remembers every state; or every one of
//! those in which threads take turns in a certain way.

use super::replay::position;
use super::turns::Turns;
use crate::kiss::machine::stop::Stop;
use crate::kiss::machine::{Machine, Next, State};
use crate::kiss::schedule::Position;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Everything that can happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Everything {
    /// Pairs of statements that race, the smaller one first.
    pub races: BTreeSet<(Position, Position)>,
    pub failed_assertions: BTreeSet<Position>,
    pub states: usize,
    /// Whether all states were seen, and none was cut short.
    pub complete: bool,
}

/// Visits every state that can be reached where threads take such turns, up to so many. The machine must let other
/// threads in everywhere.
pub fn explore(machine: &Machine<'_>, turns: &Turns, most_states: usize) -> Everything {
    let mut everything = Everything {
        complete: true,
        ..Everything::default()
    };
    let Ok(start) = machine.start() else {
        everything.complete = false;
        return everything;
    };
    let mut seen = FxHashSet::default();
    let mut work = vec![(start, turns.clone())];
    while let Some((state, turns)) = work.pop() {
        if !seen.insert((state.fingerprint(), turns.clone())) {
            continue;
        }
        if seen.len() > most_states {
            everything.complete = false;
            break;
        }
        everything.races.extend(races(machine, &state));
        if let Some(thread) = machine.failed(&state) {
            everything
                .failed_assertions
                .extend(position(machine, &state, thread));
        }
        for (thread, turns) in turns.next(state.threads.len()) {
            match after(machine, &state, thread) {
                Ok(Some(next)) => work.push((next, turns)),
                Ok(None) => {}
                Err(choices) => {
                    everything.complete = false;
                    let choices = choices.into_iter();
                    work.extend(choices.map(|state| (state, turns.clone())));
                }
            }
        }
    }
    everything.states = seen.len();
    everything
}

/// The state after a thread's step; if a value has to be chosen first, the states with each value that is tried.
fn after(machine: &Machine<'_>, state: &State, thread: usize) -> Result<Option<State>, Vec<State>> {
    let stop = match machine.next(state, thread) {
        Ok(Next::Finished | Next::Blocked) => return Ok(None),
        Ok(Next::Step { .. }) if machine.is_shut_out(state, thread) => return Ok(None),
        Ok(Next::Step { .. }) => {
            let mut next = state.clone();
            match machine.step(&mut next, thread) {
                Ok(()) => return Ok(Some(next)),
                Err(stop) => stop,
            }
        }
        Err(stop) => stop,
    };
    let Stop::Choose(open) = stop else {
        return Err(Vec::new());
    };
    let (values, _) = machine.candidates(state, open, &[], usize::MAX);
    let states = values.into_iter().filter_map(|chosen| {
        let mut next = state.clone();
        machine.choose(&mut next, open, chosen).ok()?;
        Some(next)
    });
    Err(states.collect())
}

fn races(machine: &Machine<'_>, state: &State) -> Vec<(Position, Position)> {
    let mut found = Vec::new();
    let nexts: Vec<Option<Next>> = (0..state.threads.len())
        .map(|thread| machine.next(state, thread).ok())
        .collect();
    for (first, one) in nexts.iter().enumerate() {
        for (second, other) in nexts.iter().enumerate().skip(first + 1) {
            let (Some(one), Some(other)) = (one, other) else {
                continue;
            };
            let (left, right) = ((first, one.accesses()), (second, other.accesses()));
            if machine.races(state, left, right)
                && let (Some(one), Some(other)) = (
                    position(machine, state, first),
                    position(machine, state, second),
                )
            {
                found.push((one.min(other), one.max(other)));
            }
        }
    }
    found
}
