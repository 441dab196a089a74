//! What a sequential program has come to, once it was explored to a failure.

use super::run_time;
use crate::kiss::machine::{Machine, State};
use crate::kiss::program::{Failure, SequentialProgram};
use crate::kiss::schedule::Position;

/// A failure of the sequential program, in terms of the concurrent one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Found {
    /// Two statements that race, the smaller one first.
    Race(Position, Position),
    Assertion(Position),
}

/// What a run has found that has failed. The machine runs the text of `listing`, preprocessed with `RACELENS_EXPLORED`.
pub fn found(
    machine: &Machine<'_>,
    state: &State,
    sequential: &SequentialProgram,
) -> Option<Found> {
    machine.failed(state)?;
    let number = |name: &str| usize::try_from(machine.number_in(state, name)?).ok();
    let site = |name: &str| {
        let origin = sequential.sites.get(number(name)?)?;
        Some(Position {
            function: origin.function,
            statement: origin.statement,
        })
    };
    match sequential.failures.get(number(run_time::FAILED_CODE)?)? {
        Failure::Race => {
            let (one, other) = (site(run_time::LOOKED_SITE)?, site(run_time::FAILED_SITE)?);
            Some(Found::Race(one.min(other), one.max(other)))
        }
        Failure::Assertion(function, statement) => Some(Found::Assertion(Position {
            function: *function,
            statement: *statement,
        })),
    }
}
