//! Which lock seems to guard a location: the one that most of its accesses hold.

use super::pairing::Location;
use super::protection::Relation;
use crate::callgraph::FunctionId;
use crate::symexec::Path;
use std::collections::{BTreeMap, BTreeSet};

/// A lock that guards most accesses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guard {
    pub held: usize,
    pub accesses: usize,
    /// An access that holds it.
    pub example: (FunctionId, u32),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum LockKey<'l> {
    Absolute(&'l Path),
    Relative(&'l Relation),
}

type AccessKey = (FunctionId, u32);

/// The lock that is held at the most accesses, if it is held at some but not all.
pub(super) fn guard(location: &Location) -> Option<Guard> {
    let mut all: BTreeSet<AccessKey> = BTreeSet::new();
    let mut without: BTreeMap<LockKey<'_>, BTreeSet<AccessKey>> = BTreeMap::new();
    let mut with: BTreeMap<LockKey<'_>, BTreeSet<AccessKey>> = BTreeMap::new();
    for (character, sightings) in &location.groups {
        let keys = sightings
            .iter()
            .map(|sighting| (sighting.function, sighting.access));
        let keys: BTreeSet<AccessKey> = keys.collect();
        let absolute = character.protection.absolute.keys().map(LockKey::Absolute);
        let relative = character.protection.relative.keys().map(LockKey::Relative);
        for lock in absolute.chain(relative) {
            with.entry(lock).or_default().extend(&keys);
        }
        all.extend(keys);
    }
    // An access counts only if it holds the lock in every context.
    for (character, sightings) in &location.groups {
        for lock in with.keys() {
            let held = match lock {
                LockKey::Absolute(path) => character.protection.absolute.contains_key(*path),
                LockKey::Relative(relation) => {
                    character.protection.relative.contains_key(*relation)
                }
            };
            if !held {
                let keys = sightings
                    .iter()
                    .map(|sighting| (sighting.function, sighting.access));
                without.entry(lock.clone()).or_default().extend(keys);
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
        if held < all.len() && best.is_none_or(|best| held > best.held) {
            best = Some(Guard {
                held,
                accesses: all.len(),
                example: *example,
            });
        }
    }
    best
}
