//! Which lock seems to guard a location: the one that most of its accesses hold.

use super::pairing::Location;
use super::protection::{Protection, Relation};
use super::sighting::Sighting;
use crate::callgraph::FunctionId;
use crate::locksets::Mode;
use crate::symexec::Path;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

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
    let mut keys = |sightings: &[Sighting]| -> Vec<AccessKey> {
        let keys = sightings.iter().map(|sighting| {
            let key = (sighting.function, sighting.access);
            *known.entry(key).or_insert_with(|| counted_as(key))
        });
        let mut keys: Vec<AccessKey> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    // In how many groups each access is, and in how many of them each lock guards it: an access counts only if it
    // holds the lock in every context.
    let mut all: Counts = Counts::default();
    let mut absolute: BTreeMap<&Path, Counts> = BTreeMap::new();
    let mut relative: BTreeMap<&Relation, Counts> = BTreeMap::new();
    for (character, sightings) in &location.groups {
        let keys = keys(sightings);
        count(&mut all, &keys);
        let protection = &character.protection;
        let guards = |mode: &Mode| *mode == Mode::Exclusive || !character.writes;
        for (lock, _) in protection.absolute.iter().filter(|it| guards(it.1)) {
            count(absolute.entry(lock).or_default(), &keys);
        }
        for (lock, _) in protection.relative.iter().filter(|it| guards(it.1)) {
            count(relative.entry(lock).or_default(), &keys);
        }
    }
    let absolute = absolute.into_iter();
    let absolute = absolute.map(|(lock, counts)| (Either::Absolute(lock), counts));
    let relative = relative.into_iter();
    let relative = relative.map(|(lock, counts)| (Either::Relative(lock), counts));
    let mut best: Option<(Either<'_>, usize, AccessKey)> = None;
    for (lock, counts) in absolute.chain(relative) {
        let always = || {
            let counts = counts.iter();
            counts.filter_map(|(key, count)| (all[key] == *count).then_some(*key))
        };
        let Some(example) = always().min() else {
            continue;
        };
        let held = always().count();
        if held < all.len() && best.as_ref().is_none_or(|best| held > best.1) {
            best = Some((lock, held, example));
        }
    }
    best.map(|(lock, held, example)| Guard {
        lock: match lock {
            Either::Absolute(path) => GuardLock::Absolute(path.clone()),
            Either::Relative(relation) => GuardLock::Relative(relation.clone()),
        },
        held,
        accesses: all.len(),
        example,
    })
}

type Counts = FxHashMap<AccessKey, usize>;

/// A lock as a location has it.
enum Either<'l> {
    Absolute(&'l Path),
    Relative(&'l Relation),
}

fn count(counts: &mut Counts, keys: &[AccessKey]) {
    for key in keys {
        *counts.entry(*key).or_default() += 1;
    }
}
