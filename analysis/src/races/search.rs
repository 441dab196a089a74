//! Looks for the races of locations.

use super::acceptance::{Accepted, AcceptedStatements};
use super::access_index::{AccessIndex, AccessNumber};
use super::evidence::{Evidence, rank};
use super::guards::{self, AccessKey, Guard, KnownGuards};
use super::identity::fingerprint;
use super::location::{Location, Viewed};
use super::naming::{Names, UNNAMED, location_name, naming_quality};
use super::overlap::Memory;
use super::pairing::{self, Pair, Race};
use super::protection::Protection;
use super::publication;
use super::read_modify_write::write_of;
use super::sighting::{Sighting, Surroundings, held_locks};
use super::whole_object::{Member, Split, WholeObjects};
use super::whole_program::Work;
use crate::accesses::{Access, Facts};
use crate::callgraph::FunctionId;
use crate::points_to::Class;
use crate::stop::{self, Aside, Stop};
use crate::symexec::Targets;
use crate::threads::Contexts;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// What was found at a location.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Found {
    pub race: Option<Arc<Race>>,
    /// The one that the user accepts.
    pub accepted: Option<Arc<Race>>,
    /// There were more situations than are compared.
    pub is_cut: bool,
    /// There were more accesses, counted once for each context, than are looked at.
    pub is_often: bool,
    /// Memory whose address is stored by an access that races, so that it becomes known without order.
    pub published: Vec<Class>,
}

/// By location. What is missing is as without: in order nothing was found there, and without order what was found in order.
/// After an edit that changes nothing of it, it is that of before.
pub(super) type FoundRaces = Arc<BTreeMap<Class, Found>>;

/// What was found at each location, where `unordered` is to be believed rather than `found`.
pub(super) fn by_location<'f>(
    found: &'f FoundRaces,
    unordered: &'f FoundRaces,
) -> BTreeMap<Class, &'f Found> {
    let all = found.iter().chain(unordered.iter());
    all.map(|(class, found)| (*class, found)).collect()
}

impl Found {
    pub fn races(&self) -> impl Iterator<Item = &Arc<Race>> + Clone {
        self.race.iter().chain(&self.accepted)
    }
}

/// What locations are like if addresses are made known without order. Those that are missing are found anew.
pub(super) type Locations = FxHashMap<Class, Unordered>;

pub(super) enum Unordered {
    /// The same, whichever addresses they are.
    Same,
    /// Made from what they are like in order.
    Made(Location),
}

/// Larger locations take more memory to keep than time to find.
const MOST_KEPT_GROUPS: usize = 256;

/// Says whether accesses of one location are such as are meant.
pub(super) type AreSuch<'a> = dyn Fn(&[AccessNumber]) -> bool + Sync + 'a;

/// What one search leaves to the next.
pub(super) enum Known<'k> {
    Nothing,
    /// Locations and races, if every address is made known in order.
    InOrder(&'k Locations, &'k FoundRaces),
}

pub(super) struct Search<'s> {
    surroundings: &'s Surroundings<'s>,
    facts: &'s Facts,
    contexts: &'s Contexts,
    accepted: &'s AcceptedStatements,
    stop: &'s Stop,
    /// By function and access, as what it is counted: an access is part of many locations.
    counted_as: OnceLock<CountedAs>,
    objects: WholeObjects,
}

/// Made when the first is asked for: most edits lead to no location.
type CountedAs = Vec<OnceLock<Box<[OnceLock<u32>]>>>;

/// What was found before an edit.
#[derive(Clone, Copy)]
pub(super) struct StillKnown<'k> {
    pub found: &'k FoundRaces,
    /// The locations at which it may be different now.
    pub affected: &'k BTreeSet<Class>,
}

impl StillKnown<'_> {
    /// What is found, if this is all that there is at the locations that may be different.
    fn with(self, mut now: BTreeMap<Class, Found>) -> FoundRaces {
        let mut found = self.found.clone();
        for class in self.affected {
            let now = now.remove(class);
            // What is equal stays the same, and is seen to at once.
            if found.get(class) == now.as_ref() {
                continue;
            }
            let found = Arc::make_mut(&mut found);
            match now {
                Some(now) => found.insert(*class, now),
                None => found.remove(class),
            };
        }
        found
    }
}

impl<'s> Search<'s> {
    pub fn new(
        surroundings: &'s Surroundings<'s>,
        facts: &'s Facts,
        contexts: &'s Contexts,
        work: Work<'s>,
    ) -> Search<'s> {
        Search {
            surroundings,
            facts,
            contexts,
            accepted: &work.options.accepted,
            stop: work.stop,
            counted_as: OnceLock::new(),
            objects: WholeObjects::default(),
        }
    }

    /// The races of the locations with such accesses.
    pub fn everywhere(
        &self,
        index: &AccessIndex,
        still: Option<StillKnown<'_>>,
        is_wanted: &AreSuch<'_>,
        known: Known<'_>,
    ) -> (FoundRaces, Locations) {
        let is_wanted = |accesses: &[AccessNumber]| {
            is_wanted(accesses) && pairing::is_reached_by_several(self.contexts, accesses)
        };
        let wanted: Vec<(Class, &[AccessNumber])> = match still {
            None => index.iter().filter(|one| is_wanted(one.1)).collect(),
            Some(still) => {
                let affected = still.affected.iter();
                let affected = affected.filter_map(|class| Some((*class, index.get(*class)?)));
                affected.filter(|one| is_wanted(one.1)).collect()
            }
        };
        let all: Vec<Aside<(Class, Found, Option<Unordered>)>> = wanted
            .par_iter()
            .map(|(class, accesses)| {
                self.stop.check();
                let find = || self.at(*class, accesses, &known);
                self.stop.aside(self.stop.heard(find))
            })
            .collect();
        let mut kept = Locations::default();
        let mut now = BTreeMap::new();
        for (class, races, unordered) in all.into_iter().map(Aside::into_inner) {
            let is_as_without = match known {
                Known::Nothing => races == Found::default(),
                Known::InOrder(_, found) => match found.get(&class) {
                    Some(found) => races == *found,
                    None => races == Found::default(),
                },
            };
            if !is_as_without {
                now.insert(class, races);
            }
            kept.extend(unordered.map(|unordered| (class, unordered)));
        }
        let found = match still {
            Some(still) => still.with(now),
            None => Arc::new(now),
        };
        (found, kept)
    }

    /// What is found at a location, and what is kept of it.
    fn at(
        &self,
        class: Class,
        accesses: &[AccessNumber],
        known: &Known<'_>,
    ) -> (Class, Found, Option<Unordered>) {
        if let Some(found) = self.found_without_order(class, accesses, known) {
            return (class, found, None);
        }
        if let Some(found) = self.found_at_member(class, accesses) {
            return (class, found, None);
        }
        let location = self.location(class, accesses);
        let found = self.races(&location);
        let unordered = match publication::may_matter(&location) {
            false => Some(Unordered::Same),
            true if location.groups.len() > MOST_KEPT_GROUPS => None,
            true => Some(Unordered::Made(location)),
        };
        (class, found, unordered)
    }

    fn location(&self, class: Class, accesses: &[AccessNumber]) -> Location {
        Location::new(self.surroundings, class, accesses)
    }

    /// What is found at a member of an object that many accesses touch as a whole. `None` if it is not such a member.
    fn found_at_member(&self, class: Class, accesses: &[AccessNumber]) -> Option<Found> {
        let is_accepted = |(function, access): &AccessNumber| {
            let facts = &self.facts[function.0 as usize];
            let statement = facts.accesses[*access as usize].statement;
            self.accepted.contains(&(*function, statement))
        };
        if !self.accepted.is_empty() && accesses.iter().any(is_accepted) {
            return None;
        }
        let split = Split::new(self.surroundings, class, accesses)?;
        let object = self.objects.of(self.surroundings, &split);
        let member = object.member(self.surroundings, &split)?;
        // One more than are compared, so that it is seen that there are more.
        let viewed = member.viewed(pairing::MOST_GROUPS + 1);
        let race = self.race(&viewed, self.pairs(&viewed), Some(&member));
        let found = self.found(&viewed, race, None);
        // Tests compare it with what is found without the others.
        debug_assert_eq!(found, self.races(&self.location(class, accesses)));
        Some(found)
    }

    /// What is found at a location that is known as it is if every address is made known in order.
    fn found_without_order(
        &self,
        class: Class,
        accesses: &[AccessNumber],
        known: &Known<'_>,
    ) -> Option<Found> {
        let Known::InOrder(locations, found) = known else {
            return None;
        };
        let unordered = &self.surroundings.unordered;
        let other = match locations.get(&class)? {
            Unordered::Same => None,
            Unordered::Made(location) => {
                let turn = |sighting| self.turn(sighting);
                publication::without_order(location, self.facts, unordered, &turn)
            }
        };
        let result = match other {
            Some(other) => self.races(&other),
            None => found.get(&class).cloned().unwrap_or_default(),
        };
        // Tests compare it with what is found from the start.
        debug_assert_eq!(result, self.races(&self.location(class, accesses)));
        Some(result)
    }

    /// When an access of a location is looked at in a context.
    fn turn(&self, sighting: Sighting) -> usize {
        let mut looks = self
            .surroundings
            .looks((sighting.function, sighting.access))
            .iter();
        let turn = looks.position(|look| look.context == sighting.context);
        turn.unwrap_or(usize::MAX)
    }

    /// The race of a location without, and that with, accesses that the user accepts.
    fn races(&self, location: &Location) -> Found {
        let accepted = self.memory(|memory| {
            let accepted = Accepted {
                statements: self.accepted,
                moments: &self.surroundings.moments,
                facts: self.facts,
                memory,
            };
            let rest = accepted.left_out(location)?;
            Some((rest, accepted.pairs(location)))
        });
        let viewed = location.viewed();
        let (race, accepted) = match accepted {
            None => (self.race(&viewed, self.pairs(&viewed), None), None),
            Some((rest, accepted)) => (
                self.race(&viewed, self.pairs(&rest.viewed()), None),
                self.race(&viewed, accepted, None),
            ),
        };
        self.found(&viewed, race, accepted)
    }

    fn found(
        &self,
        location: &Viewed<'_>,
        race: Option<Arc<Race>>,
        accepted: Option<Arc<Race>>,
    ) -> Found {
        // That the user accepts a race makes no order.
        let races = race.iter().chain(&accepted).map(|race| &**race);
        Found {
            published: publication::published(self.surroundings.graph, self.facts, races),
            race,
            accepted,
            is_cut: location.groups.len() > pairing::MOST_GROUPS,
            is_often: location.is_often,
        }
    }

    fn pairs(&self, location: &Viewed<'_>) -> Vec<Pair> {
        let moments = &self.surroundings.moments;
        self.memory(|memory| pairing::pairs(location, moments, self.facts, memory))
    }

    /// Does something with what tells memory apart.
    fn memory<T>(&self, with: impl FnOnce(Memory<'_>) -> T) -> T {
        let functions = self.surroundings.graph.functions;
        let points_to = self.surroundings.graph.points_to();
        with(Memory {
            is_given_once: &|site| pairing::is_given_once(functions, self.contexts, site),
            gives_once: &|counter| self.surroundings.counters.contains(&counter),
            share_storage: &|record, one, other| points_to.share_storage(record, one, other),
        })
    }

    /// `member` is the location as a member of an object, if it is one.
    fn race(
        &self,
        location: &Viewed<'_>,
        mut pairs: Vec<Pair>,
        member: Option<&Member<'_>>,
    ) -> Option<Arc<Race>> {
        if pairs.is_empty() {
            return None;
        }
        // Stable: pairs of equal weight stay in the order of the text.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.weight()));
        let best = pairs[0];
        let name = self.location_name(location, &pairs);
        let guard = self.guard(location, member);
        let reasons = self.evidence(guard, best, &name).reasons();
        let id = fingerprint(self.identity(&name, best).iter().map(String::as_str));
        Some(Arc::new(Race {
            id,
            rank: rank(&reasons),
            location: name,
            reasons,
            pairs,
        }))
    }

    /// The lock that seems to guard a location.
    fn guard(&self, location: &Viewed<'_>, member: Option<&Member<'_>>) -> Option<Guard> {
        let counted_as = |access| self.counted_as(access);
        if let Some((own, around)) = member.and_then(|member| member.guards(&counted_as)) {
            return guards::guard(&[&own, around]);
        }
        let whole = member.map(|member| member.viewed(usize::MAX));
        let groups = || whole.as_ref().unwrap_or(location).groups.iter();
        // Many locations have nothing to do with locks.
        let has_lock = |protection: &Protection| {
            !protection.absolute.is_empty() || !protection.relative.is_empty()
        };
        if !groups().any(|group| has_lock(&group.character.protection)) {
            return None;
        }
        let groups = groups().map(|group| (group.character, group.sightings));
        guards::guard(&[&KnownGuards::new(groups, &counted_as)])
    }

    fn access(&self, sighting: Sighting) -> &Access {
        &self.facts[sighting.function.0 as usize].accesses[sighting.access as usize]
    }

    fn names(&self, function: FunctionId) -> Names<'_> {
        Names::new(self.surroundings.graph.functions, self.facts, function)
    }

    /// What is accessed, by the access that names it best: a variable before a member before a pointer.
    /// One that touches the whole object around the location names too much.
    fn location_name(&self, location: &Viewed<'_>, pairs: &[Pair]) -> String {
        let candidates = pairs
            .iter()
            .take(50)
            .flat_map(|pair| [pair.first, pair.second]);
        let best = candidates
            .filter_map(|sighting| match &self.access(sighting).place {
                Targets::Exactly(path) => {
                    let key = (sighting.function, sighting.access);
                    let is_around = location.around.contains(&key);
                    Some(((is_around, naming_quality(path)), sighting, path))
                }
                _ => None,
            })
            .min_by(|left, right| (left.0, left.1).cmp(&(right.0, right.1)));
        match best {
            Some((_, sighting, path)) => location_name(path, self.names(sighting.function)),
            None => UNNAMED.to_string(),
        }
    }

    fn identity(&self, name: &str, pair: Pair) -> Vec<String> {
        let side = |sighting: Sighting| {
            let access = self.access(sighting);
            let function = self.surroundings.graph.functions.body(sighting.function);
            format!("{}:{:?}", function.function.name, access.kind)
        };
        let mut sides = [side(pair.first), side(pair.second)];
        sides.sort();
        let [first, second] = sides;
        vec![name.to_string(), first, second]
    }

    fn evidence<'e>(&self, guard: Option<Guard>, best: Pair, name: &'e str) -> Evidence<'e> {
        let guard = guard.and_then(|guard| {
            let (function, access) = guard.example;
            let access = &self.facts[function.0 as usize].accesses[access as usize];
            let context = self.contexts.of(function).next()?;
            let held = held_locks(access, function, context.1).into_iter();
            let mut guards = held.filter(|(path, held)| {
                let alone = BTreeMap::from([(path.clone(), *held)]);
                let character = self
                    .surroundings
                    .character_holding(access, function, context, alone);
                guard.lock.guards(&character.protection, character.writes)
            });
            let (lock, _) = guards.next()?;
            Some((guard, self.names(function).path(&lock)))
        });
        let (first, second) = (self.access(best.first), self.access(best.second));
        let roots = [best.first_root, best.second_root].map(|root| self.contexts.root(root));
        Evidence {
            pair: best,
            location: name,
            guard,
            frees: first.frees || second.frees,
            atomic_on_one_side: first.atomic != second.atomic,
            same_entry: roots[0].entry == roots[1].entry,
            locks_sometimes: self.locks_sometimes(best.first, second)
                || self.locks_sometimes(best.second, first),
        }
    }

    /// The access that one is counted as: that of `x++` which writes, for that which reads.
    fn counted_as(&self, (function, access): AccessKey) -> AccessKey {
        let facts = &self.facts[function.0 as usize];
        let all = self
            .counted_as
            .get_or_init(|| self.facts.iter().map(|_| OnceLock::new()).collect());
        let of_function = all[function.0 as usize].get_or_init(|| {
            let accesses = facts.accesses.iter();
            accesses.map(|_| OnceLock::new()).collect()
        });
        let counted = of_function[access as usize].get_or_init(|| {
            stop::ask();
            let body = self.surroundings.graph.functions.body(function);
            write_of(body, facts, access).unwrap_or(access)
        });
        (function, *counted)
    }

    /// Whether the function of one side takes, elsewhere, a lock that the other side holds.
    fn locks_sometimes(&self, sighting: Sighting, other: &Access) -> bool {
        let facts = &self.facts[sighting.function.0 as usize];
        let wanted: Vec<_> = other
            .locks
            .held()
            .filter_map(|(path, _)| path.last_field())
            .collect();
        let elsewhere = facts.accesses.iter().map(|access| &access.locks);
        elsewhere
            .flat_map(|locks| locks.held())
            .filter_map(|(path, _)| path.last_field())
            .any(|field| wanted.contains(&field))
    }
}
