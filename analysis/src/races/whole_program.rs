//! From the bodies of a program to its races.

use super::acceptance::{Accepted, AcceptedStatements};
use super::arrays::arrays;
use super::evidence::{Evidence, rank};
use super::guards;
use super::identity::fingerprint;
use super::kept::{Kept, NamedConstraints, pointers};
use super::moments::Moments;
use super::naming::{Names, UNNAMED, location_name, naming_quality};
use super::ordering::Orders;
use super::overlap::Memory;
use super::pairing::{self, AccessNumber, AccessesByClass, Location, Pair, Race, Sorting};
use super::points::Points;
use super::publication;
use super::read_modify_write::write_of;
use super::references::{self, Owners};
use super::sighting::{NamedLock, Sighting, Surroundings, held_locks};
use super::tickets;
use crate::accesses::{Access, FunctionFacts, function_facts};
use crate::callgraph::{CallGraph, FunctionId, Functions, components};
use crate::locksets::PointLocks;
use crate::models::Models;
use crate::points_to::{Class, PointsTo};
use crate::stages::{Stage, Stages};
use crate::stop::Stop;
use crate::summaries::{Earlier, Summaries, SyncObjects, summarise_program};
use crate::symexec::{Path, Root, Targets};
use crate::threads::{
    ContextId, Contexts, Sources, ThreadRules, contexts, contexts_again, reachable,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub threads: ThreadRules,
    /// Statements whose races are told apart from the others.
    pub accepted: AcceptedStatements,
    /// Of functions that no thread gets to, nothing is found out: for who wants races and asks nothing else.
    pub only_reachable: bool,
}

/// Everything that is known about a program.
pub struct WholeProgram {
    pub functions: Functions,
    pub points_to: Arc<PointsTo>,
    pub summaries: Summaries,
    pub facts: Vec<Arc<FunctionFacts>>,
    pub contexts: Arc<Contexts>,
    pub orders: Arc<Orders>,
    /// Sorted by rank, the highest first.
    pub races: Vec<Arc<Race>>,
    /// Pairs with a side that the user accepts, by location. A location can be among the races too: by other pairs.
    pub accepted_races: Vec<Arc<Race>>,
    /// How many classes of memory several threads may reach and one writes.
    pub shared_locations: usize,
    /// Memory of objects whose address is made known without order.
    pub unordered: FxHashSet<Class>,
    /// Counters that give each number to one taker.
    pub counters: FxHashSet<Class>,
    /// For each reference count, the threads that ever give up a reference.
    pub owners: Owners,
    /// What the next analysis may take over.
    pub(super) kept: Kept,
}

/// How a program is analysed.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    pub models: &'w Models,
    pub options: &'w Options,
    pub stop: &'w Stop,
    /// Is told how far it is.
    pub stages: &'w dyn Stages,
}

/// Analyses a program. The constraints are those of its functions, and of the initialisers that give
/// variables their first values before it runs. `before` is the same program before an edit: what still holds of it
/// is taken over. It must have been analysed with the same models.
pub fn analyse(
    functions: Functions,
    constraints: Vec<NamedConstraints>,
    work: Work<'_>,
    before: Option<&WholeProgram>,
) -> WholeProgram {
    let Work {
        models,
        options,
        stop,
        stages,
    } = work;
    stages.begin(Stage::PointsTo);
    let before = before.filter(|before| {
        functions.are_named_as(&before.functions)
            && before.kept.options.only_reachable == options.only_reachable
    });
    let (points_to, mut changes) = pointers(&functions, &constraints, before);
    stages.begin(Stage::CallGraph);
    let graph = match before {
        Some(before) => CallGraph::again(&functions, &points_to, models, &before.graph(models)),
        None => CallGraph::new(&functions, &points_to, models),
    };
    let components = match before {
        Some(before) => before.components(&graph),
        None => Arc::new(components(graph.all_callees())),
    };
    let objects = match before.zip(changes.as_ref()) {
        Some((before, changes)) => before.objects_again(&graph, changes),
        None => SyncObjects::new(&graph),
    };
    let stale = before
        .zip(changes.as_mut())
        .map(|(before, changes)| before.stale(&graph, &objects, changes));
    let before = before.zip(changes.as_ref());
    let earlier = before
        .zip(stale.as_ref())
        .map(|((before, _), stale)| Earlier {
            summarised: &before.kept.summarised,
            stale,
        });
    stages.begin(Stage::Summaries);
    let reachable = reachable(&graph, &options.threads);
    let is_wanted = |member: u32| !options.only_reachable || reachable[member as usize];
    let summarised = summarise_program(
        &graph,
        &objects,
        components,
        &is_wanted,
        earlier.as_ref(),
        &|callees, analysed| {
            stop.check();
            function_facts(callees, analysed)
        },
    );
    let known_facts: Vec<Arc<FunctionFacts>> = summarised
        .work
        .iter()
        .map(|work| work.taken.clone())
        .collect();
    // What was nothing before is the same nothing now, which is seen at once.
    let nothing = before.map_or_else(Arc::default, |(before, _)| before.kept.nothing.clone());
    let facts = facts_of_threads(&known_facts, &reachable, &nothing);
    let sources = Sources {
        functions: &functions,
        facts: &facts,
        components: &summarised.components,
        rules: &options.threads,
    };
    stages.begin(Stage::Contexts);
    let contexts = match before {
        Some((before, _)) => {
            contexts_again(&graph, sources, before.sources(), &before.contexts, stop)
        }
        None => Arc::new(contexts(&graph, sources, stop)),
    };
    stages.begin(Stage::Orders);
    let arrays = arrays(&functions);
    let orders = match before {
        Some((before, changes))
            if before.has_orders(&graph, &objects, &facts, &contexts, changes) =>
        {
            before.orders.clone()
        }
        _ => Arc::new(Orders::new(&graph, &objects, &facts, &contexts)),
    };
    let before = before.filter(|(before, changes)| {
        (Arc::ptr_eq(&before.orders, &orders) || before.orders == orders)
            && before.kept.arrays == arrays
            && before.kept.options.accepted == options.accepted
            && !changes.are_structural()
    });
    stages.begin(Stage::Locations);
    let mut surroundings = Surroundings {
        graph: &graph,
        arrays,
        unordered: FxHashSet::default(),
        counters: FxHashSet::default(),
        owners: references::owners(&functions, &facts, &contexts),
        moments: Moments::new(&functions, &contexts, &orders),
        facts: &facts,
        contexts: &contexts,
        points: Points::new(facts.len()),
    };
    let by_class = pairing::accesses_by_class(&surroundings, &facts, &contexts);
    let shared_locations = by_class.len();
    surroundings.counters = tickets::counters(
        &surroundings,
        &objects.counters,
        &facts,
        &contexts,
        &by_class,
    );
    let before = before.filter(|(before, _)| {
        before.counters == surroundings.counters && before.owners == surroundings.owners
    });
    let unchanged = before.and_then(|(before, _)| before.unchanged_functions(&facts, &contexts));
    let before = before.zip(unchanged.as_deref());
    let before = before.map(|((before, _), unchanged)| (before, unchanged));
    let known = |in_order: bool| {
        before.map(|(before, unchanged)| StillKnown {
            before,
            unchanged,
            in_order,
        })
    };
    stages.begin(Stage::Pairing);
    let search = Search::new(&surroundings, &facts, &contexts, work);
    let (found, locations) = search.everywhere(&by_class, known(true), &|_| true, Known::Nothing);
    // That the user accepts a race makes no order.
    let all = found.values().flat_map(Found::races).map(|race| &**race);
    let unordered = publication::unordered(&graph, &facts, all);
    let mut found_unordered = BTreeMap::new();
    if !unordered.is_empty() {
        surroundings.unordered = unordered.clone();
        let known = known(false).filter(|known| known.before.unordered == unordered);
        // Order matters to what one thread has for itself.
        let is_spoilt = |(function, access): &AccessNumber| {
            let access = &facts[function.0 as usize].accesses[*access as usize];
            access.privacy.is_some() && unordered.contains(&access.cell.class)
        };
        let is_wanted = |accesses: &[AccessNumber]| accesses.iter().any(is_spoilt);
        let search = Search::new(&surroundings, &facts, &contexts, work);
        let in_order = Known::InOrder(&locations, &found);
        (found_unordered, _) = search.everywhere(&by_class, known, &is_wanted, in_order);
    }
    let by_location = found
        .iter()
        .map(|(class, found)| found_unordered.get(class).unwrap_or(found));
    let mut races: Vec<Arc<Race>> = Vec::new();
    let mut accepted_races: Vec<Arc<Race>> = Vec::new();
    for found in by_location {
        races.extend(found.race.clone());
        accepted_races.extend(found.accepted.clone());
    }
    let counters = std::mem::take(&mut surroundings.counters);
    let owners = std::mem::take(&mut surroundings.owners);
    // Classes of one object can show the same race twice.
    let mut ids = DistinctIds::default();
    let races = ids.assign(races);
    let accepted_races = ids.assign(accepted_races);
    let kept = Kept {
        calls: graph.calls().clone(),
        constraints,
        objects,
        arrays: surroundings.arrays,
        options: options.clone(),
        by_class,
        found,
        found_unordered,
        summarised,
        facts,
        nothing,
    };
    WholeProgram {
        points_to,
        summaries: kept.summarised.summaries.clone(),
        facts: known_facts,
        contexts,
        orders,
        races,
        accepted_races,
        shared_locations,
        unordered,
        counters,
        owners,
        functions,
        kept,
    }
}

/// The facts that count when threads are compared: those of functions that no thread gets to do not, whether they are
/// known or not.
fn facts_of_threads(
    known: &[Arc<FunctionFacts>],
    reachable: &[bool],
    nothing: &Arc<FunctionFacts>,
) -> Vec<Arc<FunctionFacts>> {
    let facts = known.iter().zip(reachable);
    facts
        .map(|(facts, is_reachable)| match is_reachable {
            true => facts.clone(),
            false => nothing.clone(),
        })
        .collect()
}

/// The ids that are in use, and the best pairs that have them.
#[derive(Default)]
struct DistinctIds(FxHashMap<u64, Vec<(Sighting, Sighting)>>);

impl DistinctIds {
    /// Sorts races by rank, drops those that are there twice, and tells apart different ones that happen to be
    /// called the same.
    fn assign(&mut self, mut races: Vec<Arc<Race>>) -> Vec<Arc<Race>> {
        let best = |race: &Race| race.pairs.first().map(|pair| (pair.first, pair.second));
        races.sort_by(|left, right| {
            let by_rank = right.rank.cmp(&left.rank).then(left.id.cmp(&right.id));
            by_rank.then_with(|| best(left).cmp(&best(right)))
        });
        let mut kept = Vec::with_capacity(races.len());
        for mut race in races {
            let Some(best) = race.pairs.first() else {
                continue;
            };
            let same_id = self.0.entry(race.id).or_default();
            if same_id.contains(&(best.first, best.second)) {
                continue;
            }
            same_id.push((best.first, best.second));
            if same_id.len() > 1 {
                let (id, ordinal) = (race.id.to_string(), same_id.len().to_string());
                Arc::make_mut(&mut race).id = fingerprint([id.as_str(), ordinal.as_str()]);
            }
            kept.push(race);
        }
        kept
    }
}

/// What was found at a location.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
    pub race: Option<Arc<Race>>,
    /// The one that the user accepts.
    pub accepted: Option<Arc<Race>>,
    /// There were more situations than are compared.
    pub is_cut: bool,
    /// There were more accesses, counted once for each context, than are looked at.
    pub is_often: bool,
}

impl Found {
    pub fn races(&self) -> impl Iterator<Item = &Arc<Race>> + Clone {
        self.race.iter().chain(&self.accepted)
    }
}

/// What locations are like if addresses are made known without order. Those that are missing are found anew.
type Locations = FxHashMap<Class, Unordered>;

enum Unordered {
    /// The same, whichever addresses they are.
    Same,
    /// Made from what they are like in order.
    Made(Location),
}

/// Larger locations take more memory to keep than time to find.
const MOST_KEPT_GROUPS: usize = 256;

/// Says whether accesses of one location are such as are meant.
type AreSuch<'a> = dyn Fn(&[AccessNumber]) -> bool + Sync + 'a;

/// What one search leaves to the next.
enum Known<'k> {
    Nothing,
    /// Locations and races, if every address is made known in order.
    InOrder(&'k Locations, &'k BTreeMap<Class, Found>),
}

struct Search<'s> {
    surroundings: &'s Surroundings<'s>,
    facts: &'s [Arc<FunctionFacts>],
    contexts: &'s Contexts,
    accepted: &'s AcceptedStatements,
    stop: &'s Stop,
}

/// What was found before an edit, where it still holds.
struct StillKnown<'k> {
    before: &'k WholeProgram,
    /// Functions that have the same facts in the same contexts.
    unchanged: &'k [bool],
    /// What is found if every address is made known in order.
    in_order: bool,
}

impl StillKnown<'_> {
    fn found(&self, class: Class, accesses: &[AccessNumber]) -> Option<&Found> {
        let kept = &self.before.kept;
        let found = if self.in_order {
            &kept.found
        } else {
            &kept.found_unordered
        };
        let known = found.get(&class)?;
        self.before
            .has_accesses(class, accesses, self.unchanged)
            .then_some(known)
    }
}

impl<'s> Search<'s> {
    fn new(
        surroundings: &'s Surroundings<'s>,
        facts: &'s [Arc<FunctionFacts>],
        contexts: &'s Contexts,
        work: Work<'s>,
    ) -> Search<'s> {
        Search {
            surroundings,
            facts,
            contexts,
            accepted: &work.options.accepted,
            stop: work.stop,
        }
    }

    /// The races of the locations with such accesses.
    fn everywhere(
        &self,
        by_class: &AccessesByClass,
        known: Option<StillKnown<'_>>,
        is_wanted: &AreSuch<'_>,
        locations: Known<'_>,
    ) -> (BTreeMap<Class, Found>, Locations) {
        let wanted: Vec<(&Class, &Vec<AccessNumber>)> = by_class
            .iter()
            .filter(|(_, accesses)| {
                is_wanted(accesses) && pairing::is_reached_by_several(self.contexts, accesses)
            })
            .collect();
        let all: Vec<(Class, Found, Option<Unordered>)> = wanted
            .par_iter()
            .map_init(Sorting::default, |sorting, (class, accesses)| {
                self.stop.check();
                let known = known.as_ref();
                if let Some(found) = known.and_then(|known| known.found(**class, accesses)) {
                    return (**class, found.clone(), None);
                }
                if let Some(found) = self.found_without_order(**class, accesses, &locations) {
                    return (**class, found, None);
                }
                let location = self.location(sorting, **class, accesses);
                let found = self.races(&location, accesses);
                let unordered = match publication::may_matter(&location) {
                    false => Some(Unordered::Same),
                    true if location.groups.len() > MOST_KEPT_GROUPS => None,
                    true => Some(Unordered::Made(location)),
                };
                (**class, found, unordered)
            })
            .collect();
        let mut found = BTreeMap::new();
        let mut kept = Locations::default();
        for (class, races, unordered) in all {
            found.insert(class, races);
            kept.extend(unordered.map(|unordered| (class, unordered)));
        }
        (found, kept)
    }

    fn location(&self, sorting: &mut Sorting, class: Class, accesses: &[AccessNumber]) -> Location {
        pairing::location(self.surroundings, sorting, class, accesses)
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
                publication::without_order(location, self.facts, unordered)
            }
        };
        let result = match other {
            Some(other) => self.races(&other, accesses),
            None => found.get(&class)?.clone(),
        };
        // Tests compare it with what is found from the start.
        debug_assert_eq!(
            result,
            self.races(
                &self.location(&mut Sorting::default(), class, accesses),
                accesses
            )
        );
        Some(result)
    }

    /// The race of a location without, and that with, accesses that the user accepts.
    fn races(&self, location: &Location, accesses: &[AccessNumber]) -> Found {
        let functions = self.surroundings.graph.functions;
        let points_to = self.surroundings.graph.points_to();
        let memory = Memory {
            is_given_once: &|site| pairing::is_given_once(functions, self.contexts, site),
            gives_once: &|counter| self.surroundings.counters.contains(&counter),
            share_storage: &|record, one, other| points_to.share_storage(record, one, other),
        };
        let moments = &self.surroundings.moments;
        let pairs = |of: &Location| pairing::pairs(of, moments, self.facts, memory);
        let accepted = Accepted {
            statements: self.accepted,
            moments,
            facts: self.facts,
            memory,
        };
        let is_cut = location.groups.len() > pairing::MOST_GROUPS;
        let is_often = self.are_often(accesses);
        match accepted.left_out(location) {
            None => Found {
                race: self.race(location, pairs(location)),
                accepted: None,
                is_cut,
                is_often,
            },
            Some(rest) => Found {
                race: self.race(location, pairs(&rest)),
                accepted: self.race(location, accepted.pairs(location)),
                is_cut,
                is_often,
            },
        }
    }

    /// Whether there are more accesses, counted once for each context, than are looked at.
    fn are_often(&self, accesses: &[AccessNumber]) -> bool {
        let contexts = accesses.iter();
        let contexts = contexts.map(|(function, _)| self.contexts.count(*function));
        if contexts.sum::<usize>() <= pairing::MOST_SIGHTINGS {
            return false;
        }
        let sightings = accesses.iter().map(|&(function, number)| {
            let access = &self.facts[function.0 as usize].accesses[number as usize];
            let contexts = self.contexts.of(function);
            let reached =
                contexts.filter(|(id, ..)| self.contexts.reaches(function, *id, access.statement));
            reached.count()
        });
        // One context of each access is always looked at.
        sightings.sum::<usize>() > pairing::MOST_SIGHTINGS.max(accesses.len())
    }

    fn race(&self, location: &Location, mut pairs: Vec<Pair>) -> Option<Arc<Race>> {
        if pairs.is_empty() {
            return None;
        }
        // Stable: pairs of equal weight stay in the order of the text.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.weight()));
        let best = pairs[0];
        let name = self.location_name(location, &pairs);
        let reasons = self.evidence(location, best, &name).reasons();
        let id = fingerprint(self.identity(&name, best).iter().map(String::as_str));
        Some(Arc::new(Race {
            id,
            rank: rank(&reasons),
            location: name,
            reasons,
            pairs,
        }))
    }

    fn access(&self, sighting: Sighting) -> &Access {
        &self.facts[sighting.function.0 as usize].accesses[sighting.access as usize]
    }

    fn names(&self, function: FunctionId) -> Names<'_> {
        Names::new(self.surroundings.graph.functions, self.facts, function)
    }

    /// What is accessed, by the access that names it best: a variable before a member before a pointer.
    /// One that touches the whole object around the location names too much.
    fn location_name(&self, location: &Location, pairs: &[Pair]) -> String {
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

    fn evidence<'e>(&self, location: &Location, best: Pair, name: &'e str) -> Evidence<'e> {
        let counted_as = |(function, access): (FunctionId, u32)| {
            let body = self.surroundings.graph.functions.body(function);
            let write = write_of(body, &self.facts[function.0 as usize], access);
            (function, write.unwrap_or(access))
        };
        let guard = guards::guard(location, &counted_as).and_then(|guard| {
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

impl WholeProgram {
    pub fn access(&self, sighting: Sighting) -> &Access {
        &self.facts[sighting.function.0 as usize].accesses[sighting.access as usize]
    }

    pub fn names(&self, function: FunctionId) -> Names<'_> {
        Names::new(&self.functions, &self.facts, function)
    }

    /// The locks held at a sighting, each once, in terms of its function where it can name them.
    pub fn locks(&self, sighting: Sighting) -> Vec<NamedLock> {
        let since = &self.access(sighting).locks;
        self.locks_at(sighting.function, sighting.context, since)
    }

    /// The locks held at a point of a function in a context, where these happened since its entry.
    pub fn locks_at(
        &self,
        function: FunctionId,
        context: ContextId,
        since: &PointLocks,
    ) -> Vec<NamedLock> {
        let Some((_, context, _)) = self
            .contexts
            .of(function)
            .find(|(known, ..)| *known == context)
        else {
            return Vec::new();
        };
        let binder = context.binder(self.functions.body(function).function);
        let mut by_lock: BTreeMap<Path, NamedLock> = BTreeMap::new();
        for (path, held) in context.held_at(since, function) {
            let key = binder.path(&path).unwrap_or_else(|| path.clone());
            let lock = NamedLock {
                path,
                mode: held.mode,
                by: held.by,
                at: held.at,
            };
            // The function's own name for a lock is the one its reader knows.
            let quality = |lock: &NamedLock| {
                let is_own = !matches!(lock.path.root, Root::Global(_));
                (!lock.path.mentions_given(), is_own)
            };
            match by_lock.get(&key) {
                Some(known) if quality(known) >= quality(&lock) => {}
                _ => {
                    by_lock.insert(key, lock);
                }
            }
        }
        by_lock.into_values().collect()
    }
}
