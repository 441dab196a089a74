//! Which lock seems to guard a location: the one that most of its accesses hold.

use super::pairing::Location;
use super::protection::{Protection, Relation};
use super::sighting::{Character, Sighting};
use crate::callgraph::FunctionId;
use crate::locksets::Mode;
use crate::symexec::Path;
use rustc_hash::FxHashMap;
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
    // An access is sighted in many contexts.
    let mut known: FxHashMap<AccessKey, AccessKey> = FxHashMap::default();
    let mut keys = |sightings: &[Sighting]| -> BTreeSet<AccessKey> {
        let keys = sightings.iter().map(|sighting| {
            let key = (sighting.function, sighting.access);
            *known.entry(key).or_insert_with(|| counted_as(key))
        });
        keys.collect()
    };
    let groups = location.groups.iter();
    let groups: Vec<(&Character, BTreeSet<AccessKey>)> = groups
        .map(|(character, sightings)| (&**character, keys(sightings)))
        .collect();
    let mut all: BTreeSet<AccessKey> = BTreeSet::new();
    let mut without: BTreeMap<GuardLock, BTreeSet<AccessKey>> = BTreeMap::new();
    let mut with: BTreeMap<GuardLock, BTreeSet<AccessKey>> = BTreeMap::new();
    for (character, keys) in &groups {
        let protection = &character.protection;
        let absolute = protection.absolute.keys().cloned();
        let relative = protection.relative.keys().cloned();
        let locks = absolute.map(GuardLock::Absolute);
        for lock in locks.chain(relative.map(GuardLock::Relative)) {
            if lock.guards(protection, character.writes) {
                with.entry(lock).or_default().extend(keys);
            }
        }
        all.extend(keys);
    }
    // An access counts only if it holds the lock in every context.
    for (character, keys) in &groups {
        for lock in with.keys() {
            if !lock.guards(&character.protection, character.writes) {
                let lacking = without.entry(lock.clone()).or_default();
                lacking.extend(keys);
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
