//! Summaries of all functions, component by component; recursion by fixpoint.

use super::callees::Callees;
use super::semaphores::Semaphores;
use crate::callgraph::{CallGraph, FunctionId};
use crate::dataflow::{Liveness, Loops};
use crate::forks::{ForkSummary, forks};
use crate::locksets::{LockSummary, locksets};
use crate::symexec::{Execution, ValueSummary, summarise};
use rayon::prelude::*;
use std::sync::Arc;

/// What callers know of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    pub values: Arc<ValueSummary>,
    pub locks: Arc<LockSummary>,
    pub forks: Arc<ForkSummary>,
}

#[derive(Clone, Default)]
pub struct Summaries {
    summaries: Vec<Summary>,
}

/// Rounds in which the members of a component may still improve; later rounds only join, so that they
/// end.
const FREE_ROUNDS: usize = 4;

impl Summaries {
    pub fn get(&self, function: FunctionId) -> &Summary {
        &self.summaries[function.0 as usize]
    }
}

/// Summarises every function. `components` come callees first.
pub fn summarise_program(
    graph: &CallGraph<'_>,
    semaphores: &Semaphores,
    components: &[Vec<u32>],
) -> Summaries {
    let mut summaries = Summaries {
        summaries: vec![Summary::default(); graph.functions.len()],
    };
    for level in levels(graph, components) {
        let results: Vec<Vec<(u32, Summary)>> = level
            .par_iter()
            .map(|component| component_summaries(graph, semaphores, &summaries, component))
            .collect();
        for (member, summary) in results.into_iter().flatten() {
            summaries.summaries[member as usize] = summary;
        }
    }
    summaries
}

/// Components whose callees are all in earlier levels can be summarised side by side.
fn levels<'c>(graph: &CallGraph<'_>, components: &'c [Vec<u32>]) -> Vec<Vec<&'c Vec<u32>>> {
    let mut level_of = vec![0usize; graph.functions.len()];
    let mut levels: Vec<Vec<&Vec<u32>>> = Vec::new();
    for component in components {
        let callees = component
            .iter()
            .flat_map(|member| &graph.callees[*member as usize])
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

fn component_summaries(
    graph: &CallGraph<'_>,
    semaphores: &Semaphores,
    summaries: &Summaries,
    component: &[u32],
) -> Vec<(u32, Summary)> {
    let is_recursive = component.len() > 1
        || graph.callees[component[0] as usize]
            .binary_search(&component[0])
            .is_ok();
    if !is_recursive {
        let function = FunctionId(component[0]);
        return vec![(
            component[0],
            summarise_function(graph, semaphores, summaries, function),
        )];
    }
    let mut known = summaries.clone();
    for round in 0.. {
        let mut changed = false;
        for &member in component {
            let mut new = summarise_function(graph, semaphores, &known, FunctionId(member));
            let old = &mut known.summaries[member as usize];
            if round >= FREE_ROUNDS {
                new = joined(old, &new);
            }
            if *old != new {
                *old = new;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    component
        .iter()
        .map(|&member| (member, known.summaries[member as usize].clone()))
        .collect()
}

fn joined(old: &Summary, new: &Summary) -> Summary {
    let mut values = (*new.values).clone();
    values.join(&old.values);
    let mut locks = (*new.locks).clone();
    locks.join(&old.locks);
    let mut forks = (*new.forks).clone();
    forks.join(&old.forks);
    Summary {
        values: Arc::new(values),
        locks: Arc::new(locks),
        forks: Arc::new(forks),
    }
}

fn summarise_function(
    graph: &CallGraph<'_>,
    semaphores: &Semaphores,
    summaries: &Summaries,
    function: FunctionId,
) -> Summary {
    let body = graph.functions.body(function);
    let callees = Callees {
        function,
        graph,
        summaries,
        semaphores,
    };
    let (loops, liveness) = (Loops::new(body), Liveness::new(body));
    let execution = Execution::new(body, &callees, &loops, &liveness);
    let (values, states) = summarise(body, &execution);
    let solution = locksets(body, &states, &execution, &callees);
    let forks = forks(body, &states, &execution, &callees);
    Summary {
        values: Arc::new(values),
        locks: Arc::new(solution.summary),
        forks: Arc::new(forks.summary),
    }
}
