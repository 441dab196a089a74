//! Summaries of all functions, component by component; recursion by fixpoint.

use super::callees::{Analysed, Callees};
use super::component::{Result, Run};
use super::earlier::{Earlier, Summarised, Work};
use super::known::{Summaries, Summary};
use super::objects::SyncObjects;
use crate::callgraph::CallGraph;
use crate::points_to::Reads;
use rayon::prelude::*;
use std::sync::Arc;

/// Summarises every function, and lets `then` take out of each what else is wanted while its states are there.
/// `components` come callees first; of those in which nothing is wanted, nothing is found out. What was found earlier is taken over where it still holds.
pub fn summarise_program<T: Default + PartialEq + Send + Sync>(
    graph: &CallGraph<'_>,
    objects: &SyncObjects,
    components: Arc<Vec<Vec<u32>>>,
    is_wanted: &IsWanted<'_>,
    earlier: Option<&Earlier<'_, T>>,
    then: &Then<'_, T>,
) -> Summarised<T> {
    let count = graph.functions.len();
    let (mut summaries, mut work) = match earlier {
        Some(earlier) => {
            let known = earlier.summarised;
            let work = known.work.iter().cloned().map(Some).collect();
            (known.summaries.clone(), work)
        }
        None => {
            let settled = vec![Summary::default(); count];
            let work: Vec<Option<Work<T>>> = std::iter::repeat_with(|| None).take(count).collect();
            (Summaries { settled }, work)
        }
    };
    // Functions of which callers know something else than earlier.
    let mut changed = vec![false; count];
    for level in levels(graph, &components) {
        // What was found earlier stands there already.
        let again = |component| earlier?.again(component, graph, &changed);
        let open: Vec<&Vec<u32>> = level
            .into_iter()
            .filter(|component| !again(component).is_some_and(|again| again.holds()))
            .collect();
        let results: Vec<Vec<Result<T>>> = open
            .par_iter()
            .map(|component| {
                if !component.iter().any(|member| is_wanted(*member)) {
                    return component.iter().map(unknown).collect();
                }
                let run = Run {
                    graph,
                    objects,
                    settled: &summaries,
                };
                run.component(component, again(component).as_ref(), then)
            })
            .collect();
        for (member, mut summary, mut done) in results.into_iter().flatten() {
            let index = member as usize;
            if let Some(earlier) = earlier {
                changed[index] = earlier.keep_equal(member, &mut summary, &mut done);
            }
            summaries.settled[index] = summary;
            work[index] = Some(done);
        }
    }
    let same = earlier.filter(|earlier| Arc::ptr_eq(&earlier.summarised.components, &components));
    let component_of = match same {
        Some(earlier) => earlier.summarised.component_of.clone(),
        None => Arc::new(component_of(count, &components)),
    };
    Summarised {
        summaries,
        // Every function is a member of one component.
        work: work.into_iter().flatten().collect(),
        components,
        component_of,
    }
}

fn component_of(count: usize, components: &[Vec<u32>]) -> Vec<u32> {
    let mut component_of = vec![0; count];
    for (number, component) in components.iter().enumerate() {
        for member in component {
            component_of[*member as usize] = number as u32;
        }
    }
    component_of
}

/// Nothing is known of a function that nobody asks about.
fn unknown<T: Default>(member: &u32) -> Result<T> {
    let work = Work::new(T::default(), Reads::default());
    (*member, Summary::default(), work)
}

/// Says of a function whether somebody asks about it.
pub type IsWanted<'t> = dyn Fn(u32) -> bool + Sync + 't;

/// What is taken out of an analysed function.
pub type Then<'t, T> = dyn Fn(&Callees<'_>, &Analysed<'_>) -> T + Sync + 't;

/// Components whose callees are all in earlier levels can be summarised side by side.
fn levels<'c>(graph: &CallGraph<'_>, components: &'c [Vec<u32>]) -> Vec<Vec<&'c Vec<u32>>> {
    let mut level_of = vec![0usize; graph.functions.len()];
    let mut levels: Vec<Vec<&Vec<u32>>> = Vec::new();
    for component in components {
        let callees = component
            .iter()
            .flat_map(|member| graph.callees(*member))
            .filter(|callee| component.binary_search(callee).is_err());
        let level = callees
            .map(|callee| level_of[*callee as usize] + 1)
            .max()
            .unwrap_or(0);
        for member in component {
            level_of[*member as usize] = level;
        }
        if levels.len() <= level {
            levels.resize_with(level + 1, Vec::new);
        }
        levels[level].push(component);
    }
    levels
}
