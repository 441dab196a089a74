//! From the bodies of a program to its races.

use super::acceptance::{Accepted, AcceptedStatements};
use super::evidence::{Evidence, rank};
use super::guards;
use super::identity::fingerprint;
use super::moments::Moments;
use super::naming::{Names, location_name};
use super::ordering::Orders;
use super::overlap::Memory;
use super::pairing::{self, Location, Pair, Race};
use super::publication;
use super::read_modify_write::write_of;
use super::references;
use super::sighting::{NamedLock, Sighting, Surroundings, held_locks};
use super::tickets;
use crate::accesses::{Access, FunctionFacts, function_facts};
use crate::callgraph::{CallGraph, FunctionId, Functions, components};
use crate::ir::{Base, FunctionRef, GlobalRef, Place, Projection, Rvalue, Statement};
use crate::locksets::Lockset;
use crate::models::Models;
use crate::points_to::{self, Class, Constraints, PointsTo};
use crate::summaries::{Summaries, SyncObjects, summarise_program};
use crate::symexec::{Path, Root, Targets};
use crate::threads::{ContextId, Contexts, ThreadRules, contexts};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub threads: ThreadRules,
    /// Statements whose races are told apart from the others.
    pub accepted: AcceptedStatements,
}

/// Everything that is known about a program.
pub struct WholeProgram {
    pub functions: Functions,
    pub points_to: PointsTo,
    pub summaries: Summaries,
    pub facts: Vec<FunctionFacts>,
    pub contexts: Contexts,
    pub orders: Orders,
    /// Sorted by rank, the highest first.
    pub races: Vec<Race>,
    /// Pairs with a side that the user accepts, by location. A location can be among the races too: by other pairs.
    pub accepted_races: Vec<Race>,
    /// How many classes of memory several threads may reach and one writes.
    pub shared_locations: usize,
    /// Memory of objects whose address is made known without order.
    pub unordered: FxHashSet<Class>,
    /// Counters that give each number to one taker.
    pub counters: FxHashSet<Class>,
}

/// Analyses a program. The constraints are those of its functions, and of the initialisers that give
/// variables their first values before it runs.
pub fn analyse(
    functions: Functions,
    constraints: &[(FunctionRef, Arc<Constraints>)],
    models: &Models,
    options: &Options,
) -> WholeProgram {
    let points_to = points_to::solve(constraints, &|name| {
        let known = functions.resolve(name).iter();
        known
            .map(|function| functions.body(*function).function)
            .collect()
    });
    let graph = CallGraph::new(&functions, &points_to, models);
    let components = components(&graph.callees);
    let objects = SyncObjects::new(&graph);
    let (summaries, facts) =
        summarise_program(&graph, &objects, &components, &|callees, analysed| {
            function_facts(callees, analysed)
        });
    let contexts = contexts(&graph, &facts, &components, &options.threads);
    let orders = Orders::new(&graph, &objects, &facts, &contexts);
    let mut surroundings = Surroundings {
        graph: &graph,
        arrays: arrays(&functions),
        unordered: FxHashSet::default(),
        counters: FxHashSet::default(),
        owners: references::owners(&functions, &facts, &contexts),
        moments: Moments::new(&functions, &contexts, &orders),
        locks: Default::default(),
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
    let find = |surroundings: &Surroundings<'_>, classes: &dyn Fn(Class) -> bool| {
        let search = Search {
            surroundings,
            facts: &facts,
            contexts: &contexts,
            accepted: &options.accepted,
        };
        let wanted: Vec<_> = by_class
            .iter()
            .filter(|(class, accesses)| {
                classes(**class) && pairing::is_reached_by_several(&contexts, accesses)
            })
            .collect();
        let found: Vec<(Class, Found)> = wanted
            .par_iter()
            .map(|(class, accesses)| {
                let location =
                    pairing::location(surroundings, &facts, &contexts, **class, accesses);
                (**class, search.races(&location))
            })
            .collect();
        found
    };
    let mut found: BTreeMap<Class, Found> = find(&surroundings, &|_| true).into_iter().collect();
    // That the user accepts a race makes no order.
    let all = found
        .values()
        .flat_map(|(race, accepted)| race.iter().chain(accepted));
    let unordered = publication::unordered(&graph, &facts, all);
    if !unordered.is_empty() {
        surroundings.unordered = unordered.clone();
        found.extend(find(&surroundings, &|class| unordered.contains(&class)));
    }
    let counters = std::mem::take(&mut surroundings.counters);
    let (races, accepted_races): (Vec<_>, Vec<_>) = found.into_values().unzip();
    // Classes of one object can show the same race twice.
    let mut ids = DistinctIds::default();
    let races = ids.assign(races.into_iter().flatten().collect());
    let accepted_races = ids.assign(accepted_races.into_iter().flatten().collect());
    WholeProgram {
        points_to,
        summaries,
        facts,
        contexts,
        orders,
        races,
        accepted_races,
        shared_locations,
        unordered,
        counters,
        functions,
    }
}

/// The ids that are in use, and the best pairs that have them.
#[derive(Default)]
struct DistinctIds(FxHashMap<u64, Vec<(Sighting, Sighting)>>);

impl DistinctIds {
    /// Sorts races by rank, drops those that are there twice, and tells apart different ones that happen to be
    /// called the same.
    fn assign(&mut self, mut races: Vec<Race>) -> Vec<Race> {
        races.sort_by(|left, right| right.rank.cmp(&left.rank).then(left.id.cmp(&right.id)));
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
                race.id = fingerprint([id.as_str(), ordinal.as_str()]);
            }
            kept.push(race);
        }
        kept
    }
}

/// The variables of which some function uses elements.
pub(super) fn arrays(functions: &Functions) -> FxHashSet<GlobalRef> {
    let mut found = FxHashSet::default();
    let mut note = |place: &Place| {
        if let (Base::Global(global), Some(Projection::Index(_))) =
            (&place.base, place.path.first())
        {
            found.insert(*global);
        }
    };
    for function in functions.ids() {
        let body = functions.body(function);
        for (_, statement) in body.statements() {
            match statement {
                Statement::Load { place, .. }
                | Statement::Store { place, .. }
                | Statement::Update { place, .. }
                | Statement::Assign {
                    value: Rvalue::AddressOf(place),
                    ..
                } => note(place),
                _ => {}
            }
        }
    }
    found
}

/// The race of a location, and the one that the user accepts.
type Found = (Option<Race>, Option<Race>);

struct Search<'s> {
    surroundings: &'s Surroundings<'s>,
    facts: &'s [FunctionFacts],
    contexts: &'s Contexts,
    accepted: &'s AcceptedStatements,
}

impl Search<'_> {
    /// The race of a location without, and that with, accesses that the user accepts.
    fn races(&self, location: &Location) -> Found {
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
        match accepted.left_out(location) {
            None => (self.race(location, pairs(location)), None),
            Some(rest) => (
                self.race(location, pairs(&rest)),
                self.race(location, accepted.pairs(location)),
            ),
        }
    }

    fn race(&self, location: &Location, mut pairs: Vec<Pair>) -> Option<Race> {
        if pairs.is_empty() {
            return None;
        }
        // Stable: pairs of equal weight stay in the order of the text.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.weight()));
        let best = pairs[0];
        let name = self.location_name(location, &pairs);
        let reasons = self.evidence(location, best, &name).reasons();
        let id = fingerprint(self.identity(&name, best).iter().map(String::as_str));
        Some(Race {
            id,
            rank: rank(&reasons),
            location: name,
            reasons,
            pairs,
        })
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
            None => "memory behind a pointer".to_string(),
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

/// Smaller is better.
fn naming_quality(path: &Path) -> (usize, usize) {
    let kind = match path.root {
        Root::Global(_) => 0,
        Root::Formal(_) => 1,
        Root::Local(_) => 2,
        _ => 3,
    };
    (kind, path.steps.len())
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
        since: &Lockset,
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
