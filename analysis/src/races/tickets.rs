//! Which counters give each number to one taker.

use super::access_index::{AccessIndex, AccessNumber};
use super::location::Location;
use super::overlap::Memory;
use super::pairing;
use super::sighting::Surroundings;
use crate::accesses::{Access, Facts};
use crate::callgraph::FunctionId;
use crate::ir::AccessKind;
use crate::points_to::{Changes, Class, Object};
use crate::summaries::Counters;
use crate::threads::{Contexts, RootKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The counters of the program before an edit.
#[derive(Clone, Copy)]
pub(super) struct KnownCounters<'k> {
    pub counters: &'k Arc<Counters>,
    pub good: &'k FxHashSet<Class>,
    /// Memory that is accessed differently now.
    pub affected: &'k BTreeSet<Class>,
    /// Which variables are in classes decides as well.
    pub changes: &'k Changes,
}

/// Of the counters whose numbers are used: those that nobody sets back once there are several threads, that do
/// not race, and of which there is one.
// UNSOUND: a counter from which threads take numbers is taken not to wrap around.
pub(super) fn counters(
    surroundings: &Surroundings<'_>,
    counters: &Arc<Counters>,
    facts: &Facts,
    contexts: &Contexts,
    index: &AccessIndex,
    before: Option<KnownCounters<'_>>,
) -> FxHashSet<Class> {
    let taken_otherwise = match before {
        Some(before) if !Arc::ptr_eq(before.counters, counters) => {
            counters.taken_otherwise(before.counters)
        }
        _ => FxHashSet::default(),
    };
    let candidates = counters.classes().iter().copied();
    let good = candidates.filter(|class| {
        if let Some(before) = before
            && !taken_otherwise.contains(class)
            && !before.affected.contains(class)
            && !before.changes.touch_class(*class)
        {
            return before.good.contains(class);
        }
        let Some(accesses) = index.get(*class) else {
            return false;
        };
        let is_step =
            |function: FunctionId, access: &Access| counters.is_taking(function, access.statement);
        is_one_variable(surroundings, *class)
            && accesses.iter().all(|&(function, number)| {
                let access = &facts[function.0 as usize].accesses[number as usize];
                access.kind == AccessKind::Read
                    || (is_step(function, access) && access.cell.class == *class)
                    || is_before_all_threads(contexts, function, access)
            })
            && is_without_race(surroundings, facts, contexts, *class, accesses)
    });
    good.collect()
}

fn is_one_variable(surroundings: &Surroundings<'_>, class: Class) -> bool {
    match surroundings.graph.points_to().objects(class) {
        [Object::Global(global)] => !global.thread_local && !surroundings.arrays.contains(global),
        [Object::Local(function, _)] => function.name == "main",
        _ => false,
    }
}

/// Whether an access happens only in the main thread, and only while it is the only one.
fn is_before_all_threads(contexts: &Contexts, function: FunctionId, access: &Access) -> bool {
    contexts.of(function).all(|(_, context, roots)| {
        let is_main = |root| contexts.root(root).kind == RootKind::Main;
        roots.iter().all(|root| is_main(*root)) && context.threads_at(&access.forks).is_empty()
    })
}

fn is_without_race(
    surroundings: &Surroundings<'_>,
    facts: &Facts,
    contexts: &Contexts,
    class: Class,
    accesses: &[AccessNumber],
) -> bool {
    let functions = surroundings.graph.functions;
    let points_to = surroundings.graph.points_to();
    let memory = Memory {
        is_given_once: &|site| pairing::is_given_once(functions, contexts, site),
        gives_once: &|_| false,
        share_storage: &|record, one, other| points_to.share_storage(record, one, other),
    };
    let location = Location::new(surroundings, class, accesses);
    pairing::pairs(&location.viewed(), &surroundings.moments, facts, memory).is_empty()
}
