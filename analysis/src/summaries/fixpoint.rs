//! Summaries of all functions, component by component; recursion by fixpoint.

use super::callees::{Analysed, Callees};
use super::component::{Result, Run};
use super::earlier::{Earlier, Summarised, Work};
use super::known::Summary;
use super::objects::SyncObjects;
use crate::callgraph::{CallGraph, Components};
use crate::stop::{Aside, Stop};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Summarises every function, and lets `then` take out of each what else is wanted while its states are there.
/// Of components in which nothing is wanted, nothing is found out. What was found earlier is taken over where it still holds: then
/// only components are looked at in which something is stale, and those that call such as are not what they were.
pub fn summarise_program<T: Default + PartialEq + Send + Sync + 'static>(
    graph: &CallGraph<'_>,
    objects: &SyncObjects,
    components: Arc<Components>,
    is_wanted: &IsWanted<'_>,
    earlier: Option<&Earlier<'_, T>>,
    then: &Then<'_, T>,
) -> Summarised<T> {
    let stop = Stop::of_this_thread();
    let summarised = match earlier {
        Some(earlier) => Summarised {
            summaries: earlier.summarised.summaries.clone(),
            taken: earlier.summarised.taken.clone(),
            work: earlier.summarised.work.clone(),
            components,
        },
        None => Summarised::nothing_yet(graph.functions.len(), components),
    };
    let mut summarised = stop.aside(summarised);
    let components = summarised.components.clone();
    let doubtful: Vec<u32> = match earlier {
        Some(earlier) => earlier.doubtful(&components),
        None => (0..components.all().len() as u32).collect(),
    };
    // By level: those of one level are looked at side by side.
    let doubtful = doubtful.into_iter();
    let mut pending: BTreeSet<(u32, u32)> = doubtful
        .map(|component| (components.level(component), component))
        .collect();
    // Functions of which callers know something else than earlier.
    let mut changed: FxHashSet<u32> = FxHashSet::default();
    while let Some(&(level, _)) = pending.first() {
        let above = pending.split_off(&(level + 1, 0));
        let open: Vec<&[u32]> = std::mem::replace(&mut pending, above)
            .into_iter()
            .map(|(_, component)| components.members(component))
            .collect();
        let again = |component| Some(earlier?.again(component, graph, &changed));
        let results: Vec<Aside<Vec<Result<T>>>> = open
            .par_iter()
            .map(|component| {
                if !component.iter().any(|member| is_wanted(*member)) {
                    return stop.aside(component.iter().map(unknown).collect());
                }
                let run = Run {
                    graph,
                    objects,
                    settled: &summarised.summaries,
                };
                stop.aside(stop.heard(|| run.component(component, again(component).as_ref(), then)))
            })
            .collect();
        for (member, mut summary, mut taken, work) in
            results.into_iter().flat_map(Aside::into_inner)
        {
            if let Some(earlier) = earlier
                && earlier.keep_equal(member, &mut summary, &mut taken)
            {
                changed.insert(member);
                let callers = components.callers(components.of(member)).iter();
                pending.extend(callers.map(|caller| (components.level(*caller), *caller)));
            }
            let index = member as usize;
            summarised.summaries.settled.set(index, summary);
            summarised.taken.set(index, taken);
            summarised.work.set(index, work);
        }
    }
    summarised.into_inner()
}

/// Nothing is known of a function that nobody asks about.
fn unknown<T: Default>(member: &u32) -> Result<T> {
    (*member, Summary::default(), Arc::default(), Work::default())
}

/// Says of a function whether somebody asks about it.
pub type IsWanted<'t> = dyn Fn(u32) -> bool + Sync + 't;

/// What is taken out of an analysed function.
pub type Then<'t, T> = dyn Fn(&Callees<'_>, &Analysed<'_>) -> T + Sync + 't;
