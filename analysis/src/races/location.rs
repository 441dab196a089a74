//! The accesses of one class of memory, as far as pairing has to tell them apart.

use super::access_index::AccessNumber;
use super::looks::Look;
use super::sighting::{Character, Sighting, Surroundings};
use crate::points_to::Class;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The sightings of one class of memory, those of one character together.
#[derive(Default)]
pub(super) struct Location {
    pub groups: Vec<(Arc<Character>, Vec<Sighting>)>,
    /// Accesses that reach this memory only because they touch the whole object around it.
    pub around: Around,
    /// There were more accesses, counted once for each context that makes a difference, than are looked at.
    pub is_often: bool,
}

/// Accesses, in their order.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Around(Vec<AccessNumber>);

impl Around {
    /// Adds one that comes behind all others.
    pub fn add(&mut self, access: AccessNumber) {
        debug_assert!(self.0.last().is_none_or(|last| *last < access));
        self.0.push(access);
    }

    pub fn contains(&self, access: &AccessNumber) -> bool {
        self.0.binary_search(access).is_ok()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn all(&self) -> &[AccessNumber] {
        &self.0
    }
}

/// So many sightings of one character are told apart in pairs.
pub(super) const MOST_OF_A_GROUP: usize = 12;
/// More sightings of one location are not looked at.
pub(super) const MOST_SIGHTINGS: usize = 4_000;

/// A location while its pairs are looked for, whoever keeps its groups.
pub(super) struct Viewed<'v> {
    /// In the order in which they were first seen: all accesses in one context each, then in the next.
    pub groups: Vec<Group<'v>>,
    pub around: &'v Around,
    pub is_often: bool,
}

/// The sightings of one character.
#[derive(Clone, Copy)]
pub(super) struct Group<'v> {
    pub character: &'v Character,
    pub sightings: &'v [Sighting],
    pub reach: Reach,
}

/// How the accesses of a group reach the location.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// All by themselves.
    Inside,
    /// All because they touch the whole object around it.
    Around,
    /// That has to be looked up for each of them.
    Any,
}

impl Viewed<'_> {
    /// The sightings of a group that are told apart in pairs, and whether each touches the whole object around the location.
    pub fn shown<'g>(
        &'g self,
        group: &'g Group<'_>,
    ) -> impl Iterator<Item = (Sighting, bool)> + 'g {
        let sightings = group.sightings.iter().take(MOST_OF_A_GROUP);
        sightings.map(move |sighting| {
            let is_around = match group.reach {
                Reach::Inside => false,
                Reach::Around => true,
                Reach::Any => {
                    let key = (sighting.function, sighting.access);
                    self.around.contains(&key)
                }
            };
            (*sighting, is_around)
        })
    }

    /// Whether all of these do.
    pub fn is_around(&self, group: &Group<'_>) -> bool {
        match group.reach {
            Reach::Inside => false,
            Reach::Around => true,
            Reach::Any => self.shown(group).all(|(_, is_around)| is_around),
        }
    }
}

impl Location {
    /// Describes the accesses of one class.
    pub fn new(
        surroundings: &Surroundings<'_>,
        class: Class,
        accesses: &[AccessNumber],
    ) -> Location {
        let mut location = Location::default();
        let looks = surroundings.looks_of(accesses, |number, access| {
            if access.cell.class != class {
                location.around.add(number);
            }
        });
        location.group(accesses, &looks);
        location
    }

    /// Puts accesses that look so into groups.
    pub(super) fn group(&mut self, accesses: &[AccessNumber], looks: &[&[Look]]) {
        let mut groups: FxHashMap<u32, usize> = FxHashMap::default();
        // UNSOUND: a location with more than 4000 accesses, counted once for each context, is judged by the first
        // contexts of each.
        let mut left = MOST_SIGHTINGS;
        for turn in 0.. {
            let mut is_last = true;
            for (&(function, access), looks) in accesses.iter().zip(looks) {
                let Some(look) = looks.get(turn) else {
                    continue;
                };
                is_last = false;
                // Every access is looked at in one of its contexts at least.
                if turn > 0 && left == 0 {
                    self.is_often = true;
                    return;
                }
                left = left.saturating_sub(1);
                let at = *groups.entry(look.number).or_insert_with(|| {
                    self.groups.push((look.character.clone(), Vec::new()));
                    self.groups.len() - 1
                });
                self.groups[at].1.push(Sighting {
                    function,
                    access,
                    context: look.context,
                });
            }
            if is_last {
                break;
            }
        }
    }

    pub fn viewed(&self) -> Viewed<'_> {
        let reach = match self.around.is_empty() {
            true => Reach::Inside,
            false => Reach::Any,
        };
        let groups = self.groups.iter().map(|(character, sightings)| Group {
            character,
            sightings,
            reach,
        });
        Viewed {
            groups: groups.collect(),
            around: &self.around,
            is_often: self.is_often,
        }
    }
}
