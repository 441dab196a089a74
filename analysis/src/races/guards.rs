//! Which lock seems to guard a location: the one that most of its accesses hold.

use super::protection::{Protection, Relation};
use super::sighting::{Character, Sighting};
use crate::callgraph::FunctionId;
use crate::locksets::Mode;
use crate::symexec::Path;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// The locks that guard accesses of a location, or of a part of it.
pub(super) struct KnownGuards {
    accesses: FxHashSet<AccessKey>,
    /// By the names of the locks, in their order. Those that guard no access are missing.
    absolute: Vec<(Path, Guarded)>,
    relative: Vec<(Relation, Guarded)>,
}

/// The accesses that a lock guards wherever they are seen.
#[derive(Clone, Copy)]
struct Guarded {
    count: usize,
    first: AccessKey,
}

impl Guarded {
    fn and(self, other: Guarded) -> Guarded {
        Guarded {
            count: self.count + other.count,
            first: self.first.min(other.first),
        }
    }
}

/// The lock that is held at the most accesses, if it is held at some but not all. The parts have no access in common.
pub(super) fn guard(parts: &[&KnownGuards]) -> Option<Guard> {
    let accesses = parts.iter().map(|part| part.accesses.len()).sum();
    let mut best: Option<(GuardLock, Guarded)> = None;
    let is_best = |guarded: &Guarded, best: &Option<(GuardLock, Guarded)>| {
        guarded.count < accesses
            && best
                .as_ref()
                .is_none_or(|best| guarded.count > best.1.count)
    };
    for (lock, guarded) in together(parts.iter().map(|part| &part.absolute[..])) {
        if is_best(&guarded, &best) {
            best = Some((GuardLock::Absolute(lock.clone()), guarded));
        }
    }
    for (lock, guarded) in together(parts.iter().map(|part| &part.relative[..])) {
        if is_best(&guarded, &best) {
            best = Some((GuardLock::Relative(lock.clone()), guarded));
        }
    }
    best.map(|(lock, guarded)| Guard {
        lock,
        held: guarded.count,
        accesses,
        example: guarded.first,
    })
}

/// What each lock guards in all parts, in the order of the locks.
fn together<'k, K: Ord + 'k>(
    parts: impl Iterator<Item = &'k [(K, Guarded)]>,
) -> BTreeMap<&'k K, Guarded> {
    let mut all: BTreeMap<&K, Guarded> = BTreeMap::new();
    for (lock, guarded) in parts.flatten() {
        let known = all.entry(lock);
        known
            .and_modify(|known| *known = known.and(*guarded))
            .or_insert(*guarded);
    }
    all
}

impl KnownGuards {
    /// The sightings of these groups, which are of one character each. `counted_as` gives the access that
    /// one is counted as: that of `x++` which writes, for that which reads.
    pub fn new<'g>(
        groups: impl Iterator<Item = (&'g Character, &'g [Sighting])>,
        counted_as: &dyn Fn(AccessKey) -> AccessKey,
    ) -> KnownGuards {
        let mut accesses = Accesses::new(counted_as);
        // In how many groups each access is, and in how many of them each lock guards it: an access counts only if it
        // holds the lock in every context.
        let mut all: Counts = Counts::new();
        let mut absolute: BTreeMap<&Path, Counts> = BTreeMap::new();
        let mut relative: BTreeMap<&Relation, Counts> = BTreeMap::new();
        let mut numbers = Vec::new();
        for (group, (character, sightings)) in groups.enumerate() {
            accesses.number(group, sightings, &mut numbers);
            count(&mut all, &numbers);
            let guards = |mode: &Mode| *mode == Mode::Exclusive || !character.writes;
            let protection = &character.protection;
            for (lock, _) in protection.absolute.iter().filter(|it| guards(it.1)) {
                count(absolute.entry(lock).or_default(), &numbers);
            }
            for (lock, _) in protection.relative.iter().filter(|it| guards(it.1)) {
                count(relative.entry(lock).or_default(), &numbers);
            }
        }
        let guarded = |counts: &Counts| {
            let counts = accesses.all.iter().zip(all.iter().zip(counts));
            let always = counts.filter(|(_, (all, count))| all == count);
            let always = always.map(|(key, _)| Guarded {
                count: 1,
                first: *key,
            });
            always.reduce(Guarded::and)
        };
        let absolute = absolute.into_iter();
        let absolute =
            absolute.filter_map(|(lock, counts)| Some((lock.clone(), guarded(&counts)?)));
        let relative = relative.into_iter();
        let relative =
            relative.filter_map(|(lock, counts)| Some((lock.clone(), guarded(&counts)?)));
        let (absolute, relative) = (absolute.collect(), relative.collect());
        KnownGuards {
            absolute,
            relative,
            accesses: accesses.all.into_iter().collect(),
        }
    }

    /// Whether no access is counted in both.
    pub fn is_apart_from(&self, other: &KnownGuards) -> bool {
        self.accesses.is_disjoint(&other.accesses)
    }
}

/// By the numbers of accesses; those behind the end are zero.
type Counts = Vec<u32>;

/// The accesses of a location with numbers.
struct Accesses<'c> {
    counted_as: &'c dyn Fn(AccessKey) -> AccessKey,
    /// An access is sighted in many contexts.
    known: FxHashMap<AccessKey, u32>,
    all: Vec<AccessKey>,
    numbers: FxHashMap<AccessKey, u32>,
    /// By number, the group in which an access was seen last.
    latest: Vec<Option<usize>>,
}

impl<'c> Accesses<'c> {
    fn new(counted_as: &'c dyn Fn(AccessKey) -> AccessKey) -> Accesses<'c> {
        Accesses {
            counted_as,
            known: FxHashMap::default(),
            all: Vec::new(),
            numbers: FxHashMap::default(),
            latest: Vec::new(),
        }
    }

    /// Finds the numbers of the accesses that are sighted in a group, each once.
    fn number(&mut self, group: usize, sightings: &[Sighting], found: &mut Vec<u32>) {
        found.clear();
        for sighting in sightings {
            let key = (sighting.function, sighting.access);
            let number = *self.known.entry(key).or_insert_with(|| {
                let key = (self.counted_as)(key);
                *self.numbers.entry(key).or_insert_with(|| {
                    self.all.push(key);
                    self.latest.push(None);
                    self.all.len() as u32 - 1
                })
            });
            if self.latest[number as usize].replace(group) != Some(group) {
                found.push(number);
            }
        }
    }
}

fn count(counts: &mut Counts, numbers: &[u32]) {
    for number in numbers.iter().map(|number| *number as usize) {
        if counts.len() <= number {
            counts.resize(number + 1, 0);
        }
        counts[number] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::RecordRef;
    use crate::races::location::Location;
    use crate::races::moments::When;
    use crate::races::protection::Accessed;
    use crate::races::random::Random;
    use crate::symexec::{Root, Step};
    use crate::threads::ContextId;
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use ustr::Ustr;

    fn member(name: &str) -> Path {
        let object = Path::new(Root::Formal(0)).then(Step::Deref);
        object.then(Step::Field {
            record: RecordRef::defined("object", 7, 0),
            name: Ustr::from(name),
        })
    }

    fn character(random: &mut Random) -> Character {
        let mut protection = Protection::default();
        let place = member("place");
        for number in 0..5 {
            let mode = match random.below(4) {
                0 => Mode::Shared,
                1 | 2 => Mode::Exclusive,
                _ => continue,
            };
            if number < 3 {
                protection.name(Path::new(Root::Formal(number)), mode);
                continue;
            }
            let accessed = Accessed {
                path: &place,
                owns: false,
                stretches: false,
            };
            protection.relate(&member(&format!("lock{number}")), &accessed, mode);
        }
        Character {
            writes: random.below(2) == 0,
            atomic: false,
            absolute: None,
            relative: None,
            protection,
            held_somewhere: BTreeSet::new(),
            when: Arc::new(When::for_tests()),
            owned: None,
            unordered: false,
            had_last: false,
            others: None,
            given_up: false,
        }
    }

    fn location(random: &mut Random) -> Location {
        let mut location = Location::default();
        for _ in 0..=random.below(6) {
            let sightings = (0..=random.below(5)).map(|context| Sighting {
                function: FunctionId(random.below(2) as u32),
                access: random.below(6) as u32,
                context: ContextId(context as u32),
            });
            let sightings = sightings.collect();
            location
                .groups
                .push((Arc::new(character(random)), sightings));
        }
        location
    }

    /// `x++` is counted as its write.
    fn counted_as((function, access): AccessKey) -> AccessKey {
        (function, access & !1)
    }

    /// Asks of each lock and each access whether the lock guards the access wherever it is seen.
    fn naive(location: &Location) -> Option<(GuardLock, usize, usize, AccessKey)> {
        let seen = |key: AccessKey| {
            location.groups.iter().filter(move |(_, sightings)| {
                let mut keys = sightings.iter().map(|it| (it.function, it.access));
                keys.any(|it| counted_as(it) == key)
            })
        };
        let sightings = location.groups.iter().flat_map(|(_, sightings)| sightings);
        let all: BTreeSet<AccessKey> = sightings
            .map(|it| counted_as((it.function, it.access)))
            .collect();
        let mut locks: BTreeSet<GuardLock> = BTreeSet::new();
        for (character, _) in &location.groups {
            let protection = &character.protection;
            locks.extend(protection.absolute.keys().cloned().map(GuardLock::Absolute));
            locks.extend(protection.relative.keys().cloned().map(GuardLock::Relative));
        }
        let mut best: Option<(GuardLock, usize, usize, AccessKey)> = None;
        for lock in locks {
            let holds = |key: &&AccessKey| {
                seen(**key).all(|(it, _)| lock.guards(&it.protection, it.writes))
            };
            let held: Vec<&AccessKey> = all.iter().filter(holds).collect();
            let is_better = best.as_ref().is_none_or(|best| held.len() > best.1);
            if let Some(example) = held.first()
                && held.len() < all.len()
                && is_better
            {
                best = Some((lock, held.len(), all.len(), **example));
            }
        }
        best
    }

    #[test]
    fn the_guard_is_that_of_the_naive_twin() {
        let mut random = Random(1);
        let (mut guarded, mut parted) = (0, 0);
        for _ in 0..2_000 {
            let location = location(&mut random);
            let groups = location.groups.iter();
            let groups = groups.map(|(character, sightings)| (&**character, &sightings[..]));
            let all = KnownGuards::new(groups.clone(), &counted_as);
            let told = |it: Guard| (it.lock, it.held, it.accesses, it.example);
            let found = guard(&[&all]).map(told);
            guarded += usize::from(found.is_some());
            assert_eq!(found, naive(&location));
            // In two parts it is the same, if they have no access in common.
            let at = random.below(location.groups.len() as u64) as usize;
            let first = KnownGuards::new(groups.clone().take(at), &counted_as);
            let second = KnownGuards::new(groups.skip(at), &counted_as);
            if first.is_apart_from(&second) {
                parted += usize::from(found.is_some());
                assert_eq!(guard(&[&first, &second]).map(told), found);
            }
        }
        assert!(guarded > 500 && parted > 50, "{guarded} {parted}");
    }
}
