//! Finds pairs of accesses that may touch the same memory at the same time.

use super::access_index::AccessNumber;
use super::evidence::Reason;
use super::location::{MOST_OF_A_GROUP, Viewed};
use super::moments::{Moments, When};
use super::ordering::OrderKind;
use super::overlap::{Likeness, Memory, likeness};
use super::partners::{Partners, Side};
use super::sighting::{Character, Sighting};
use crate::accesses::Facts;
use crate::callgraph::{FunctionId, Functions};
use crate::locksets::Mode;
use crate::ownership::Owned;
use crate::stop;
use crate::symexec::{Path, Site};
use crate::threads::{Contexts, RootId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// All conflicting accesses to one location.
#[derive(Clone, PartialEq, Debug)]
pub struct Race {
    /// Stays the same when lines move.
    pub id: u64,
    /// What is accessed, as a C programmer would write it.
    pub location: String,
    /// From 0 to 100.
    pub rank: u8,
    pub reasons: Vec<Reason>,
    /// The pairs, the best first.
    pub pairs: Vec<Pair>,
}

/// Two accesses that nothing keeps apart, each in a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    pub first: Sighting,
    pub first_root: RootId,
    pub second: Sighting,
    pub second_root: RootId,
    pub likeness: Likeness,
    /// Both write.
    pub both_write: bool,
    /// Both hold a lock that is the same member, of objects that may be the same.
    pub same_kind_of_lock: bool,
    /// One thread has taken the object out of where others find it, and the other holds some lock.
    pub taken_out: bool,
    /// One thread had the last reference to the object, and the other one has given up its own.
    pub without_reference: bool,
}

/// More pairs of one location are not listed.
pub(super) const MOST_PAIRS: usize = 400;
/// More characters of one location are not compared with each other.
pub(super) const MOST_GROUPS: usize = 400;

/// Whether more than one thread comes to some of these functions.
pub(super) fn is_reached_by_several(contexts: &Contexts, accesses: &[AccessNumber]) -> bool {
    let mut only: Option<RootId> = None;
    let mut latest: Option<FunctionId> = None;
    for &(function, _) in accesses {
        // The accesses of a function stand together.
        if latest.replace(function) == Some(function) {
            continue;
        }
        for root in contexts.of(function).flat_map(|(_, _, roots)| roots) {
            if contexts.root(*root).many || *only.get_or_insert(*root) != *root {
                return true;
            }
        }
    }
    false
}

/// The pairs of a location that nothing keeps apart.
pub(super) fn pairs(
    location: &Viewed<'_>,
    moments: &Moments<'_>,
    facts: &Facts,
    memory: Memory<'_>,
) -> Vec<Pair> {
    let mut found: BTreeMap<(Place, Place), Pair> = BTreeMap::new();
    // UNSOUND: of a location that is accessed in more than 400 different situations, the first 400 are compared.
    let groups = &location.groups[..location.groups.len().min(MOST_GROUPS)];
    let mut numbers: FxHashMap<&When, usize> = FxHashMap::default();
    let mut partners = Partners::new(groups.iter().map(|group| {
        let next = numbers.len();
        Side {
            writes: group.character.writes,
            atomic: group.character.atomic,
            is_around: location.is_around(group),
            moment: *numbers.entry(&group.character.when).or_insert(next),
        }
    }));
    let can_meet = |left: usize, right: usize| {
        let when = |group: usize| &groups[group].character.when;
        moments.in_parallel(when(left), when(right)).is_ok()
    };
    'all: for group in groups {
        stop::ask();
        let left = group.character;
        for other in partners.of_next(&can_meet) {
            let right = groups[other].character;
            let Ok(conflict) = compare(moments, memory, left, right) else {
                continue;
            };
            let others: SmallVec<[(Sighting, bool); MOST_OF_A_GROUP]> =
                location.shown(&groups[other]).collect();
            for (first, is_around) in location.shown(group) {
                for &(second, is_around_too) in &others {
                    if is_around && is_around_too {
                        continue;
                    }
                    let pair = Pair::new((left, first), (right, second), conflict);
                    note(&mut found, pair, facts);
                }
            }
            if found.len() > MOST_PAIRS {
                break 'all;
            }
        }
    }
    found.into_values().collect()
}

/// What two accesses that race have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// A thread for each of them.
    pub roots: (RootId, RootId),
    pub likeness: Likeness,
    pub same_kind_of_lock: bool,
    pub taken_out: bool,
    pub without_reference: bool,
}

/// Why two accesses do not race.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Apart {
    OnlyReads,
    /// Both are atomic.
    Atomic,
    /// They certainly touch different objects.
    DifferentMemory,
    /// Both hold a lock that keeps them apart.
    CommonLock,
    /// No two threads get there at the same time.
    NeverParallel,
    /// At one of them, nobody else knows the object yet.
    NotYetShared,
    /// One thread has taken the object out of where the other finds it.
    TakenOut,
    /// One thread had the last reference to the object.
    LastReference,
    /// One of them comes before the other.
    Ordered(OrderKind),
}

/// Whether something keeps two accesses apart that lie in the same class of memory.
pub(super) fn compare(
    moments: &Moments<'_>,
    memory: Memory<'_>,
    left: &Character,
    right: &Character,
) -> Result<Conflict, Apart> {
    if !(left.writes || right.writes) {
        return Err(Apart::OnlyReads);
    }
    if left.atomic && right.atomic {
        return Err(Apart::Atomic);
    }
    let likeness = likeness(left.place(), right.place(), memory).ok_or(Apart::DifferentMemory)?;
    if left.protection.common(&right.protection) {
        return Err(Apart::CommonLock);
    }
    if let Some(apart) = owned(left, right) {
        return Err(apart);
    }
    if has_last(left, right) || has_last(right, left) {
        return Err(Apart::LastReference);
    }
    let roots = moments.in_parallel(&left.when, &right.when)?;
    let held_by_both = left.held_somewhere.intersection(&right.held_somewhere);
    Ok(Conflict {
        roots,
        likeness,
        same_kind_of_lock: held_by_both.count() > 0,
        taken_out: is_taken(left, right) || is_taken(right, left),
        without_reference: (left.had_last && right.given_up) || (right.had_last && left.given_up),
    })
}

/// Whether an object belongs to one thread when the other one gets to it.
fn owned(left: &Character, right: &Character) -> Option<Apart> {
    // Two threads that each have an object which nobody else knows have two.
    if let (Some(Owned::Fresh), Some(Owned::Fresh)) = (&left.owned, &right.owned) {
        return Some(Apart::NotYetShared);
    }
    match (left.owned_in_order(), right.owned_in_order()) {
        (Some(Owned::Fresh), _) | (_, Some(Owned::Fresh)) => Some(Apart::NotYetShared),
        (Some(Owned::Taken(_)), Some(Owned::Taken(_))) => Some(Apart::TakenOut),
        // Who holds the lock under which it was taken out finds it only while it is in there.
        (Some(Owned::Taken(locks)), None) => holds_one(right, locks),
        (None, Some(Owned::Taken(locks))) => holds_one(left, locks),
        (None, None) => None,
    }
}

/// Whether one thread had the last reference to an object, so that the other one has given up its own behind its
/// access.
// UNSOUND: a thread that gives up references of some kind is taken to have one to each object of that kind until it
// gives it up.
fn has_last(owner: &Character, other: &Character) -> bool {
    if owner.had_last && other.had_last {
        return true;
    }
    owner.others.as_ref().is_some_and(|owners| {
        let is_owner = |root: &RootId| owners.contains(root);
        !other.given_up && other.when.roots.iter().all(is_owner)
    })
}

/// Whether one thread owns what it has taken out, and the other holds a lock for itself: it may find the object there
/// only while it is back, or in another place.
fn is_taken(owner: &Character, other: &Character) -> bool {
    let mut held = other.protection.absolute.values();
    owner.owned_in_order().is_some() && held.any(|mode| *mode == Mode::Exclusive)
}

fn holds_one(character: &Character, locks: &BTreeSet<Path>) -> Option<Apart> {
    let held = &character.protection.absolute;
    let holds = locks.iter().any(|lock| held.contains_key(lock));
    holds.then_some(Apart::TakenOut)
}

pub(super) type Place = (FunctionId, crate::ir::StatementId);

/// Keeps the best pair for each two statements.
pub(super) fn note(found: &mut BTreeMap<(Place, Place), Pair>, pair: Pair, facts: &Facts) {
    let place = |sighting: Sighting| {
        let access = &facts[sighting.function.0 as usize].accesses[sighting.access as usize];
        (sighting.function, access.statement)
    };
    let (first, second) = (place(pair.first), place(pair.second));
    let (key, pair) = if first <= second {
        ((first, second), pair)
    } else {
        ((second, first), pair.turned())
    };
    let known = found.entry(key).or_insert(pair);
    if pair.weight() > known.weight() {
        *known = pair;
    }
}

impl Pair {
    /// Two sightings with their characters, which conflict.
    pub(super) fn new(
        (left, first): (&Character, Sighting),
        (right, second): (&Character, Sighting),
        conflict: Conflict,
    ) -> Pair {
        let (first_root, second_root) = conflict.roots;
        Pair {
            first,
            first_root,
            second,
            second_root,
            likeness: conflict.likeness,
            both_write: left.writes && right.writes,
            same_kind_of_lock: conflict.same_kind_of_lock,
            taken_out: conflict.taken_out,
            without_reference: conflict.without_reference,
        }
    }

    fn turned(self) -> Pair {
        Pair {
            first: self.second,
            first_root: self.second_root,
            second: self.first,
            second_root: self.first_root,
            ..self
        }
    }

    /// What speaks for showing this pair before others of the location.
    pub(super) fn weight(&self) -> (bool, Likeness, bool, bool) {
        (
            !self.same_kind_of_lock && !self.taken_out,
            self.likeness,
            self.first_root != self.second_root,
            self.both_write,
        )
    }
}

/// Whether what a start gives to each thread is given to one only: the start's code runs once.
pub(super) fn is_given_once(functions: &Functions, contexts: &Contexts, start: Site) -> bool {
    let mut started = contexts.roots.iter().filter(|root| {
        root.origin(functions).is_some_and(|origin| {
            origin.function == start.function && origin.statement == start.statement
        })
    });
    started.all(|root| !root.restarted)
}
