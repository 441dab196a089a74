//! Which lock seems to guard a location: the one that most of its accesses hold.

use super::pairing::Location;
use super::protection::{Protection, Relation};
use super::sighting::Sighting;
use crate::callgraph::FunctionId;
use crate::locksets::Mode;
use crate::symexec::Path;
use std::collections::{BTreeMap, BTreeSet};

/// A lock that guards most of the statements that access a location.
#[derive(Clone, PartialEq, Debug)]
pub struct Guard {
    pub lock: GuardLock,
    pub held: usize,
    pub accesses: usize,
    /// An access that holds it.
    pub example: (FunctionId, u32),
}

/// A lock that several accesses can have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GuardLock {
    Absolute(Path),
    Relative(Relation),
}

impl GuardLock {
    /// Whether it is among these, in a mode that guards the access: who writes must hold it alone.
    pub fn guards(&self, protection: &Protection, writes: bool) -> bool {
        let mode = match self {
            GuardLock::Absolute(path) => protection.absolute.get(path),
            GuardLock::Relative(relation) => protection.relative.get(relation),
        };
        mode.is_some_and(|mode| *mode == Mode::Exclusive || !writes)
    }
}

pub(super) type AccessKey = (FunctionId, u32);

/// The lock that is held at the most accesses, if it is held at some but not all. `counted_as` gives the access that
/// one is counted as: that of `x++` which writes, for that which reads.
pub(super) fn guard(
    location: &Location,
    counted_as: &dyn Fn(AccessKey) -> AccessKey,
) -> Option<Guard> {
    let keys = |sightings: &[Sighting]| -> BTreeSet<AccessKey> {
        let keys = sightings.iter();
        keys.map(|sighting| counted_as((sighting.function, sighting.access)))
            .collect()
    };
    let mut all: BTreeSet<AccessKey> = BTreeSet::new();
    let mut without: BTreeMap<GuardLock, BTreeSet<AccessKey>> = BTreeMap::new();
    let mut with: BTreeMap<GuardLock, BTreeSet<AccessKey>> = BTreeMap::new();
    for (character, sightings) in &location.groups {
        let keys = keys(sightings);
        let protection = &character.protection;
        let absolute = protection.absolute.keys().cloned();
        let relative = protection.relative.keys().cloned();
        let locks = absolute.map(GuardLock::Absolute);
        for lock in locks.chain(relative.map(GuardLock::Relative)) {
            if lock.guards(protection, character.writes) {
                with.entry(lock).or_default().extend(&keys);
            }
        }
        all.extend(keys);
    }
    // An access counts only if it holds the lock in every context.
    for (character, sightings) in &location.groups {
        for lock in with.keys() {
            if !lock.guards(&character.protection, character.writes) {
                let lacking = without.entry(lock.clone()).or_default();
                lacking.extend(keys(sightings));
            }
        }
    }
    let mut best: Option<Guard> = None;
    for (lock, holders) in &with {
        let never = BTreeSet::new();
        let lacking = without.get(lock).unwrap_or(&never);
        let held = holders.difference(lacking).count();
        let Some(example) = holders.difference(lacking).next() else {
            continue;
        };
        if held < all.len() && best.as_ref().is_none_or(|best| held > best.held) {
            best = Some(Guard {
                lock: lock.clone(),
                held,
                accesses: all.len(),
                example: *example,
            });
        }
    }
    best
}
