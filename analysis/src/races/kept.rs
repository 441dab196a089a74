//! What the analysis of a program keeps for the next one, after an edit, and what of it still holds then.

use super::access_index::{AccessIndex, Indexed};
use super::arrays::Arrays;
use super::looks::KnownLooks;
use super::moved::Version;
use super::ordering::Orders;
use super::publication::RelaxedByFunction;
use super::references::{Owners, owners_again};
use super::search::{FoundRaces, StillKnown};
use super::tickets::KnownCounters;
use super::whole_program::{Options, WholeProgram};
use crate::accesses::FunctionFacts;
use crate::callgraph::{CallGraph, FunctionId, Functions, KnownCalls, components};
use crate::ir::FunctionRef;
use crate::models::Models;
use crate::points_to::{
    Changes, Class, Constraints, PointsTo, Reads, SaidAgain, solve, solve_again,
};
use crate::summaries::{Summarised, SyncObjects};
use crate::threads::{Contexts, Sources};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a function says about pointers.
pub type NamedConstraints = (FunctionRef, Arc<Constraints>);

pub(super) struct Kept {
    pub constraints: Vec<NamedConstraints>,
    pub calls: KnownCalls,
    pub objects: SyncObjects,
    pub summarised: Summarised<FunctionFacts>,
    /// The facts of functions that some thread may run; of the others there is nothing.
    pub facts: Vec<Arc<FunctionFacts>>,
    pub nothing: Arc<FunctionFacts>,
    pub arrays: Arrays,
    pub options: Options,
    pub index: AccessIndex,
    /// The races of each location, as if every address were made known in order.
    pub found: FoundRaces,
    /// Those of locations for which it matters that some are not.
    pub found_unordered: FoundRaces,
    pub looks: KnownLooks,
    pub relaxed: RelaxedByFunction,
}

/// What pointers point to, and how that differs from before; `None` if nothing of what was before helps.
pub(super) fn pointers(
    functions: &Functions,
    constraints: &[NamedConstraints],
    before: Option<&WholeProgram>,
) -> (Arc<PointsTo>, Option<Changes>) {
    let resolve = |name| {
        let known = functions.resolve(name).iter();
        known
            .map(|function| functions.body(*function).function)
            .collect()
    };
    let anew = || (Arc::new(solve(constraints, &resolve)), None);
    let Some(before) = before else {
        return anew();
    };
    let changed = changed_names(&before.kept.constraints, constraints);
    if changed.is_empty() {
        return (before.points_to.clone(), Some(Changes::default()));
    }
    let renamed = said_again(&before.kept.constraints, constraints, &changed)
        .and_then(|said| before.points_to.renamed(&said));
    if let Some((points_to, changes)) = renamed {
        return (Arc::new(points_to), Some(changes));
    }
    let again = solve_again(constraints, &resolve, &before.points_to);
    match again.aligned(&before.points_to, &|name| !changed.contains(&name)) {
        Some((points_to, changes)) => (Arc::new(points_to), Some(changes)),
        None => anew(),
    }
}

/// What functions with these names said before and say now, if each name is that of one function.
fn said_again<'c>(
    before: &'c [NamedConstraints],
    now: &'c [NamedConstraints],
    names: &FxHashSet<FunctionRef>,
) -> Option<Vec<SaidAgain<'c>>> {
    if before.len() != now.len() {
        return None;
    }
    let pairs = before.iter().zip(now);
    let named = pairs.filter(|(old, new)| names.contains(&old.0) || names.contains(&new.0));
    let said: Vec<SaidAgain<'_>> = named.map(|(old, new)| (new.0, &*old.1, &*new.1)).collect();
    (said.len() == names.len()).then_some(said)
}

/// The functions that say something else about pointers, or are gone or new.
fn changed_names(before: &[NamedConstraints], now: &[NamedConstraints]) -> FxHashSet<FunctionRef> {
    let is_same = |(old, new): (&NamedConstraints, &NamedConstraints)| {
        old.0 == new.0 && (Arc::ptr_eq(&old.1, &new.1) || old.1 == new.1)
    };
    if before.len() == now.len() {
        let pairs = before.iter().zip(now);
        let different = pairs.filter(|pair| !is_same(*pair));
        return different.flat_map(|(old, new)| [old.0, new.0]).collect();
    }
    fn by_name(all: &[NamedConstraints]) -> FxHashMap<FunctionRef, Vec<&NamedConstraints>> {
        let mut found: FxHashMap<FunctionRef, Vec<&NamedConstraints>> = FxHashMap::default();
        for one in all {
            found.entry(one.0).or_default().push(one);
        }
        found
    }
    let (before, now) = (by_name(before), by_name(now));
    let is_known = |name: &FunctionRef, new: &[&NamedConstraints]| {
        before.get(name).is_some_and(|old| {
            let mut pairs = old.iter().copied().zip(new.iter().copied());
            old.len() == new.len() && pairs.all(is_same)
        })
    };
    let new = now.iter().filter(|(name, all)| !is_known(name, all));
    let gone = before.keys().filter(|name| !now.contains_key(name));
    new.map(|(name, _)| *name).chain(gone.copied()).collect()
}

impl WholeProgram {
    /// Whether this is what an analysis with the same models would find.
    pub fn is_of(
        &self,
        functions: &Functions,
        constraints: &[NamedConstraints],
        options: &Options,
    ) -> bool {
        *options == self.kept.options
            && functions.are_equal(&self.functions)
            && constraints.len() == self.kept.constraints.len()
            && changed_names(&self.kept.constraints, constraints).is_empty()
    }

    /// The calls of the program.
    pub fn graph<'m>(&'m self, models: &'m Models) -> CallGraph<'m> {
        let calls = self.kept.calls.clone();
        CallGraph::with_calls(&self.functions, &self.points_to, models, calls)
    }

    /// What is known of objects that may order threads.
    pub fn objects(&self) -> &SyncObjects {
        &self.kept.objects
    }

    /// The functions that call each other, callees first.
    pub(super) fn components(&self, graph: &CallGraph<'_>) -> Arc<Vec<Vec<u32>>> {
        match graph.calls().have_the_same_callees(&self.kept.calls) {
            true => self.kept.summarised.components.clone(),
            false => Arc::new(components(graph.all_callees())),
        }
    }

    pub(super) fn objects_again(&self, graph: &CallGraph<'_>, changes: &Changes) -> SyncObjects {
        let is_same = |function: FunctionId, reads: &Reads| {
            self.has_text(graph.functions, function)
                && self.has_pointers(graph, function, changes, reads)
        };
        let (new, old) = (graph.functions, &self.functions);
        let has_statics = |function: FunctionId| {
            let (new, old) = (new.body(function), old.body(function));
            Arc::ptr_eq(new, old) || new.statics == old.statics
        };
        let has_first_values = new.has_initialisers_of(old) && new.ids().all(has_statics);
        let has_pointers =
            std::ptr::eq(graph.points_to(), &*self.points_to) || changes.are_of_names();
        SyncObjects::again(
            graph,
            &self.kept.objects,
            &is_same,
            !has_pointers,
            !has_first_values,
        )
    }

    /// Whether the text of a function is what it was.
    fn has_text(&self, functions: &Functions, function: FunctionId) -> bool {
        let (body, before) = (functions.body(function), self.functions.body(function));
        Arc::ptr_eq(body, before) || body == before
    }

    /// Whether a function's pointers, and these answers about others, are what they were.
    fn has_pointers(
        &self,
        graph: &CallGraph<'_>,
        function: FunctionId,
        changes: &Changes,
        reads: &Reads,
    ) -> bool {
        let name = graph.functions.body(function).function;
        let points_to = graph.points_to();
        let is_same = std::ptr::eq(points_to, &*self.points_to);
        // Whoever calls its own registers something else has another text.
        (is_same || changes.are_of_names() || points_to.names_the_same(&self.points_to, name))
            && !changes.touch(reads, &self.points_to)
    }

    /// Which functions have to be looked at again whatever their callees do: their text, the targets of their calls
    /// or an answer about pointers that they have used is different.
    pub(super) fn stale(
        &self,
        graph: &CallGraph<'_>,
        objects: &SyncObjects,
        changes: &mut Changes,
    ) -> Vec<bool> {
        let changed = objects.changes_since(&self.kept.objects);
        if changed.kinds {
            return vec![true; graph.functions.len()];
        }
        changes.note(changed.classes.iter().copied());
        let changes = &*changes;
        let is_stale = |index: usize| {
            let function = FunctionId(index as u32);
            let reads = &self.kept.summarised.work[index].reads;
            let (new, old) = (
                &graph.calls().indirect()[index],
                &self.kept.calls.indirect()[index],
            );
            !self.has_text(graph.functions, function)
                || changed.functions.contains(&function)
                || !(Arc::ptr_eq(new, old) || new == old)
                || !self.has_pointers(graph, function, changes, reads)
        };
        let functions = 0..graph.functions.len();
        functions.into_par_iter().map(is_stale).collect()
    }

    pub(super) fn sources(&self) -> Sources<'_> {
        Sources {
            functions: &self.functions,
            facts: &self.kept.facts,
            components: &self.kept.summarised.components,
            rules: &self.kept.options.threads,
        }
    }

    /// Whether the orders of the program are those that it had before.
    pub(super) fn has_orders(
        &self,
        graph: &CallGraph<'_>,
        objects: &SyncObjects,
        facts: &[Arc<FunctionFacts>],
        contexts: &Arc<Contexts>,
        changes: &Changes,
    ) -> bool {
        let Some(unchanged) = contexts.unchanged_since(&self.contexts) else {
            return false;
        };
        let is_same = |function: FunctionId| {
            let index = function.0 as usize;
            let (new, old) = (&facts[index], &self.kept.facts[index]);
            let versions: [(&Contexts, &FunctionFacts); 2] =
                [(contexts, new), (&self.contexts, old)];
            (unchanged[index] && Arc::ptr_eq(new, old))
                || Orders::is_same_for(graph, objects, function, versions)
        };
        // Whoever writes a whole object writes the flags in it.
        let writes_others = |facts: &Arc<FunctionFacts>| {
            let accesses = facts.accesses.iter();
            let mut whole = accesses.filter(|access| access.cell.whole);
            whole.any(|access| changes.touch_parts(access.cell.class, &self.points_to))
        };
        objects.order_alike(&self.kept.objects)
            && graph.functions.ids().all(is_same)
            && !(changes.are_structural() && self.kept.facts.par_iter().any(writes_others))
    }

    /// What is known of locations; `None` if there are other threads.
    pub(super) fn locations_again(
        &self,
        functions: &Functions,
        now: Indexed<'_>,
    ) -> Option<LocationsAgain<'_>> {
        let unchanged = now.contexts.unchanged_since(&self.contexts)?;
        let is_untouched = |function: &FunctionId| {
            let index = function.0 as usize;
            let (body, before) = (functions.body(*function), self.functions.body(*function));
            Arc::ptr_eq(&now.facts[index], &self.kept.facts[index]) && Arc::ptr_eq(body, before)
        };
        let has_contexts = |function: &FunctionId| unchanged[function.0 as usize];
        let edited: Vec<FunctionId> = functions
            .ids()
            .filter(|function| !has_contexts(function) || !is_untouched(function))
            .collect();
        let (after, before) = (
            Version {
                functions,
                facts: now.facts,
                contexts: now.contexts,
            },
            Version {
                functions: &self.functions,
                facts: &self.kept.facts,
                contexts: &self.contexts,
            },
        );
        let accepted = self.kept.options.accepted.iter();
        let with_accepted: FxHashSet<FunctionId> =
            accepted.map(|(function, _)| *function).collect();
        let has_moved = |function: FunctionId| {
            has_contexts(&function)
                && !with_accepted.contains(&function)
                && after.has_only_moved_since(&before, function)
        };
        let others = edited.iter().copied();
        let changed: Vec<FunctionId> = others.filter(|function| !has_moved(*function)).collect();
        let before = Indexed {
            points_to: &self.points_to,
            facts: &self.kept.facts,
            contexts: &self.contexts,
        };
        let (index, affected) = self.kept.index.again(before, now, &changed);
        Some(LocationsAgain {
            before: self,
            edited,
            changed,
            index,
            affected,
        })
    }
}

/// What is known of the locations of a program from before an edit.
pub(super) struct LocationsAgain<'k> {
    pub before: &'k WholeProgram,
    /// Functions that have another text, other facts or other contexts now.
    pub edited: Vec<FunctionId>,
    /// Those of them whose accesses have not only moved.
    changed: Vec<FunctionId>,
    /// The accesses as they are now.
    pub index: AccessIndex,
    /// The locations that these functions access, or did.
    affected: BTreeSet<Class>,
}

impl LocationsAgain<'_> {
    pub fn owners(&self, facts: &[Arc<FunctionFacts>], contexts: &Contexts) -> Option<Arc<Owners>> {
        if !contexts.are_alike(&self.before.contexts) {
            return None;
        }
        let facts = [facts, &self.before.kept.facts];
        owners_again(&self.before.owners, facts, &self.changed)
    }

    /// How accesses looked, if only those of the edited functions can look otherwise now.
    pub fn looks(&self, contexts: &Contexts, owners: &Arc<Owners>) -> Option<KnownLooks> {
        let is_same = contexts.are_alike(&self.before.contexts) && self.before.owners == *owners;
        is_same.then(|| self.before.kept.looks.again(&self.edited))
    }

    pub fn counters<'c>(&'c self, changes: &'c Changes) -> KnownCounters<'c> {
        KnownCounters {
            counters: &self.before.kept.objects.counters,
            good: &self.before.counters,
            affected: &self.affected,
            changes,
        }
    }

    pub fn found(&self) -> StillKnown<'_> {
        StillKnown {
            found: &self.before.kept.found,
            affected: &self.affected,
        }
    }

    pub fn found_unordered(&self) -> StillKnown<'_> {
        StillKnown {
            found: &self.before.kept.found_unordered,
            affected: &self.affected,
        }
    }
}
