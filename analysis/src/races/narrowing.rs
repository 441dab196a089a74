//! At which locations the accesses of functions that changed are not what they were. At the others, the races are those of before, with the numbers that
//! accesses have now.

use super::access_index::{AccessNumber, Indexed};
use super::kept::LocationsAgain;
use super::looks::Look;
use super::matched::matched;
use super::moved::Version;
use super::naming::Names;
use super::other_names::{OtherNames, are_places_alike};
use super::pairing::{Pair, Race};
use super::search::{Found, FoundRaces};
use super::sighting::{Sighting, Surroundings, held_locks};
use crate::accesses::{Access, FunctionFacts};
use crate::callgraph::FunctionId;
use crate::ir::{AccessKind, RecordRef};
use crate::points_to::Class;
use crate::symexec::{Path, Root, Targets};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use ustr::Ustr;

/// The numbers that the accesses of functions had before an edit and have now, where they are not the same.
#[derive(Default)]
struct Renumbered(FxHashMap<FunctionId, Vec<Option<u32>>>);

impl LocationsAgain<'_> {
    /// Looks at the accesses of the functions that changed, and leaves those locations alone at which they are and look as
    /// they did.
    pub fn narrow(&mut self, surroundings: &Surroundings<'_>) {
        // The looks of before can be compared only if equal ones have equal numbers.
        if !Arc::ptr_eq(
            &self.before.kept.looks.characters,
            &surroundings.known.characters,
        ) {
            return;
        }
        let versions = Versions::new(self, surroundings);
        let Narrowed {
            affected,
            renumbered,
        } = versions.narrowed();
        debug_assert!(affected.is_subset(&self.affected));
        if !renumbered.0.is_empty() {
            let stays = |class: &&Class| !affected.contains(class);
            let moved: Vec<Class> = self.affected.iter().filter(stays).copied().collect();
            self.found = renumbered.all(&self.found, &moved);
            self.found_unordered = renumbered.all(&self.found_unordered, &moved);
        }
        self.affected = affected;
    }
}

impl Renumbered {
    /// What was found, with the numbers of now at these locations.
    fn all(&self, found: &FoundRaces, at: &[Class]) -> FoundRaces {
        let mut all = found.clone();
        for class in at {
            if let Some(now) = found.get(class).and_then(|found| self.found(found)) {
                Arc::make_mut(&mut all).insert(*class, now);
            }
        }
        all
    }

    /// `None` if it stays the same.
    fn found(&self, found: &Found) -> Option<Found> {
        let race = |race: &Option<Arc<Race>>| race.as_ref().and_then(|race| self.race(race));
        let (open, accepted) = (race(&found.race), race(&found.accepted));
        (open.is_some() || accepted.is_some()).then(|| Found {
            race: open.or_else(|| found.race.clone()),
            accepted: accepted.or_else(|| found.accepted.clone()),
            ..found.clone()
        })
    }

    fn race(&self, race: &Race) -> Option<Arc<Race>> {
        let pairs = race.pairs.iter().map(|pair| Pair {
            first: self.sighting(pair.first),
            second: self.sighting(pair.second),
            ..*pair
        });
        let pairs: Vec<Pair> = pairs.collect();
        (pairs != race.pairs).then(|| {
            Arc::new(Race {
                pairs,
                ..race.clone()
            })
        })
    }

    fn sighting(&self, sighting: Sighting) -> Sighting {
        let numbers = self.0.get(&sighting.function);
        let now = numbers.and_then(|numbers| numbers[sighting.access as usize]);
        Sighting {
            access: now.unwrap_or(sighting.access),
            ..sighting
        }
    }
}

/// Says whether looks of before and of now are the same.
type AreSame<'a> = dyn FnMut(&[Look], &[Look]) -> bool + 'a;

/// The locations that are left.
#[derive(Default)]
struct Narrowed {
    affected: BTreeSet<Class>,
    renumbered: Renumbered,
}

/// A program before and after an edit.
struct Versions<'v> {
    again: &'v LocationsAgain<'v>,
    surroundings: &'v Surroundings<'v>,
    before: Version<'v>,
    now: Version<'v>,
}

impl<'v> Versions<'v> {
    fn new(again: &'v LocationsAgain<'v>, surroundings: &'v Surroundings<'v>) -> Versions<'v> {
        Versions {
            again,
            surroundings,
            before: Version {
                functions: &again.before.functions,
                facts: &again.before.kept.facts,
                contexts: &again.before.contexts,
            },
            now: Version {
                functions: surroundings.graph.functions,
                facts: surroundings.facts,
                contexts: surroundings.contexts,
            },
        }
    }

    fn narrowed(&self) -> Narrowed {
        let mut names = OtherNames::default();
        let narrowed = self.narrowed_with(&mut |old, new| names.note(old, new));
        if names.are_the_same()
            || (names.are_one_to_one() && !self.concern_others(&names, &narrowed))
        {
            return narrowed;
        }
        self.narrowed_with(&mut |old, new| {
            let is_same =
                |(old, new): (&Look, &Look)| old.context == new.context && old.number == new.number;
            old.len() == new.len() && old.iter().zip(new).all(is_same)
        })
    }

    /// The locations that are left if looks are compared so.
    fn narrowed_with(&self, are_same: &mut AreSame<'_>) -> Narrowed {
        let mut narrowed = Narrowed {
            affected: self.again.touched_otherwise.clone(),
            renumbered: Renumbered::default(),
        };
        for &function in &self.again.changed {
            let numbers = self.unchanged(function, are_same);
            self.add_others(function, &numbers, &mut narrowed.affected);
            let is_moved =
                |(old, new): (usize, &Option<u32>)| new.is_some_and(|new| new as usize != old);
            if numbers.iter().enumerate().any(is_moved) {
                narrowed.renumbered.0.insert(function, numbers);
            }
        }
        narrowed
    }

    /// Whether other functions have accesses at the locations that stay which look as one with another name did or does.
    fn concern_others(&self, names: &OtherNames, narrowed: &Narrowed) -> bool {
        let changed: FxHashSet<FunctionId> = self.again.changed.iter().copied().collect();
        let mut seen: FxHashSet<AccessNumber> = FxHashSet::default();
        let accessed = self.again.affected.iter();
        let mut staying = accessed.filter(|class| !narrowed.affected.contains(class));
        staying.any(|class| {
            let accesses = self.again.index.get(*class).into_iter().flatten();
            let mut others = accesses.filter(|access| !changed.contains(&access.0));
            others.any(|&access| {
                // They look as they did, also if that was not asked for since they have moved.
                seen.insert(access) && { self.surroundings.looks(access).iter() }
                    .any(|look| names.concern(look))
            })
        })
    }

    fn both<T>(&self, of: impl Fn(&Version<'v>) -> T) -> [T; 2] {
        [of(&self.before), of(&self.now)]
    }

    /// By the number that each access of a function had, the number that it has now if it is the same access and looks as it did. All that
    /// the races of its locations are made from is then the same, and so is what is said about them.
    fn unchanged(&self, function: FunctionId, are_same: &mut AreSame<'_>) -> Vec<Option<u32>> {
        let [old, new] = self.both(|version| &version.facts[function.0 as usize]);
        let none = || vec![None; old.accesses.len()];
        if self
            .both(|version| version.contexts.count(function))
            .contains(&0)
            || self.again.with_accepted.contains(&function)
            || locked_members(old) != locked_members(new)
        {
            return none();
        }
        let is_same = |one: usize, other: usize| is_same(&old.accesses[one], &new.accesses[other]);
        let mut numbers = matched(old.accesses.len(), new.accesses.len(), is_same);
        // Pairs stand in the order of statements, and there is one for each two of them.
        let mut latest: Option<(usize, usize)> = None;
        for (one, number) in numbers.iter_mut().enumerate() {
            let Some(other) = number.map(|number| number as usize) else {
                continue;
            };
            let follows = latest.is_none_or(|(before, now)| {
                let order = |facts: &FunctionFacts, first: usize, second: usize| {
                    let [first, second] = [first, second].map(|at| facts.accesses[at].statement);
                    first.cmp(&second)
                };
                let now = order(new, now, other);
                now.is_le() && now == order(old, before, one)
            });
            if follows && self.is_unchanged(function, one as u32, other as u32, are_same) {
                latest = Some((one, other));
            } else {
                *number = None;
            }
        }
        let serves_the_same = |one: usize, other: u32| {
            let [was, is] = [
                self.before.write_of(function, one as u32),
                self.now.write_of(function, other),
            ];
            match was {
                Some(write) => is.is_some() && numbers[write as usize] == is,
                None => is.is_none(),
            }
        };
        let numbered = numbers.iter().enumerate();
        let numbered =
            numbered.map(|(one, other)| other.filter(|other| serves_the_same(one, *other)));
        numbered.collect()
    }

    /// Of accesses to the same place.
    fn is_unchanged(
        &self,
        function: FunctionId,
        was: u32,
        is: u32,
        are_same: &mut AreSame<'_>,
    ) -> bool {
        let [old, new] = [(&self.before, was), (&self.now, is)]
            .map(|(version, number)| &version.facts[function.0 as usize].accesses[number as usize]);
        let stores_pointer = self.now.stores_pointer(function, new.statement);
        self.before.stores_pointer(function, old.statement) == stores_pointer
            && (self.again.has_pointers || self.leads_where_it_did(new, stores_pointer))
            && self.is_called_as_before(function, old, new)
            && self.looks_as_before(function, was, is, are_same)
    }

    /// Whether the same memory is touched, and made known if an address is stored.
    fn leads_where_it_did(&self, access: &Access, stores_pointer: bool) -> bool {
        let class = access.cell.class;
        let (before, now) = (
            &*self.again.before.points_to,
            self.surroundings.graph.points_to(),
        );
        (!access.cell.whole || before.parts(class) == now.parts(class))
            && (!stores_pointer
                || access.kind == AccessKind::Read
                || before.deref(class) == now.deref(class))
    }

    /// Whether what is said about the place and the locks of an access is the same.
    fn is_called_as_before(&self, function: FunctionId, old: &Access, new: &Access) -> bool {
        let members = |access: &Access| -> BTreeSet<_> {
            let held = access.locks.held();
            held.filter_map(|(path, _)| path.last_field()).collect()
        };
        let [was, is] = self.both(|version| Names::new(version.functions, version.facts, function));
        if let (Targets::Exactly(place), Targets::Exactly(place_now)) = (&old.place, &new.place)
            && was.path(place) != is.path(place_now)
        {
            return false;
        }
        // What is said about a lock is said as the first context has it.
        let [was_in, is_in] = self.both(|version| version.contexts.of(function).next());
        let (Some((_, was_in, _)), Some((_, is_in, _))) = (was_in, is_in) else {
            return false;
        };
        let held_before = held_locks(old, function, was_in);
        let held = held_locks(new, function, is_in);
        let is_named_alike = || {
            let place = match &new.place {
                Targets::Exactly(place) => Some(place),
                Targets::OneOf(_) | Targets::Unknown => None,
            };
            let place = new.own_element.iter().chain(place);
            let paths = held.keys().chain(place);
            { self.surroundings }.are_named_alike(function, [was_in, is_in], paths)
        };
        let both = held_before.iter().zip(&held);
        held_before.len() == held.len()
            && both
                .into_iter()
                .all(|((lock, was_held), (other, is_held))| {
                    lock == other
                        && was_held.mode == is_held.mode
                        && was.path(lock) == is.path(lock)
                        && self.has_variables_of(function, lock)
                        && self.is_the_lock_that_it_was(function, lock)
                })
            && (held.is_empty()
                || ((was_in == is_in || is_named_alike())
                    && self.lies_to_locks_as_before(function, held.keys(), old, new)))
            && members(old) == members(new)
    }

    /// Whether an access lies to these locks as it did.
    fn lies_to_locks_as_before<'l>(
        &self,
        function: FunctionId,
        mut locks: impl Iterator<Item = &'l Path>,
        old: &Access,
        new: &Access,
    ) -> bool {
        let has_variables = |path: &Path| self.has_variables_of(function, path);
        let is_placed = match (&old.place, &new.place) {
            (one, other) if one == other => match other {
                Targets::Exactly(path) => has_variables(path),
                Targets::OneOf(_) | Targets::Unknown => true,
            },
            // Only what starts from the same value has to do with what a value points to.
            (Targets::Exactly(one), Targets::Exactly(other)) => {
                let is_value = |path: &Path| matches!(path.root, Root::Value(_));
                let is_apart = |lock: &Path| {
                    lock.all_roots(&|root| !matches!(root, Root::Value(_) | Root::Local(_)))
                };
                is_value(one) && is_value(other) && locks.all(is_apart)
            }
            _ => false,
        };
        is_placed && new.own_element.as_ref().is_none_or(has_variables)
    }

    /// Whether the variables of a function on the way are those that they were.
    fn has_variables_of(&self, function: FunctionId, path: &Path) -> bool {
        path.all_roots(&|root| match root {
            Root::Local(local) => {
                let [was, is] =
                    self.both(|version| version.functions.body(function).variable(local));
                was == is
            }
            _ => true,
        })
    }

    fn is_the_lock_that_it_was(&self, function: FunctionId, lock: &Path) -> bool {
        let known = self.again.before.kept.sole_locks.known(function, lock);
        // Nobody asks about locks that have a name for everybody.
        known.is_none_or(|known| known == self.surroundings.sole_lock(function, lock))
    }

    /// Whether an access is seen in the same contexts and looks the same there. What its looks would be if addresses were made known without order
    /// follows from that.
    fn looks_as_before(
        &self,
        function: FunctionId,
        was: u32,
        is: u32,
        are_same: &mut AreSame<'_>,
    ) -> bool {
        let known = &self.again.before.kept.looks.points;
        let Some(old) = known.looks_of(function, was) else {
            return false;
        };
        let new = self.surroundings.looks((function, is));
        are_same(&old, new)
    }

    /// Adds the locations of all other accesses of a function, before and now.
    fn add_others(
        &self,
        function: FunctionId,
        numbers: &[Option<u32>],
        affected: &mut BTreeSet<Class>,
    ) {
        let before = &self.again.before;
        let indexed = [
            Indexed {
                points_to: &before.points_to,
                facts: &before.kept.facts,
                contexts: &before.contexts,
            },
            Indexed {
                points_to: self.surroundings.graph.points_to(),
                facts: self.surroundings.facts,
                contexts: self.surroundings.contexts,
            },
        ];
        let unchanged: [BTreeSet<u32>; 2] = [
            (0..)
                .zip(numbers)
                .filter_map(|(at, to)| to.map(|_| at))
                .collect(),
            numbers.iter().copied().flatten().collect(),
        ];
        for (program, unchanged) in indexed.iter().zip(&unchanged) {
            program.each_access(function, &mut |class, (_, number)| {
                if !unchanged.contains(&number) {
                    affected.insert(class);
                }
            });
        }
    }
}

/// Whether two accesses do the same to the same place, by whatever name of the function, wherever they stand and whatever is known there.
fn is_same(one: &Access, other: &Access) -> bool {
    one.kind == other.kind
        && one.cell == other.cell
        && one.atomic == other.atomic
        && one.frees == other.frees
        && one.stretches == other.stretches
        && one.privacy.is_some() == other.privacy.is_some()
        && are_places_alike(&one.place, &other.place)
        && one.own_element == other.own_element
}

/// The members that the locks are which a function holds somewhere: that it does is said about its other accesses, too.
fn locked_members(facts: &FunctionFacts) -> BTreeSet<(RecordRef, Ustr)> {
    let locks = facts.accesses.iter().flat_map(|access| access.locks.held());
    locks.filter_map(|(path, _)| path.last_field()).collect()
}
