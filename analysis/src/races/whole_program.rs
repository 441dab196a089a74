//! From the bodies of a program to its races.

use super::acceptance::AcceptedStatements;
use super::access_index::{AccessIndex, AccessNumber, Indexed};
use super::arrays::Arrays;
use super::distinct_ids::{DistinctIds, Renamed};
use super::kept::{AllConstraints, Kept, LocationsAgain, pointers};
use super::limits::{Crowded, LimitReached};
use super::looks::KnownLooks;
use super::moments::Moments;
use super::naming::Names;
use super::ordering::Orders;
use super::pairing::Race;
use super::postings::Posted;
use super::publication::{self, Published};
use super::references::{self, Owners};
use super::search::{FoundRaces, Known, Search, by_location};
use super::sighting::{NamedLock, Sighting, Surroundings};
use super::sole_locks::SoleLocks;
use super::tallies::{Counted, Tallies};
use super::tickets;
use crate::accesses::{Access, Facts, FunctionFacts, function_facts};
use crate::callgraph::{CallGraph, Components, FunctionId, Functions};
use crate::locksets::PointLocks;
use crate::models::Models;
use crate::points_to::{Changes, Class, PointsTo};
use crate::stages::{Stage, Stages};
use crate::stop::Stop;
use crate::summaries::{Earlier, Summaries, SyncObjects, summarise_program};
use crate::symexec::{Path, Root};
use crate::threads::{
    ContextId, Contexts, Sources, ThreadRules, contexts, contexts_again, reachable,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

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
    pub facts: Facts,
    pub contexts: Arc<Contexts>,
    pub orders: Arc<Orders>,
    /// Sorted by rank, the highest first.
    pub races: Arc<Vec<Arc<Race>>>,
    /// Pairs with a side that the user accepts, by location. A location can be among the races too: by other pairs.
    pub accepted_races: Arc<Vec<Arc<Race>>>,
    /// How many classes of memory several threads may reach and one writes.
    pub shared_locations: usize,
    /// Memory of objects whose address is made known without order.
    pub unordered: Arc<FxHashSet<Class>>,
    /// Counters that give each number to one taker.
    pub counters: FxHashSet<Class>,
    /// For each reference count, the threads that ever give up a reference.
    pub owners: Arc<Owners>,
    /// The bounds that it goes beyond, found when they are asked for.
    pub(super) limits: OnceLock<Vec<LimitReached>>,
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
    constraints: AllConstraints,
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
        // What is not found out about functions that nobody gets to is missing as soon as somebody does.
        functions.number_as(&before.functions)
            && constraints.len() == before.kept.constraints.len()
            && !options.only_reachable
            && !before.kept.options.only_reachable
    });
    let named_otherwise = before.map_or_else(FxHashSet::default, |before| {
        functions.named_otherwise(&before.functions)
    });
    let edited: Vec<FunctionId> = match before {
        Some(before) => before.concerned(&functions, &named_otherwise),
        None => Vec::new(),
    };
    let functions = stop.aside(functions);
    let constraints = stop.aside(constraints);
    let (points_to, mut changes) = pointers(
        &functions,
        &constraints,
        options,
        before,
        !named_otherwise.is_empty(),
    );
    let points_to = stop.aside(points_to);
    if let Some(changes) = &mut changes {
        // Whoever asks what is in these classes goes on to ask what the names mean.
        changes.note(points_to.classes_with(&named_otherwise));
    }
    let before = before.filter(|_| changes.is_some());
    stages.begin(Stage::CallGraph);
    let graph = match before.zip(changes.as_ref()) {
        Some((before, changes)) => CallGraph::again(
            &functions,
            &points_to,
            models,
            &before.graph(models),
            &edited,
            !changes.leave_others_alone(),
        ),
        None => CallGraph::new(&functions, &points_to, models),
    };
    let components = match before {
        Some(before) => before.components(&graph),
        None => Arc::new(Components::new(graph.all_callees())),
    };
    let entered_components = match before {
        Some(before) => before.entered_components(&graph, &components),
        None => graph.entered_components(&components),
    };
    let objects = match before.zip(changes.as_ref()) {
        Some((before, changes)) => before.objects_again(&graph, &edited, changes),
        None => SyncObjects::new(&graph),
    };
    let objects = stop.aside(objects);
    let stale = before
        .zip(changes.as_mut())
        .map(|(before, changes)| before.stale(&graph, &edited, &objects, changes));
    let before = before.zip(changes.as_ref());
    let earlier = before
        .zip(stale.as_ref())
        .map(|((before, _), stale)| Earlier {
            summarised: &before.kept.summarised,
            stale,
        });
    stages.begin(Stage::Summaries);
    let reachable = before
        .filter(|_| named_otherwise.is_empty())
        .and_then(|(before, changes)| before.reachable(&graph, &edited, options, changes))
        .unwrap_or_else(|| Arc::new(reachable(&graph, &options.threads)));
    let is_wanted = |member: u32| {
        let is_asked_about = !options.only_reachable || reachable[member as usize];
        is_asked_about && !functions.body(FunctionId(member)).function.is_nobody()
    };
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
    let summarised = stop.aside(summarised);
    let known_facts = summarised.taken.clone();
    // What was nothing before is the same nothing now, which is seen at once.
    let nothing = before.map_or_else(Arc::default, |(before, _)| before.kept.nothing.clone());
    let facts = match before {
        Some((before, _)) if Arc::ptr_eq(&before.kept.reachable, &reachable) => {
            before.facts_again(&known_facts)
        }
        _ => facts_of_threads(&known_facts, &reachable, &nothing),
    };
    let sources = Sources {
        functions: &functions,
        facts: &facts,
        components: &entered_components,
        rules: &options.threads,
    };
    stages.begin(Stage::Contexts);
    let contexts = match before {
        Some((before, changes)) => contexts_again(
            &graph,
            sources,
            before.sources(),
            &before.contexts,
            !changes.are_structural(),
            stop,
        ),
        None => Arc::new(contexts(&graph, sources, stop)),
    };
    let contexts = stop.aside(contexts);
    let counted = Counted {
        facts: &known_facts,
        calls: graph.calls(),
        contexts: &contexts,
    };
    let tallies = match before {
        Some((before, _)) => before.tallies_again(counted),
        None => Tallies::new(counted),
    };
    stages.begin(Stage::Orders);
    let arrays = match before {
        Some((before, _)) => before.kept.arrays.again(&functions, &before.functions),
        None => Arrays::new(&functions),
    };
    let posted = Posted {
        functions: &functions,
        points_to: &points_to,
        objects: &objects,
        contexts: &contexts,
    };
    let orders = before
        .and_then(|(before, changes)| before.orders_again(posted, &facts, changes))
        .unwrap_or_else(|| Arc::new(Orders::new(&graph, &objects, &facts, &contexts)));
    let orders = stop.aside(orders);
    stages.begin(Stage::Locations);
    let before = before.filter(|(before, _)| {
        arrays.are_those_of(&before.kept.arrays) && before.kept.options.accepted == options.accepted
    });
    let indexed = Indexed {
        points_to: &points_to,
        facts: &facts,
        contexts: &contexts,
    };
    let mut known = before.and_then(|(before, changes)| {
        before.locations_again(&functions, indexed, changes, arrays.all())
    });
    let index = match &known {
        Some(known) => known.index.clone(),
        None => AccessIndex::new(indexed),
    };
    let index = stop.aside(index);
    let owners = known
        .as_ref()
        .and_then(|known| known.owners(&facts))
        .unwrap_or_else(|| Arc::new(references::owners(&functions, &facts, &contexts)));
    let known_looks = known
        .as_ref()
        .and_then(|known| known.looks(&contexts, &owners));
    let ordered_otherwise = before
        .map(|(before, _)| &before.orders)
        .filter(|before| !Arc::ptr_eq(before, &orders) && **before != *orders);
    if ordered_otherwise.is_some() && known_looks.is_none() {
        // Nobody knows which moments are concerned.
        known = None;
    }
    let mut looks = known_looks.unwrap_or_else(|| KnownLooks::new(facts.len()));
    if ordered_otherwise.is_some() {
        looks.moments = Arc::new(looks.moments.unshared());
    }
    let sole_locks = match &known {
        Some(known) => known.sole_locks(),
        None => SoleLocks::new(facts.len()),
    };
    let mut surroundings = Surroundings {
        graph: &graph,
        arrays: arrays.all().clone(),
        unordered: Arc::default(),
        counters: FxHashSet::default(),
        owners,
        moments: Moments::new(&functions, &contexts, &orders, looks.moments.clone()),
        facts: &facts,
        contexts: &contexts,
        known: stop.aside(looks),
        sole_locks,
    };
    if let Some((before, known)) = ordered_otherwise.zip(known.as_mut()) {
        let changes = orders.changes_since(before);
        let others = surroundings
            .moments
            .ask_again(&|when| changes.concern(when));
        known.pair_again_where_moments_meet(&others, &surroundings);
    }
    let shared_locations = index.len();
    surroundings.counters = tickets::counters(
        &surroundings,
        &objects.counters,
        &facts,
        &contexts,
        &index,
        known
            .as_ref()
            .zip(changes.as_ref())
            .map(|(known, changes)| known.counters(changes)),
    );
    let mut known = known.filter(|known| known.before.owners == surroundings.owners);
    if let Some(known) = &mut known {
        let before = &known.before.counters;
        let others = surroundings.counters.symmetric_difference(before);
        let others: FxHashSet<Class> = others.copied().collect();
        known.pair_again_where_numbers_count(&others, &surroundings);
    }
    stages.begin(Stage::Pairing);
    if let Some(known) = &mut known {
        known.narrow(&surroundings);
    }
    let search = Search::new(&surroundings, &facts, &contexts, work);
    let still = known.as_ref().map(LocationsAgain::found);
    let (found, locations) = search.everywhere(&index, still, &|_| true, Known::Nothing);
    let (found, locations) = (stop.aside(found), stop.aside(locations));
    // Tests compare it with what is found at all locations of the functions that changed.
    debug_assert!(known.as_ref().is_none_or(|known| {
        let still = Some(known.found_by_functions());
        search
            .everywhere(&index, still, &|_| true, Known::Nothing)
            .0
            == *found
    }));
    debug_assert!(
        known
            .as_ref()
            .is_none_or(|known| ordered_otherwise.is_none()
                && known.before.counters == surroundings.counters)
            || *found == search.everywhere(&index, None, &|_| true, Known::Nothing).0
    );
    let are_names = changes.as_ref().is_some_and(Changes::are_of_names);
    let has_pointers = known
        .as_ref()
        .filter(|known| are_names || Arc::ptr_eq(&known.before.points_to, &points_to));
    let relaxed = publication::relaxed_by_function(
        &graph,
        &facts,
        has_pointers.map(|known| (&known.before.kept.relaxed, &known.edited[..])),
    );
    let with_same_parts = known
        .as_ref()
        .filter(|_| !changes.as_ref().is_some_and(Changes::are_structural));
    let published = with_same_parts
        .and_then(|known| known.published(&found, &relaxed))
        .unwrap_or_else(|| {
            let before = with_same_parts.map(|known| &known.before.kept.published);
            Published::new(&points_to, &found, &relaxed, before)
        });
    let unordered = published.memory.clone();
    let mut found_unordered = FoundRaces::default();
    if !unordered.is_empty() {
        surroundings.unordered = unordered.clone();
        let otherwise = known
            .as_ref()
            .map(|known| publication::difference(&points_to, &known.before.unordered, &unordered));
        let affected = known.as_ref().zip(otherwise.as_ref());
        let affected = affected.map(|(known, otherwise)| &known.affected | otherwise);
        let still = known
            .as_ref()
            .zip(affected.as_ref())
            .map(|(known, affected)| known.found_unordered(affected));
        // Order matters to what one thread has for itself.
        let is_spoilt = |(function, access): &AccessNumber| {
            let access = &facts[function.0 as usize].accesses[*access as usize];
            access.privacy.is_some() && unordered.contains(&access.cell.class)
        };
        let is_wanted = |accesses: &[AccessNumber]| accesses.iter().any(is_spoilt);
        let search = Search::new(&surroundings, &facts, &contexts, work);
        let in_order = Known::InOrder(&locations, &found);
        (found_unordered, _) = search.everywhere(&index, still, &is_wanted, in_order);
        // Tests compare it with what is found at all locations of the functions that changed, or at all of them.
        debug_assert!(
            known
                .as_ref()
                .zip(otherwise)
                .is_none_or(|(known, otherwise)| {
                    let accessed = &known.accessed | &otherwise;
                    let by_functions = known.found_unordered_by_functions(&accessed);
                    let still = otherwise.is_empty().then_some(by_functions);
                    let in_order = Known::InOrder(&locations, &found);
                    let again = search.everywhere(&index, still, &is_wanted, in_order);
                    again.0 == found_unordered
                })
        );
    }
    let same = known
        .as_ref()
        .and_then(|known| known.with_the_same(&found, &found_unordered));
    let listed = match same {
        Some(same) => ListedRaces {
            open: same.races.clone(),
            accepted: same.accepted_races.clone(),
            renamed: same.kept.renamed.clone(),
        },
        None => {
            let renamed = before.map(|(before, _)| &*before.kept.renamed);
            ListedRaces::new(&found, &found_unordered, renamed)
        }
    };
    let crowded = match same {
        Some(same) => same.kept.crowded.clone(),
        None => {
            let races = listed.open.iter().chain(&*listed.accepted);
            let races = races.map(|race| &**race);
            Arc::new(Crowded::new(&found, &found_unordered, races))
        }
    };
    let counters = std::mem::take(&mut surroundings.counters);
    let owners = surroundings.owners.clone();
    let looks = surroundings.known.into_inner();
    let sole_locks = surroundings.sole_locks;
    let kept = Kept {
        calls: graph.calls().clone(),
        constraints: constraints.into_inner(),
        objects: objects.into_inner(),
        arrays,
        options: options.clone(),
        index: index.into_inner(),
        found: found.into_inner(),
        found_unordered,
        crowded,
        looks,
        sole_locks,
        relaxed,
        tallies,
        published,
        renamed: listed.renamed,
        summarised: summarised.into_inner(),
        entered_components,
        facts,
        nothing,
        reachable,
    };
    WholeProgram {
        points_to: points_to.into_inner(),
        summaries: kept.summarised.summaries.clone(),
        facts: known_facts,
        contexts: contexts.into_inner(),
        orders: orders.into_inner(),
        races: listed.open,
        accepted_races: listed.accepted,
        shared_locations,
        unordered,
        counters,
        owners,
        functions: functions.into_inner(),
        limits: OnceLock::new(),
        kept,
    }
}

/// The races of all locations, as they are told.
struct ListedRaces {
    open: Arc<Vec<Arc<Race>>>,
    accepted: Arc<Vec<Arc<Race>>>,
    renamed: Arc<Renamed>,
}

impl ListedRaces {
    /// `before` are the races that had got another id before an edit.
    fn new(
        found: &FoundRaces,
        found_unordered: &FoundRaces,
        before: Option<&Renamed>,
    ) -> ListedRaces {
        let mut open: Vec<Arc<Race>> = Vec::new();
        let mut accepted: Vec<Arc<Race>> = Vec::new();
        for found in by_location(found, found_unordered).into_values() {
            open.extend(found.race.clone());
            accepted.extend(found.accepted.clone());
        }
        // Classes of one object can show the same race twice.
        let mut ids = DistinctIds::new(before);
        ListedRaces {
            open: Arc::new(ids.assign(open)),
            accepted: Arc::new(ids.assign(accepted)),
            renamed: Arc::new(ids.renamed()),
        }
    }
}

/// The facts that count when threads are compared: those of functions that no thread gets to do not, whether they are
/// known or not.
fn facts_of_threads(known: &Facts, reachable: &[bool], nothing: &Arc<FunctionFacts>) -> Facts {
    let facts = known.iter().zip(reachable);
    facts
        .map(|(facts, is_reachable)| match is_reachable {
            true => facts.clone(),
            false => nothing.clone(),
        })
        .collect()
}

impl WholeProgram {
    /// How many accesses to memory that threads may share some thread makes.
    pub fn access_count(&self) -> usize {
        self.kept.tallies.accesses
    }

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
        let binder = context.binder(self.functions.body(function));
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
