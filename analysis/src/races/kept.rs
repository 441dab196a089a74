//! What the analysis of a program keeps for the next one, after an edit, and what of it still holds then.

use super::access_index::{AccessIndex, Indexed};
use super::arrays::Arrays;
use super::distinct_ids::Renamed;
use super::limits::Crowded;
use super::looks::KnownLooks;
use super::moved::Version;
use super::pointers_changed::{PointedTo, PointersChanged};
use super::publication::{Published, RelaxedByFunction};
use super::references::{Owners, owners_again};
use super::search::{FoundRaces, StillKnown};
use super::sole_locks::SoleLocks;
use super::tallies::{Counted, Tallies};
use super::tickets::KnownCounters;
use super::whole_program::{Options, WholeProgram};
use crate::accesses::{Facts, FunctionFacts};
use crate::callgraph::{CallGraph, Components, FunctionId, Functions, KnownCalls};
use crate::ir::{FunctionRef, GlobalRef};
use crate::models::Models;
use crate::points_to::{
    Changes, Class, Constraints, PointsTo, Reads, SaidAgain, solve, solve_for_edits, solve_in,
};
use crate::shared_list::SharedList;
use crate::summaries::{Summarised, SyncObjects};
use crate::threads::{Contexts, Sources};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a function says about pointers.
pub type NamedConstraints = (FunctionRef, Arc<Constraints>);

/// What all functions and initialisers say, in the order of the program.
pub type AllConstraints = SharedList<NamedConstraints>;

pub(super) struct Kept {
    pub constraints: AllConstraints,
    pub calls: KnownCalls,
    pub objects: SyncObjects,
    pub summarised: Summarised<FunctionFacts>,
    /// Those of the call graph with what library functions call.
    pub entered_components: Arc<Components>,
    /// The facts of functions that some thread may run; of the others there is nothing.
    pub facts: Facts,
    pub nothing: Arc<FunctionFacts>,
    /// By function.
    pub reachable: Arc<Vec<bool>>,
    pub arrays: Arrays,
    pub options: Options,
    pub index: AccessIndex,
    /// The races of each location, as if every address were made known in order.
    pub found: FoundRaces,
    /// Those of locations for which it matters that some are not.
    pub found_unordered: FoundRaces,
    pub crowded: Arc<Crowded>,
    pub looks: KnownLooks,
    pub sole_locks: SoleLocks,
    pub relaxed: RelaxedByFunction,
    pub tallies: Tallies,
    pub published: Published,
    pub renamed: Arc<Renamed>,
}

/// What pointers point to, and how that differs from before; `None` if nothing of what was before helps. If names mean other functions
/// now, all has to be solved again.
pub(super) fn pointers(
    functions: &Functions,
    constraints: &AllConstraints,
    options: &Options,
    before: Option<&WholeProgram>,
    is_named_otherwise: bool,
) -> (Arc<PointsTo>, Option<Changes>) {
    let resolve = |name| {
        let known = functions.resolve(name).iter();
        known
            .map(|function| functions.body(*function).function)
            .collect()
    };
    let all = || constraints.iter().cloned().collect::<Vec<_>>();
    let anew = || {
        let solved = match options.only_reachable {
            true => solve(&all(), &resolve),
            false => solve_for_edits(&all(), &resolve, None),
        };
        (Arc::new(solved), None)
    };
    let Some(before) = before else {
        return anew();
    };
    let changed = changed_names(&before.kept.constraints, constraints);
    if changed.is_empty() && !is_named_otherwise {
        return (before.points_to.clone(), Some(Changes::default()));
    }
    let mut surroundings = None;
    let said = match is_named_otherwise {
        true => None,
        false => said_again(&before.kept.constraints, constraints),
    };
    if let Some(said) = said {
        if let Some((points_to, changes)) = before.points_to.renamed(&said) {
            return (Arc::new(points_to), Some(changes));
        }
        let sayings = || constraints.iter().map(|(_, said)| said.clone()).collect();
        match before.points_to.standing_after(&said, &sayings, &resolve) {
            Ok((points_to, changes)) => return (Arc::new(points_to), Some(changes)),
            Err(left) => surroundings = left,
        }
    }
    let is_same = |name| !changed.contains(&name);
    let known = &before.points_to;
    let again = match surroundings {
        Some(surroundings) => solve_in(*surroundings, &all(), known, &is_same),
        None => solve_for_edits(&all(), &resolve, Some(known)).aligned(known, &is_same),
    };
    match again {
        Some((points_to, changes)) => (Arc::new(points_to), Some(changes)),
        None => anew(),
    }
}

/// What functions that say something else said before and say now, if they have the names that they had.
fn said_again<'c>(
    before: &'c AllConstraints,
    now: &'c AllConstraints,
) -> Option<Vec<SaidAgain<'c>>> {
    if before.len() != now.len() {
        return None;
    }
    let changed = now.unshared_with(before);
    let pairs = changed.map(|index| (&before[index], &now[index]));
    let said = pairs.filter(|(old, new)| !is_said_again(old, new));
    said.map(|(old, new)| (old.0 == new.0).then_some((new.0, &old.1, &new.1)))
        .collect()
}

/// The functions that say something else about pointers, or are gone or new.
fn changed_names(before: &AllConstraints, now: &AllConstraints) -> FxHashSet<FunctionRef> {
    let changed = now.unshared_with(before);
    let pairs = changed.map(|index| (&before[index], &now[index]));
    let different = pairs.filter(|(old, new)| !is_said_again(old, new));
    different.flat_map(|(old, new)| [old.0, new.0]).collect()
}

/// Whether a function says what it said.
fn is_said_again(old: &NamedConstraints, new: &NamedConstraints) -> bool {
    old.0 == new.0 && (Arc::ptr_eq(&old.1, &new.1) || old.1 == new.1)
}

impl WholeProgram {
    /// Whether this is what an analysis with the same models would find.
    pub fn is_of(
        &self,
        functions: &Functions,
        constraints: &AllConstraints,
        options: &Options,
    ) -> bool {
        *options == self.kept.options
            && functions.are_equal(&self.functions)
            && constraints.len() == self.kept.constraints.len()
            && changed_names(&self.kept.constraints, constraints).is_empty()
    }

    /// The functions whose text is not what it was, or that have to do with one of these names, which mean other functions now.
    pub(super) fn concerned(
        &self,
        functions: &Functions,
        named_otherwise: &FxHashSet<FunctionRef>,
    ) -> Vec<FunctionId> {
        let mut concerned: BTreeSet<FunctionId> = functions.edited_since(&self.functions).collect();
        if !named_otherwise.is_empty() {
            let calls = self.kept.calls.indirect();
            let all = (0..functions.len() as u32).into_par_iter().map(FunctionId);
            let others = all.filter(|function| {
                let mut called = calls[function.0 as usize].values().flatten();
                let body = functions.body(*function);
                body.mentions(&|name| named_otherwise.contains(&name))
                    || called.any(|name| named_otherwise.contains(name))
            });
            concerned.extend(others.collect::<Vec<_>>());
        }
        concerned.into_iter().collect()
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
    pub(super) fn components(&self, graph: &CallGraph<'_>) -> Arc<Components> {
        match graph.calls().have_the_same_callees(&self.kept.calls) {
            true => self.kept.summarised.components.clone(),
            false => Arc::new(Components::new(graph.all_callees())),
        }
    }

    /// The same with what library functions call; `components` are those without.
    pub(super) fn entered_components(
        &self,
        graph: &CallGraph<'_>,
        components: &Arc<Components>,
    ) -> Arc<Components> {
        match graph.calls().enter_the_same(&self.kept.calls) {
            true => self.kept.entered_components.clone(),
            false => graph.entered_components(components),
        }
    }

    pub(super) fn objects_again(
        &self,
        graph: &CallGraph<'_>,
        edited: &[FunctionId],
        changes: &Changes,
    ) -> SyncObjects {
        let renamed = self.renamed(graph, changes);
        let has_pointers = |function: FunctionId, reads: &Reads| {
            self.has_pointers(graph, function, &renamed, changes, reads)
        };
        let (new, old) = (graph.functions, &self.functions);
        let has_statics =
            |function: &FunctionId| new.body(*function).statics == old.body(*function).statics;
        let has_first_values = new.has_initialisers_of(old) && edited.iter().all(has_statics);
        SyncObjects::again(
            graph,
            &self.kept.objects,
            edited,
            &has_pointers,
            !(renamed.is_empty() && changes.is_empty()),
            !has_first_values,
        )
    }

    /// The functions whose pointers are in other classes than before, apart from those that have another text.
    fn renamed(&self, graph: &CallGraph<'_>, changes: &Changes) -> FxHashSet<FunctionRef> {
        match changes.leave_others_alone() {
            // Whoever calls its own registers something else has another text.
            true => FxHashSet::default(),
            false => graph.points_to().naming_otherwise(&self.points_to),
        }
    }

    /// Whether a function's pointers, and these answers about others, are what they were.
    fn has_pointers(
        &self,
        graph: &CallGraph<'_>,
        function: FunctionId,
        renamed: &FxHashSet<FunctionRef>,
        changes: &Changes,
        reads: &Reads,
    ) -> bool {
        (renamed.is_empty() || !renamed.contains(&graph.functions.body(function).function))
            && !changes.touch(reads, &self.points_to, graph.points_to())
    }

    /// Which functions have to be looked at again whatever their callees do: their text, the targets of their calls
    /// or an answer about pointers that they have used is different.
    pub(super) fn stale(
        &self,
        graph: &CallGraph<'_>,
        edited: &[FunctionId],
        objects: &SyncObjects,
        changes: &mut Changes,
    ) -> FxHashSet<FunctionId> {
        let changed = objects.changes_since(&self.kept.objects);
        if changed.kinds {
            return graph.functions.ids().collect();
        }
        changes.note(changed.classes.iter().copied());
        let changes = &*changes;
        let mut stale = changed.functions;
        stale.extend(edited);
        let (calls, before) = (graph.calls().indirect(), self.kept.calls.indirect());
        let redirected = calls.unshared_with(before);
        let redirected = redirected.filter(|index| calls[*index] != before[*index]);
        stale.extend(redirected.map(|index| FunctionId(index as u32)));
        let renamed = self.renamed(graph, changes);
        if !renamed.is_empty() || !changes.is_empty() {
            let functions = (0..graph.functions.len() as u32).into_par_iter();
            let others = functions.map(FunctionId).filter(|function| {
                let reads = &self.kept.summarised.work[function.0 as usize].reads;
                !self.has_pointers(graph, *function, &renamed, changes, reads)
            });
            stale.extend(others.collect::<Vec<_>>());
        }
        stale
    }

    /// Which functions some thread may run, if that cannot have changed.
    pub(super) fn reachable(
        &self,
        graph: &CallGraph<'_>,
        edited: &[FunctionId],
        options: &Options,
        changes: &Changes,
    ) -> Option<Arc<Vec<bool>>> {
        let (new, old) = (graph.functions, &self.functions);
        let rules = &options.threads;
        let begins_as_before = |function: &FunctionId| {
            rules.begins(new.body(*function)) == rules.begins(old.body(*function))
        };
        let is_same = *rules == self.kept.options.threads
            && graph.calls().have_the_same_callees(&self.kept.calls)
            && (changes.leave_others_alone()
                || graph
                    .points_to()
                    .has_addressed_functions_of(&self.points_to))
            && edited.iter().all(begins_as_before);
        is_same.then(|| self.kept.reachable.clone())
    }

    /// The facts that count when threads are compared, if threads run the functions that they ran.
    pub(super) fn facts_again(&self, known: &Facts) -> Facts {
        let mut facts = self.kept.facts.clone();
        for index in known.unshared_with(&self.facts) {
            if self.kept.reachable[index] && !Arc::ptr_eq(&facts[index], &known[index]) {
                facts.set(index, known[index].clone());
            }
        }
        facts
    }

    pub(super) fn tallies_again(&self, now: Counted<'_>) -> Tallies {
        let before = Counted {
            facts: &self.facts,
            calls: &self.kept.calls,
            contexts: &self.contexts,
        };
        self.kept.tallies.again(before, now)
    }

    pub(super) fn sources(&self) -> Sources<'_> {
        Sources {
            functions: &self.functions,
            facts: &self.kept.facts,
            components: &self.kept.entered_components,
            rules: &self.kept.options.threads,
        }
    }

    /// The functions that some thread may run and of which there are other facts than before.
    pub(super) fn with_other_facts<'f>(
        &'f self,
        facts: &'f Facts,
    ) -> impl Iterator<Item = FunctionId> + 'f {
        let unshared = facts.unshared_with(&self.kept.facts);
        let others =
            unshared.filter(|index| !Arc::ptr_eq(&facts[*index], &self.kept.facts[*index]));
        others.map(|index| FunctionId(index as u32))
    }

    /// What is known of locations; `None` if there are other threads.
    pub(super) fn locations_again(
        &self,
        functions: &Functions,
        now: Indexed<'_>,
        changes: &Changes,
        arrays: &FxHashSet<GlobalRef>,
    ) -> Option<LocationsAgain<'_>> {
        let entered_otherwise = now.contexts.entered_otherwise_since(&self.contexts)?;
        let has_contexts = |function: &FunctionId| !entered_otherwise.contains(function);
        let mut edited = entered_otherwise.clone();
        edited.extend(functions.edited_since(&self.functions));
        edited.extend(self.with_other_facts(now.facts));
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
        let pointed_to = PointedTo::new(now, functions, arrays);
        let sole_locks = &self.kept.sole_locks;
        let has_moved = |function: FunctionId| {
            has_contexts(&function)
                && !with_accepted.contains(&function)
                && after.has_only_moved_since(&before, function)
                && sole_locks.are_right_for(function, pointed_to.pointers)
        };
        let others = edited.iter().copied();
        let mut changed: BTreeSet<FunctionId> =
            others.filter(|function| !has_moved(*function)).collect();
        let indexed = Indexed {
            points_to: &self.points_to,
            facts: &self.kept.facts,
            contexts: &self.contexts,
        };
        let pointers_changed = match changes.leave_others_alone() {
            true => PointersChanged::default(),
            false => PointersChanged::find(
                PointedTo::new(indexed, &self.functions, arrays),
                pointed_to,
                changes,
                sole_locks,
                &changed,
            ),
        };
        edited.extend(&pointers_changed.looking_otherwise);
        changed.extend(&pointers_changed.looking_otherwise);
        let others = &pointers_changed.touching;
        let (index, mut affected) = self.kept.index.again(indexed, now, &changed, others);
        let touching = pointers_changed.touching.iter();
        let touched = touching.flat_map(|other| other.more.iter().chain(&other.no_more));
        let mut touched_otherwise = pointers_changed.leading_elsewhere;
        touched_otherwise.extend(touched.copied());
        affected.extend(&touched_otherwise);
        let [edited, changed] = [edited, changed].map(|functions| functions.into_iter().collect());
        Some(LocationsAgain {
            before: self,
            edited,
            changed,
            has_pointers: changes.leave_others_alone(),
            with_accepted,
            index,
            accessed: affected.clone(),
            affected,
            touched_otherwise,
            found: self.kept.found.clone(),
            found_unordered: self.kept.found_unordered.clone(),
        })
    }
}

/// What is known of the locations of a program from before an edit.
pub(super) struct LocationsAgain<'k> {
    pub before: &'k WholeProgram,
    /// Functions that have another text, other facts or other contexts now.
    pub edited: Vec<FunctionId>,
    /// Those of them whose accesses have not only moved.
    pub changed: Vec<FunctionId>,
    /// The pointers of other functions are what they were. If not, what is asked for from now on is no answer for who goes on from
    /// before the edit, because this check was stopped.
    pub has_pointers: bool,
    /// Functions with statements whose races the user accepts.
    pub with_accepted: FxHashSet<FunctionId>,
    /// The accesses as they are now.
    pub index: AccessIndex,
    /// The locations that these functions access, or did, as far as their accesses there may be others.
    pub affected: BTreeSet<Class>,
    /// All that they access, or did.
    pub accessed: BTreeSet<Class>,
    /// Those of the locations where accesses of other functions are not what they were.
    pub touched_otherwise: BTreeSet<Class>,
    /// What was found, with the numbers that accesses have now wherever that still holds.
    pub found: FoundRaces,
    pub found_unordered: FoundRaces,
}

impl<'k> LocationsAgain<'k> {
    /// The program before the edit, if this is what was found there, too.
    pub fn with_the_same(
        &self,
        found: &FoundRaces,
        found_unordered: &FoundRaces,
    ) -> Option<&'k WholeProgram> {
        let kept = &self.before.kept;
        let is_same =
            is_same(&kept.found, found) && is_same(&kept.found_unordered, found_unordered);
        is_same.then_some(self.before)
    }

    /// What was published before the edit, if that is said by the same races and functions.
    pub fn published(&self, found: &FoundRaces, relaxed: &RelaxedByFunction) -> Option<Published> {
        let kept = &self.before.kept;
        let is_same = is_same(&kept.found, found) && kept.relaxed == *relaxed;
        is_same.then(|| kept.published.clone())
    }

    /// The locks that are one variable, of functions whose races are known.
    pub fn sole_locks(&self) -> SoleLocks {
        let known = &self.before.kept.sole_locks;
        let known = match self.has_pointers {
            true => known.clone(),
            false => known.unshared(),
        };
        known.without(self.changed.iter().copied())
    }

    pub fn owners(&self, facts: &Facts) -> Option<Arc<Owners>> {
        let facts = [facts, &self.before.kept.facts];
        owners_again(&self.before.owners, facts, &self.changed)
    }

    /// How accesses looked, if only those of the edited functions can look otherwise now.
    pub fn looks(&self, contexts: &Contexts, owners: &Arc<Owners>) -> Option<KnownLooks> {
        let is_same =
            contexts.number_companies_as(&self.before.contexts) && self.before.owners == *owners;
        let known = &self.before.kept.looks;
        // Functions with other contexts are among the edited ones.
        is_same.then(|| match self.has_pointers {
            true => known.again(&self.edited),
            false => known.unshared().again(&self.edited),
        })
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
            found: &self.found,
            affected: &self.affected,
        }
    }

    /// The same without what was found out about single accesses.
    pub fn found_by_functions(&self) -> StillKnown<'_> {
        StillKnown {
            found: &self.before.kept.found,
            affected: &self.accessed,
        }
    }

    /// What was found without order, if it may be different at these locations.
    pub fn found_unordered<'s>(&'s self, affected: &'s BTreeSet<Class>) -> StillKnown<'s> {
        StillKnown {
            found: &self.found_unordered,
            affected,
        }
    }

    /// The same without what was found out about single accesses.
    pub fn found_unordered_by_functions<'s>(
        &'s self,
        affected: &'s BTreeSet<Class>,
    ) -> StillKnown<'s> {
        StillKnown {
            found: &self.before.kept.found_unordered,
            affected,
        }
    }
}

/// Whether nothing else was found, as far as that is seen at once.
fn is_same(before: &FoundRaces, now: &FoundRaces) -> bool {
    Arc::ptr_eq(before, now) || (before.is_empty() && now.is_empty())
}
