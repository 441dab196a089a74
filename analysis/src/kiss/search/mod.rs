//! Looks for an interleaving that leads to a race or a violated assertion, with few switches between threads first.
//!
//! A depth-first search over states, in rounds: the first allows no switch away from a thread that could go on, each
//! further one allows one more. Hasty looks go before the thorough one: short paths only, and then long paths on which
//! loops are interrupted in their first turns only. Threads are switched only where another thread can notice, and a
//! state that was seen with as many switches left is not looked at again. Values from outside are split as soon as something depends on
//! them. Whatever cannot be run exactly stops its thread and is counted as a limit.

pub mod choices;
mod explorer;

use super::machine::stop::{Fault, Limit, Stop};
use super::machine::{Ignored, Machine};
use super::schedule::{Goal, Position, Witness};
use crate::ir::{BinaryOperator, Operand, Rvalue, Statement, Terminator};
use explorer::Explorer;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// How far the search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Switches away from threads that could go on, at most.
    pub switches: u32,
    pub threads: usize,
    /// Steps of one thread that nobody else can notice, in a row.
    pub local_steps: u32,
    /// Steps that others can notice, on one path.
    pub path_steps: u32,
    /// States that are looked at, which is also what the memory is needed for.
    pub states: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            switches: 4,
            threads: 16,
            local_steps: 10_000_000,
            path_steps: 20_000,
            states: 2_000_000,
        }
    }
}

/// How far hasty looks go.
const FEW_STEPS: u32 = 40;
const MORE_STEPS: u32 = 150;
const FEW_LOCAL_STEPS: u32 = 50_000;

/// How often a thread is interrupted at the same statement in a hasty look that follows long paths.
const FIRST_ARRIVALS: u8 = 2;

/// A hasty look with so many switches gets one of so many parts of all states.
const PART_OF_A_HASTY_LOOK: usize = 10;

/// One way to look at a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Look {
    bounds: Bounds,
    /// It leaves much out, which is not worth a word: the thorough look comes after it.
    is_hasty: bool,
    /// How often a thread may be interrupted at the same statement.
    arrivals: Option<u8>,
}

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Questions, each with the pairs of statements of which any answers it.
    pub questions: Vec<Vec<(Position, Position)>>,
    /// All races, whichever statements.
    pub any_race: bool,
    pub assertions: bool,
}

/// What a search came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One for each pair of statements or assertion, in the order in which they were found.
    pub witnesses: Vec<Witness>,
    /// Every interleaving was tried, so that there is no other witness.
    pub complete: bool,
    /// How many switches all interleavings with that many were tried.
    pub switches_done: Option<u32>,
    pub states: usize,
    /// What was not run exactly.
    pub limits: BTreeSet<Limit>,
    /// What ended threads.
    pub faults: BTreeSet<Fault>,
    /// A path had more steps than are followed.
    pub too_long: bool,
    /// Values from outside were tried one by one, and not all.
    pub values_tried: bool,
    /// What the program does and was left out.
    pub ignored: BTreeSet<Ignored>,
    /// Somebody ended the search, or it had its budget.
    pub stopped: bool,
    /// As many states were looked at as may be.
    pub full: bool,
}

/// Searches until everything is found, all is tried, or `stop` says so.
pub fn search(
    machine: &Machine<'_>,
    targets: &Targets,
    bounds: Bounds,
    stop: &dyn Fn() -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    let start = match machine.start() {
        Ok(state) => state,
        Err(Stop::Limit(limit)) => {
            outcome.limits.insert(limit);
            return outcome;
        }
        Err(Stop::Fault(fault)) => {
            outcome.faults.insert(fault);
            return outcome;
        }
        Err(Stop::Choose(_)) => return outcome,
    };
    let constants = constants(machine);
    for (look, switches) in looks(bounds) {
        let most_states = match look.is_hasty {
            true => outcome.states + bounds.states / PART_OF_A_HASTY_LOOK,
            false => bounds.states,
        };
        for switches in switches {
            let mut explorer =
                Explorer::new(machine, targets, look, &constants, stop, &mut outcome);
            let was_cut = explorer.explore(start.clone(), switches, most_states);
            outcome.full = outcome.states >= bounds.states;
            if outcome.stopped || outcome.full || targets.are_answered(&outcome.witnesses) {
                return outcome;
            }
            if look.is_hasty {
                continue;
            }
            outcome.switches_done = Some(switches);
            if !was_cut {
                outcome.complete =
                    !outcome.is_limited() && !outcome.values_tried && outcome.ignored.is_empty();
                return outcome;
            }
        }
    }
    outcome
}

/// Short paths first: most races show at once, and a long loop must not keep the search from them. Then long paths that
/// are rarely interrupted, for what comes behind a long loop.
fn looks(bounds: Bounds) -> impl Iterator<Item = (Look, RangeInclusive<u32>)> {
    let hasty = |path_steps: u32, arrivals: Option<u8>| Look {
        bounds: Bounds {
            path_steps: bounds.path_steps.min(path_steps),
            local_steps: bounds.local_steps.min(FEW_LOCAL_STEPS),
            ..bounds
        },
        is_hasty: true,
        arrivals,
    };
    let short = hasty(FEW_STEPS, None);
    let longer = hasty(MORE_STEPS, None);
    let long = hasty(u32::MAX, Some(FIRST_ARRIVALS));
    let thorough = Look {
        bounds,
        is_hasty: false,
        arrivals: None,
    };
    let hasty = [
        (short, 0..=2),
        (longer, 0..=1),
        (long, 0..=1),
        (longer, 2..=2),
        (long, 2..=2),
    ];
    let as_asked = hasty.into_iter().map(move |(look, switches)| {
        (
            look,
            *switches.start()..=(*switches.end()).min(bounds.switches),
        )
    });
    as_asked.chain([(thorough, 0..=bounds.switches)])
}

impl Outcome {
    /// Whether some path could not be followed to its end.
    pub fn is_limited(&self) -> bool {
        !self.limits.is_empty() || !self.faults.is_empty() || self.too_long
    }
}

impl Targets {
    /// The questions that a race between these statements answers.
    fn answered_by(&self, one: Position, other: Position) -> impl Iterator<Item = usize> {
        let questions = self.questions.iter().enumerate();
        questions
            .filter(move |(_, pairs)| {
                pairs.contains(&(one, other)) || pairs.contains(&(other, one))
            })
            .map(|(number, _)| number)
    }

    /// Whether nothing is left to look for.
    fn are_answered(&self, witnesses: &[Witness]) -> bool {
        if self.any_race {
            return false;
        }
        let mut answered = FxHashSet::default();
        let mut failed = false;
        for witness in witnesses {
            match witness.goal {
                Goal::Race { first, second } => {
                    answered.extend(self.answered_by(first.1, second.1));
                }
                Goal::Assertion { .. } => failed = true,
            }
        }
        answered.len() == self.questions.len() && (failed || !self.assertions)
    }
}

/// The numbers that the program compares with: values from outside matter most around them.
fn constants(machine: &Machine<'_>) -> Vec<i128> {
    const MOST: usize = 6;
    let mut found = BTreeSet::new();
    let mut add = |operand: &Operand| {
        if let Operand::Integer(number) = operand {
            found.insert(*number);
        }
    };
    for body in machine.program.bodies() {
        for (_, statement) in body.statements() {
            if let Statement::Assign {
                value:
                    Rvalue::Binary {
                        operator,
                        left,
                        right,
                        ..
                    },
                ..
            } = statement
                && (operator.is_comparison() || *operator == BinaryOperator::Remainder)
            {
                add(left);
                add(right);
            }
        }
        for block in &body.blocks {
            if let Terminator::Switch { cases, .. } = &block.terminator {
                cases
                    .iter()
                    .for_each(|case| add(&Operand::Integer(case.low)));
            }
        }
    }
    let mut near: Vec<i128> = Vec::new();
    for number in found {
        for candidate in [number, number.saturating_add(1), number.saturating_sub(1)] {
            if !near.contains(&candidate) {
                near.push(candidate);
            }
        }
    }
    near.sort_by_key(|number| number.unsigned_abs());
    near.truncate(MOST);
    near
}
