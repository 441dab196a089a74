//! What the accesses that touch a whole object have in common at all of its members. There may be hundreds of these accesses and hundreds of
//! members: the accesses are described once, and each member adds its own.

use super::access_index::AccessNumber;
use super::guards::{AccessKey, KnownGuards};
use super::location::{Around, Group, MOST_SIGHTINGS, Reach, Viewed};
use super::looks::Look;
use super::sighting::{Character, Sighting, Surroundings};
use crate::points_to::Class;
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// The accesses that touch a whole object.
pub(super) struct WholeObject {
    accesses: Around,
    groups: Grouped<Arc<Character>>,
    guards: OnceLock<KnownGuards>,
}

/// The objects of a program, by what touches them as a whole.
#[derive(Default)]
pub(super) struct WholeObjects(DashMap<Around, Arc<WholeObject>, FxBuildHasher>);

/// A member of an object.
pub(super) struct Member<'m> {
    object: &'m WholeObject,
    /// Its own groups in the order in which they are first seen, with those that have the character of one of the object's.
    own: Vec<OneGroup<&'m Character>>,
    /// The numbers of these groups of the object, in their order.
    mixed: Vec<usize>,
}

/// The accesses of a location by how they reach it.
pub(super) struct Split {
    own: Vec<AccessNumber>,
    around: Around,
}

/// Fewer accesses to a whole object are not worth it.
const LEAST_AROUND: usize = 4;

impl Split {
    /// `None` if few accesses touch the whole object.
    pub fn new(
        surroundings: &Surroundings<'_>,
        class: Class,
        accesses: &[AccessNumber],
    ) -> Option<Split> {
        let mut split = Split {
            own: Vec::new(),
            around: Around::default(),
        };
        for accesses in accesses.chunk_by(|one, other| one.0 == other.0) {
            let facts = &surroundings.facts[accesses[0].0.0 as usize];
            for number in accesses {
                match facts.accesses[number.1 as usize].cell.class == class {
                    true => split.own.push(*number),
                    false => split.around.add(*number),
                }
            }
        }
        (split.around.all().len() >= LEAST_AROUND).then_some(split)
    }
}

impl WholeObjects {
    /// The object that these accesses touch.
    pub fn of(&self, surroundings: &Surroundings<'_>, split: &Split) -> Arc<WholeObject> {
        if let Some(known) = self.0.get(&split.around) {
            return known.clone();
        }
        let accesses = split.around.clone();
        let looks = surroundings.looks_of(accesses.all(), |_, _| {});
        let object = Arc::new(WholeObject {
            groups: Grouped::new(accesses.all(), &looks, |look| look.character.clone()),
            accesses: accesses.clone(),
            guards: OnceLock::new(),
        });
        self.0.insert(accesses, object.clone());
        object
    }
}

impl WholeObject {
    /// One of its members. `None` if there are more sightings than are looked at.
    pub fn member<'m>(
        &'m self,
        surroundings: &'m Surroundings<'_>,
        split: &Split,
    ) -> Option<Member<'m>> {
        let looks = surroundings.looks_of(&split.own, |_, _| {});
        self.member_with(Grouped::new(&split.own, &looks, |look| &*look.character))
    }

    /// The member with these accesses of its own.
    fn member_with<'m>(&'m self, own: Grouped<&'m Character>) -> Option<Member<'m>> {
        if own.sightings + self.groups.sightings > MOST_SIGHTINGS {
            return None;
        }
        let mut mixed = Vec::new();
        let own = own.groups.into_iter().map(|mut group| {
            if let Some(at) = self.groups.by_number.get(&group.number) {
                mixed.push(*at);
                group.mix_with(&self.groups.groups[*at]);
            }
            group
        });
        let mut own: Vec<OneGroup<&'m Character>> = own.collect();
        if !mixed.is_empty() {
            mixed.sort_unstable();
            own.sort_by_key(OneGroup::first);
        }
        Some(Member {
            object: self,
            own,
            mixed,
        })
    }

    /// The locks that guard its accesses.
    fn guards(&self, counted_as: &dyn Fn(AccessKey) -> AccessKey) -> &KnownGuards {
        self.guards.get_or_init(|| {
            let groups = self.groups.groups.iter();
            KnownGuards::new(
                groups.map(|group| (&*group.character, &group.sightings[..])),
                counted_as,
            )
        })
    }
}

impl Member<'_> {
    /// Its groups, or so many of them if there are more.
    pub fn viewed(&self, most: usize) -> Viewed<'_> {
        let own = self.own.iter().map(|group| {
            let is_mixed = group.is_mixed;
            let reach = match is_mixed {
                true => Reach::Any,
                false => Reach::Inside,
            };
            let viewed = Group {
                character: group.character,
                sightings: &group.sightings,
                reach,
            };
            (group.first(), viewed)
        });
        let mut own = own.peekable();
        let mut mixed = self.mixed.iter().copied().peekable();
        let around = &self.object.groups.groups;
        let mut groups = Vec::with_capacity(most.min(self.own.len() + around.len()));
        for (index, group) in around.iter().enumerate() {
            if groups.len() >= most {
                break;
            }
            if mixed.next_if_eq(&index).is_some() {
                continue;
            }
            let first = group.first();
            while let Some((_, viewed)) = own.next_if(|own| own.0 < first) {
                groups.push(viewed);
            }
            groups.push(Group {
                character: &group.character,
                sightings: &group.sightings,
                reach: Reach::Around,
            });
        }
        groups.extend(own.map(|(_, viewed)| viewed));
        groups.truncate(most);
        Viewed {
            groups,
            around: &self.object.accesses,
            is_often: false,
        }
    }

    /// The locks that guard its accesses, and those that guard the accesses to the whole object. `None` if these are no two things.
    pub fn guards(
        &self,
        counted_as: &dyn Fn(AccessKey) -> AccessKey,
    ) -> Option<(KnownGuards, &KnownGuards)> {
        if !self.mixed.is_empty() {
            return None;
        }
        let groups = self.own.iter();
        let groups = groups.map(|group| (group.character, &group.sightings[..]));
        let own = KnownGuards::new(groups, counted_as);
        let around = self.object.guards(counted_as);
        own.is_apart_from(around).then_some((own, around))
    }
}

/// Accesses by their characters.
struct Grouped<C> {
    /// In the order in which they are first seen.
    groups: Vec<OneGroup<C>>,
    /// By the number of the character.
    by_number: FxHashMap<u32, usize>,
    sightings: usize,
}

struct OneGroup<C> {
    character: C,
    number: u32,
    sightings: SmallVec<[Sighting; 2]>,
    /// In which turn each of them is seen.
    turns: SmallVec<[u32; 4]>,
    /// Also accesses to the whole object are in it.
    is_mixed: bool,
}

/// When a sighting is seen: in which turn, and which access it is of.
type Order = (u32, AccessNumber);

impl<C> Grouped<C> {
    fn new<'l>(
        accesses: &[AccessNumber],
        looks: &[&'l [Look]],
        character: impl Fn(&'l Look) -> C,
    ) -> Grouped<C> {
        let mut grouped = Grouped {
            groups: Vec::with_capacity(accesses.len()),
            by_number: FxHashMap::default(),
            sightings: 0,
        };
        for turn in 0.. {
            let mut is_last = true;
            for (&(function, access), looks) in accesses.iter().zip(looks) {
                let Some(look) = looks.get(turn as usize) else {
                    continue;
                };
                is_last = false;
                grouped.sightings += 1;
                let groups = &mut grouped.groups;
                let at = *grouped.by_number.entry(look.number).or_insert_with(|| {
                    groups.push(OneGroup {
                        character: character(look),
                        number: look.number,
                        sightings: SmallVec::new(),
                        turns: SmallVec::new(),
                        is_mixed: false,
                    });
                    groups.len() - 1
                });
                let group = &mut groups[at];
                group.turns.push(turn);
                group.sightings.push(Sighting {
                    function,
                    access,
                    context: look.context,
                });
            }
            if is_last {
                break;
            }
        }
        grouped
    }
}

impl<C> OneGroup<C> {
    fn first(&self) -> Order {
        self.order_of(0)
    }

    fn order_of(&self, at: usize) -> Order {
        let sighting = self.sightings[at];
        (self.turns[at], (sighting.function, sighting.access))
    }

    /// Adds the sightings of another one.
    fn mix_with<D>(&mut self, other: &OneGroup<D>) {
        fn all<C>(group: &OneGroup<C>) -> impl Iterator<Item = (Order, Sighting)> + '_ {
            let sightings = group.sightings.iter().enumerate();
            sightings.map(|(at, sighting)| (group.order_of(at), *sighting))
        }
        let mut both: Vec<(Order, Sighting)> = all(self).chain(all(other)).collect();
        both.sort_by_key(|(order, _)| *order);
        self.turns = both.iter().map(|((turn, _), _)| *turn).collect();
        self.sightings = both.into_iter().map(|(_, sighting)| sighting).collect();
        self.is_mixed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgraph::FunctionId;
    use crate::races::location::Location;
    use crate::races::moments::When;
    use crate::races::protection::Protection;
    use crate::races::random::Random;
    use crate::threads::ContextId;
    use std::collections::BTreeSet;

    fn character() -> Arc<Character> {
        Arc::new(Character {
            writes: true,
            atomic: false,
            absolute: None,
            relative: None,
            protection: Protection::default(),
            held_somewhere: BTreeSet::new(),
            when: Arc::new(When::for_tests()),
            owned: None,
            unordered: false,
            had_last: false,
            others: None,
            given_up: false,
        })
    }

    /// A group: where its character lies, its sightings, those that are shown, and whether it touches the whole object.
    type Told = (usize, Vec<Sighting>, Vec<(Sighting, bool)>, bool);

    /// What pairing finds out about the groups: which characters, in which order, and what is shown of each.
    fn told(viewed: &Viewed<'_>) -> Vec<Told> {
        let groups = viewed.groups.iter();
        let told = groups.map(|group| {
            (
                std::ptr::from_ref(group.character).addr(),
                group.sightings.to_vec(),
                viewed.shown(group).collect(),
                viewed.is_around(group),
            )
        });
        told.collect()
    }

    #[test]
    fn a_member_is_what_its_accesses_make_of_it_without_the_object() {
        let mut random = Random(1);
        let characters: Vec<Arc<Character>> = (0..40).map(|_| character()).collect();
        let mut with_mixed = 0;
        for _ in 0..2_000 {
            let accesses: Vec<AccessNumber> = (0..random.below(4) as u32)
                .flat_map(|function| (0..3).map(move |access| (FunctionId(function), access)))
                .collect();
            let kinds = 1 + random.below(characters.len() as u64);
            let looks: Vec<Vec<Look>> = (0..accesses.len())
                .map(|_| {
                    let contexts = 0..random.below(4) as u32;
                    let looks = contexts.map(|context| {
                        let number = random.below(kinds) as u32;
                        Look {
                            context: ContextId(context),
                            number,
                            character: characters[number as usize].clone(),
                        }
                    });
                    looks.collect()
                })
                .collect();
            let is_around: Vec<bool> = accesses.iter().map(|_| random.below(2) == 0).collect();
            let part = |around: bool| {
                let all = accesses.iter().zip(&looks).zip(&is_around);
                let part = all.filter(move |(_, is_around)| **is_around == around);
                let part = part.map(|((access, looks), _)| (*access, &looks[..]));
                part.unzip::<_, _, Vec<AccessNumber>, Vec<&[Look]>>()
            };
            let ((own, own_looks), (around, around_looks)) = (part(false), part(true));
            let mut whole = Location::default();
            around.iter().for_each(|access| whole.around.add(*access));
            let all_looks: Vec<&[Look]> = looks.iter().map(|looks| &looks[..]).collect();
            whole.group(&accesses, &all_looks);
            let object = WholeObject {
                accesses: whole.around.clone(),
                groups: Grouped::new(&around, &around_looks, |look| look.character.clone()),
                guards: OnceLock::new(),
            };
            let own = Grouped::new(&own, &own_looks, |look| &*look.character);
            let member = object.member_with(own).expect("there are few");
            with_mixed += usize::from(!member.mixed.is_empty());
            let expected = told(&whole.viewed());
            assert_eq!(told(&member.viewed(usize::MAX)), expected);
            let most = random.below(6) as usize;
            let first = &expected[..most.min(expected.len())];
            assert_eq!(told(&member.viewed(most)), first);
        }
        assert!(with_mixed > 200, "{with_mixed}");
    }
}
