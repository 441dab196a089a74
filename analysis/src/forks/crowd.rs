//! Threads that are too many to be told apart.

use super::domain::{Origin, Started};
use super::steps::{ForkStep, ForkSteps};
use crate::dataflow::Shared;
use crate::symexec::Site;
use std::collections::BTreeSet;

/// Threads from more places than this are one crowd: what is known at each place of a function would otherwise
/// grow with the square of the function's length.
pub const MOST_STARTED: usize = 256;
/// So many joined handles are remembered for callers.
pub(super) const MOST_JOINED: usize = 256;

/// Threads from many places, as if all were started at once and nobody ever joined one.
pub(super) fn crowd(origins: Shared<BTreeSet<Origin>>) -> Option<(Site, Started)> {
    let first = *origins.first()?;
    // No call and no place of a single thread has this number.
    let call = Site {
        function: first.function,
        statement: first.statement,
        part: u32::MAX - 1,
    };
    Some((call, Started::many(origins)))
}

/// The origins of all these threads as one set that many may share, if they are too many to be told apart.
pub(super) fn too_many<'s>(
    started: impl Iterator<Item = &'s Started>,
) -> Option<Shared<BTreeSet<Origin>>> {
    let mut all: Shared<BTreeSet<Origin>> = Shared::default();
    for started in started {
        // Often it is the crowd of one callee again and again, which is then not copied.
        if all.is_empty() {
            all = started.origins.clone();
        } else if !all.is_shared_with(&started.origins) && !started.origins.is_subset(&all) {
            all.extend(started.origins.iter());
        }
    }
    (all.len() > MOST_STARTED).then_some(all)
}

/// Makes one crowd of all threads that a function starts, if they are too many.
pub(super) fn gather(steps: &mut ForkSteps) {
    let starts = steps.statements.values().flatten();
    let started = starts.filter_map(|step| match step {
        ForkStep::Start(_, started) => Some(started),
        ForkStep::JoinThread(_) | ForkStep::JoinHandle(_) => None,
    });
    let Some((call, crowd)) = too_many(started).and_then(crowd) else {
        return;
    };
    for steps in steps.statements.values_mut() {
        let is_start = |step: &ForkStep| matches!(step, ForkStep::Start(..));
        if steps.iter().any(is_start) {
            steps.retain(|step| !is_start(step));
            steps.push(ForkStep::Start(call, crowd.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forks::ForkState;
    use crate::ir::{BlockId, FunctionRef, GlobalScope, Landmark, StatementId};

    fn origin(index: u32) -> Origin {
        Origin {
            function: FunctionRef {
                name: "start".into(),
                scope: GlobalScope::External,
            },
            statement: Landmark::for_tests(index),
        }
    }

    fn statement(index: u32) -> StatementId {
        StatementId {
            block: BlockId(0),
            index,
        }
    }

    /// A function that starts so many threads, one after the other.
    fn steps(count: u32) -> ForkSteps {
        let mut steps = ForkSteps::default();
        for index in 0..count {
            let origin = origin(index);
            let call = Site {
                function: origin.function,
                statement: origin.statement,
                part: 0,
            };
            let start = ForkStep::Start(call, Started::new(origin, None));
            steps.statements.insert(statement(index), vec![start]);
        }
        steps
    }

    fn state_after(steps: &ForkSteps, count: u32) -> ForkState {
        let mut state = ForkState::default();
        for index in 0..count {
            for step in &steps.statements[&statement(index)] {
                if let ForkStep::Start(call, started) = step {
                    state.start(*call, started.clone());
                }
            }
        }
        state
    }

    #[test]
    fn few_threads_are_told_apart() {
        let mut steps = steps(MOST_STARTED as u32);
        gather(&mut steps);
        assert_eq!(state_after(&steps, 5).running().count(), 5);
    }

    #[test]
    fn a_crowd_is_more_than_was_started_and_takes_no_more_memory_with_each_start() {
        let count = MOST_STARTED as u32 + 1;
        let mut crowded = steps(count);
        gather(&mut crowded);
        let exact = steps(count);
        for started in [0, 1, 100, count] {
            let state = state_after(&crowded, started);
            let running: BTreeSet<Origin> = state.running().map(|(origin, _)| origin).collect();
            let really = state_after(&exact, started);
            assert!(
                really
                    .running()
                    .all(|(origin, _)| running.contains(&origin))
            );
            assert!(state.threads.len() <= 1);
        }
        assert_eq!(state_after(&crowded, 0), ForkState::default());
        assert_eq!(state_after(&crowded, 2), state_after(&crowded, 3));
    }
}
