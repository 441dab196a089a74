//! The locks at one point of a function.

use super::domain::Lockset;
use super::outcomes::{Effect, Outcomes, Sign};
use crate::symexec::Path;
use std::borrow::Cow;
use std::ops::Deref;

/// What happened to locks since the entry, whatever the function was given, and what more is certain for those who know
/// what it was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointLocks {
    always: Lockset,
    /// By the sign of what a place held at the entry.
    by_value: Vec<(Path, Outcomes)>,
}

impl PointLocks {
    pub(super) fn new(always: Lockset, by_value: Vec<(Path, Outcomes)>) -> PointLocks {
        PointLocks { always, by_value }
    }

    /// What happened where these values are known.
    pub fn given(&self, known: impl Fn(&Path) -> Option<i128>) -> Cow<'_, Lockset> {
        let mut locks = Cow::Borrowed(&self.always);
        for (place, outcomes) in &self.by_value {
            let outcome = known(place).and_then(|value| outcomes.get(Sign::of(value)));
            if let Some(certain) = outcome {
                locks.to_mut().meet(certain);
            }
        }
        locks
    }
}

impl Deref for PointLocks {
    type Target = Lockset;

    fn deref(&self) -> &Lockset {
        &self.always
    }
}
