//! An interleaving, as a list of moves from the program's beginning.

use super::machine::memory::Content;
use super::machine::stop::Stop;
use super::machine::value::{OpenValue, Value, wrap};
use super::machine::{Machine, Source, State};
use crate::ir::{FunctionRef, StatementId, TyKind};
use std::sync::Arc;

/// Who moves next, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// The thread makes so many steps.
    Run { thread: usize, steps: u32 },
    /// A value from outside turns out to be this.
    Choose { open: OpenValue, chosen: Chosen },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chosen {
    Number(i128),
    /// A pointer to an object that the program did not know before.
    NewObject,
}

/// A statement of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Position {
    pub function: FunctionRef,
    pub statement: StatementId,
}

/// What an interleaving leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// Both threads stand before accesses to the same bytes.
    Race {
        first: (usize, Position),
        second: (usize, Position),
    },
    /// The thread stands at an assertion that does not hold.
    Assertion { thread: usize, at: Position },
}

/// An interleaving that leads to a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub moves: Vec<Move>,
    pub goal: Goal,
}

/// The moves so far, the last one first. States that have a beginning in common share it.
#[derive(Clone, Default, Debug)]
pub struct Trail(Option<Arc<(Move, Trail)>>);

impl Trail {
    pub fn with(&self, next: Move) -> Trail {
        Trail(Some(Arc::new((next, self.clone()))))
    }

    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut at = self;
        while let Some(node) = &at.0 {
            moves.push(node.0);
            at = &node.1;
        }
        moves.reverse();
        moves
    }
}

/// A long trail must not be dropped by recursion, which would overflow the stack.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut at = self.0.take();
        while let Some(node) = at {
            match Arc::try_unwrap(node) {
                Ok((_, mut rest)) => at = rest.0.take(),
                Err(_) => break,
            }
        }
    }
}

impl Machine<'_> {
    /// Makes a value from outside known.
    pub fn choose(&self, state: &mut State, open: OpenValue, chosen: Chosen) -> Result<(), Stop> {
        let Some(opened) = state.open.get(&open) else {
            return Ok(());
        };
        let ty = opened.ty.clone();
        let number = match chosen {
            Chosen::Number(number) => wrap(self.program.data_model, number, &ty),
            Chosen::NewObject => {
                let region = open.thread as usize + 1;
                i128::from(
                    state
                        .memory
                        .allocate_elastic(region, Content::UNINITIALISED)?,
                )
            }
        };
        state.resolve(open, &Value::Integer(number), &number.to_le_bytes());
        Ok(())
    }

    /// The values that are tried for one from outside, at most so many, and whether these are all there are.
    pub fn candidates(
        &self,
        state: &State,
        open: OpenValue,
        constants: &[i128],
        most: usize,
    ) -> (Vec<Chosen>, bool) {
        let Some(opened) = state.open.get(&open) else {
            return (Vec::new(), true);
        };
        let (mut tried, are_all) = match (opened.source, opened.ty.kind()) {
            (Source::Choice(count), _) => {
                let all = (0..i128::from(count)).map(Chosen::Number);
                return (all.collect(), true);
            }
            // `argc` is at least one.
            (Source::Parameter(0), _) => (vec![Chosen::Number(1), Chosen::Number(2)], false),
            (_, TyKind::Bool) => (vec![Chosen::Number(0), Chosen::Number(1)], true),
            (_, TyKind::Pointer(_)) => (vec![Chosen::Number(0), Chosen::NewObject], false),
            _ => {
                let range = opened
                    .range
                    .map(|(low, high)| i128::from(low)..=i128::from(high));
                let ends = range
                    .iter()
                    .flat_map(|range| [*range.end(), *range.start()]);
                let ends: Vec<i128> = ends.collect();
                let numbers = [0, 1].iter().chain(constants).chain(&[2, -1]).chain(&ends);
                let mut tried = Vec::new();
                for number in numbers {
                    let number = wrap(self.program.data_model, *number, &opened.ty);
                    let is_possible = range.as_ref().is_none_or(|range| range.contains(&number));
                    if is_possible && !tried.contains(&Chosen::Number(number)) {
                        tried.push(Chosen::Number(number));
                    }
                }
                (tried, false)
            }
        };
        let fit = tried.len() <= most;
        tried.truncate(most);
        (tried, are_all && fit)
    }
}
