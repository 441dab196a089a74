//! What the analysis of a program keeps for the next one, after an edit, and what of it still holds then.

use super::ordering::Orders;
use super::pairing::{AccessNumber, AccessesByClass};
use super::whole_program::{Found, Options, WholeProgram};
use crate::accesses::FunctionFacts;
use crate::callgraph::{CallGraph, FunctionId, Functions, IndirectCalls};
use crate::ir::{FunctionRef, GlobalRef};
use crate::points_to::{Changes, Class, Constraints, PointsTo, solve, solve_again};
use crate::summaries::{Summarised, SyncObjects};
use crate::threads::{Contexts, Sources};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a function says about pointers.
pub type NamedConstraints = (FunctionRef, Arc<Constraints>);

pub(super) struct Kept {
    pub constraints: Vec<NamedConstraints>,
    pub indirect: Vec<IndirectCalls>,
    pub objects: SyncObjects,
    pub summarised: Summarised<FunctionFacts>,
    /// The facts of functions that some thread may run; of the others there is nothing.
    pub facts: Vec<Arc<FunctionFacts>>,
    pub nothing: Arc<FunctionFacts>,
    pub arrays: FxHashSet<GlobalRef>,
    pub options: Options,
    pub by_class: AccessesByClass,
    /// The races of each location, as if every address were made known in order.
    pub found: BTreeMap<Class, Found>,
    /// Those of locations for which it matters that some are not.
    pub found_unordered: BTreeMap<Class, Found>,
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
    let again = solve_again(constraints, &resolve, &before.points_to);
    match again.aligned(&before.points_to, &|name| !changed.contains(&name)) {
        Some((points_to, changes)) => (Arc::new(points_to), Some(changes)),
        None => anew(),
    }
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
            let (body, before) = (
                graph.functions.body(function),
                self.functions.body(function),
            );
            let name = body.function;
            !(Arc::ptr_eq(body, before) || body == before)
                || changed.functions.contains(&name)
                || graph.indirect_calls()[index] != self.kept.indirect[index]
                || !graph.points_to().names_the_same(&self.points_to, name)
                || changes.touch(&self.kept.summarised.work[index].reads, &self.points_to)
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
        let is_same = |(new, old): (&Arc<FunctionFacts>, &Arc<FunctionFacts>)| {
            Arc::ptr_eq(new, old) || Orders::is_same_for(graph, objects, new, old)
        };
        contexts.are_alike(&self.contexts)
            && objects.order_alike(&self.kept.objects)
            && !changes.are_structural()
            && facts.iter().zip(&self.kept.facts).all(is_same)
    }

    /// Which functions have the same facts in the same contexts as before; `None` if there are other threads.
    pub(super) fn unchanged_functions(
        &self,
        facts: &[Arc<FunctionFacts>],
        contexts: &Arc<Contexts>,
    ) -> Option<Vec<bool>> {
        let mut unchanged = contexts.unchanged_since(&self.contexts)?;
        for ((unchanged, new), old) in unchanged.iter_mut().zip(facts).zip(&self.kept.facts) {
            *unchanged &= Arc::ptr_eq(new, old);
        }
        Some(unchanged)
    }

    /// Whether these accesses are the ones that a location had before.
    pub(super) fn has_accesses(
        &self,
        class: Class,
        accesses: &[AccessNumber],
        unchanged: &[bool],
    ) -> bool {
        let is_same = |function: FunctionId| unchanged[function.0 as usize];
        let before = self.kept.by_class.get(&class);
        before.is_some_and(|before| before == accesses)
            && accesses.iter().all(|(function, _)| is_same(*function))
    }
}
