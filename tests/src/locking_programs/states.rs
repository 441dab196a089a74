//! Every state that a run can be in.

use super::plan::{Argument, Flag, Lock, OBJECTS, Plan, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The names of locks as the analysis writes them.
pub type Held = BTreeSet<String>;

/// How often each lock is held, by its name.
type State = BTreeMap<String, u32>;
type States = BTreeSet<State>;

/// For each access that some run gets to, the locks that are held in all of them, under every name that they have there.
pub fn held_at_accesses(plan: &Plan) -> BTreeMap<usize, Held> {
    let mut runs = Runs {
        plan,
        held: BTreeMap::new(),
    };
    for object in 0..OBJECTS {
        for flag in [false, true] {
            runs.function(0, Given { object, flag }, States::from([State::new()]));
        }
    }
    runs.held
}

/// What a function was given.
#[derive(Clone, Copy)]
struct Given {
    object: usize,
    flag: bool,
}

struct Runs<'p> {
    plan: &'p Plan,
    held: BTreeMap<usize, Held>,
}

/// Where control may be behind a list of steps.
#[derive(Default)]
struct Ends {
    goes_on: States,
    returns: States,
}

impl Runs<'_> {
    fn function(&mut self, function: usize, given: Given, states: States) -> States {
        let plan = self.plan;
        let mut ends = self.steps(&plan.functions[function], given, states);
        ends.returns.append(&mut ends.goes_on);
        ends.returns
    }

    fn steps(&mut self, steps: &[Step], given: Given, states: States) -> Ends {
        let mut ends = Ends {
            goes_on: states,
            ..Ends::default()
        };
        for step in steps {
            if ends.goes_on.is_empty() {
                break;
            }
            let states = std::mem::take(&mut ends.goes_on);
            let mut next = self.step(step, given, states);
            ends.goes_on = next.goes_on;
            ends.returns.append(&mut next.returns);
        }
        ends
    }

    fn step(&mut self, step: &Step, given: Given, states: States) -> Ends {
        let Given { object, flag } = given;
        let mut ends = Ends::default();
        match step {
            Step::Lock(lock) => {
                ends.goes_on = changed(states, &name(*lock, object), |held| held + 1)
            }
            Step::Unlock(lock) => {
                ends.goes_on = changed(states, &name(*lock, object), |held| held.saturating_sub(1));
            }
            Step::TryLock(lock, got, failed) => {
                let taken = changed(states.clone(), &name(*lock, object), |held| held + 1);
                for (steps, states) in [(got, taken), (failed, states)] {
                    let mut branch = self.steps(steps, given, states);
                    ends.goes_on.append(&mut branch.goes_on);
                    ends.returns.append(&mut branch.returns);
                }
            }
            Step::Access(number) => {
                for state in &states {
                    self.note(*number, object, state);
                }
                ends.goes_on = states;
            }
            Step::Call(callee, argument, passed) => {
                let given = Given {
                    object: match argument {
                        Argument::OwnObject => object,
                        Argument::Object(index) => *index,
                    },
                    flag: match passed {
                        Flag::Own => flag,
                        Flag::Constant(value) => *value,
                    },
                };
                ends.goes_on = self.function(*callee, given, states);
            }
            Step::IfFlag(is_set, steps) if *is_set == flag => {
                ends = self.steps(steps, given, states);
            }
            Step::IfFlag(..) => ends.goes_on = states,
            Step::Either(one, other) => {
                for steps in [one, other] {
                    let mut branch = self.steps(steps, given, states.clone());
                    ends.goes_on.append(&mut branch.goes_on);
                    ends.returns.append(&mut branch.returns);
                }
            }
            Step::Return => ends.returns = states,
        }
        ends
    }

    fn note(&mut self, access: usize, object: usize, state: &State) {
        let mut held: Held = state
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(lock, _)| lock.clone())
            .collect();
        if held.contains(&name(Lock::OwnObject, object)) {
            held.insert("p->lock".to_owned());
        }
        self.held
            .entry(access)
            .and_modify(|known| known.retain(|lock| held.contains(lock)))
            .or_insert(held);
    }
}

fn name(lock: Lock, object: usize) -> String {
    match lock {
        Lock::Global(index) => format!("m{index}"),
        Lock::OwnObject => format!("o{object}.lock"),
    }
}

fn changed(states: States, lock: &str, change: impl Fn(u32) -> u32) -> States {
    states
        .into_iter()
        .map(|mut state| {
            let held = state.entry(lock.to_owned()).or_default();
            // A program that takes a lock for ever is no more interesting than one that takes it eight times.
            *held = change(*held).min(8);
            state
        })
        .collect()
}
