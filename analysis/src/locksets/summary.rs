//! What a function does to locks, for its callers.

use super::domain::Lockset;
use super::outcomes::{Outcomes, Signs};
use crate::symexec::{Path, Site};

/// A function's locksets from entry to return, by the sign of its result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockSummary {
    pub outcomes: Outcomes,
    /// The allocations that the locks' names speak of, sorted.
    pub heap: Vec<Site>,
    /// The entry values that tell what is held inside, sorted.
    pub conditions: Vec<Path>,
}

impl LockSummary {
    /// Of a function that touches no lock, and that returns or not.
    pub fn idle(returns: bool) -> LockSummary {
        let outcomes = if returns {
            Outcomes::always(Lockset::default())
        } else {
            Outcomes::default()
        };
        LockSummary {
            outcomes,
            ..LockSummary::default()
        }
    }

    /// What holds at the end, whatever the result is; nothing, if the function never returns.
    pub fn any(&self) -> Lockset {
        self.outcomes.joined(Signs::ALL).unwrap_or_default()
    }

    pub fn returns(&self) -> bool {
        self.outcomes.possible().next().is_some()
    }

    /// Makes it hold for both.
    pub fn join(&mut self, other: &LockSummary) {
        self.outcomes.join(&other.outcomes);
        self.heap.extend(&other.heap);
        self.heap.sort_unstable();
        self.heap.dedup();
        self.conditions.extend(other.conditions.iter().cloned());
        self.conditions.sort_unstable();
        self.conditions.dedup();
    }

    /// Gives up what differs from an earlier round, so that rounds come to an end.
    pub fn widen(&mut self, before: &LockSummary) {
        self.outcomes.change_by(&before.outcomes, Lockset::widen);
    }

    pub fn touches_locks(&self) -> bool {
        self.outcomes.possible().any(|lockset| !lockset.is_idle())
    }
}
