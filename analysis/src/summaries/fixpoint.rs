//! Summaries of all functions, component by component; recursion by fixpoint.

use super::callees::Callees;
use super::semaphores::Semaphores;
use crate::callgraph::{CallGraph, FunctionId};
use crate::forks::{ForkSummary, forks};
use crate::locksets::{LockSummary, Lockset, Outcomes, locksets};
use crate::ownership::{SharingSummary, sharing};
use crate::symexec::{Value, ValueSummary};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What callers know of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    pub values: Arc<ValueSummary>,
    pub locks: Arc<LockSummary>,
    pub forks: Arc<ForkSummary>,
    pub sharing: Arc<SharingSummary>,
}

#[derive(Clone, Default)]
pub struct Summaries {
    summaries: Vec<Summary>,
}

/// Rounds in which the members of a component may still improve; later rounds only join, so that they
/// end.
const FREE_ROUNDS: usize = 4;

/// In larger components values are not followed from function to function.
const MOST_WITH_VALUES: usize = 4;

impl Summaries {
    pub fn get(&self, function: FunctionId) -> &Summary {
        &self.summaries[function.0 as usize]
    }

    fn of(&self, component: &[u32]) -> Vec<(u32, Summary)> {
        let members = component.iter();
        members
            .map(|&member| (member, self.summaries[member as usize].clone()))
            .collect()
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
    if component.len() > MOST_WITH_VALUES {
        return large_component(graph, semaphores, summaries, component);
    }
    let mut known = summaries.clone();
    let callers = callers_inside(graph, component);
    let mut rounds = Rounds::default();
    let mut pending: BTreeSet<u32> = component.iter().copied().collect();
    while let Some(member) = pending.pop_first() {
        let mut new = summarise_function(graph, semaphores, &known, FunctionId(member));
        let old = &mut known.summaries[member as usize];
        if rounds.are_many(member) {
            new = joined(old, &new);
        }
        if *old != new {
            *old = new;
            pending.extend(&callers[&member]);
        }
    }
    known.of(component)
}

/// A component in which values and threads are not followed from member to member: one round tells what each
/// does, and only locks that are left held or released by a member need more.
fn large_component(
    graph: &CallGraph<'_>,
    semaphores: &Semaphores,
    summaries: &Summaries,
    component: &[u32],
) -> Vec<(u32, Summary)> {
    let mut known = summaries.clone();
    // UNSOUND: in groups of more than four functions that call each other, a call inside the group is taken
    // to change no pointer.
    let start = Summary {
        values: Arc::new(ValueSummary {
            result: Value::Anything,
            ..ValueSummary::default()
        }),
        locks: Arc::new(LockSummary {
            outcomes: Outcomes::always(Lockset::default()),
            ..LockSummary::default()
        }),
        forks: Arc::default(),
        sharing: Arc::default(),
    };
    for &member in component {
        let parameters = graph.functions.body(FunctionId(member)).parameters;
        known.summaries[member as usize] = Summary {
            sharing: Arc::new(SharingSummary::unknown(parameters)),
            ..start.clone()
        };
    }
    let first: Vec<Summary> = component
        .par_iter()
        .map(|member| summarise_function(graph, semaphores, &known, FunctionId(*member)))
        .collect();
    // Each of them may run any other, so each may have started what any of them starts.
    let mut forks = ForkSummary::default();
    for summary in &first {
        forks.join(&summary.forks.anonymous());
    }
    let forks = Arc::new(forks);
    let callers = callers_inside(graph, component);
    let mut pending: BTreeSet<u32> = BTreeSet::new();
    for (member, summary) in component.iter().zip(first) {
        let old = &mut known.summaries[*member as usize];
        old.forks = forks.clone();
        if old.locks != summary.locks {
            old.locks = summary.locks;
            pending.extend(&callers[member]);
        }
    }
    let mut is_first_round = true;
    while !pending.is_empty() {
        let members: Vec<u32> = std::mem::take(&mut pending).into_iter().collect();
        let locks: Vec<LockSummary> = members
            .par_iter()
            .map(|member| summarise_locks(graph, semaphores, &known, FunctionId(*member)))
            .collect();
        for (member, mut new) in members.into_iter().zip(locks) {
            let old = &mut known.summaries[member as usize];
            if !is_first_round {
                new.join(&old.locks);
            }
            if *old.locks != new {
                old.locks = Arc::new(new);
                pending.extend(&callers[&member]);
            }
        }
        is_first_round = false;
    }
    known.of(component)
}

/// How often each function was summarised.
#[derive(Default)]
struct Rounds(FxHashMap<u32, usize>);

impl Rounds {
    /// Counts one more round; tells whether they are so many that later ones may only join.
    fn are_many(&mut self, member: u32) -> bool {
        let rounds = self.0.entry(member).or_default();
        *rounds += 1;
        *rounds > FREE_ROUNDS
    }
}

/// For each member of a component, the members that call it.
fn callers_inside(graph: &CallGraph<'_>, component: &[u32]) -> FxHashMap<u32, Vec<u32>> {
    let mut callers: FxHashMap<u32, Vec<u32>> = component
        .iter()
        .map(|member| (*member, Vec::new()))
        .collect();
    for &member in component {
        for callee in &graph.callees[member as usize] {
            if let Some(known) = callers.get_mut(callee) {
                known.push(member);
            }
        }
    }
    callers
}

fn joined(old: &Summary, new: &Summary) -> Summary {
    let mut values = (*new.values).clone();
    values.join(&old.values);
    let mut locks = (*new.locks).clone();
    locks.join(&old.locks);
    let mut forks = (*new.forks).clone();
    forks.join(&old.forks);
    let mut sharing = (*new.sharing).clone();
    sharing.join(&old.sharing);
    Summary {
        values: Arc::new(values),
        locks: Arc::new(locks),
        forks: Arc::new(forks),
        sharing: Arc::new(sharing),
    }
}

/// The effect on locks alone, where that on values is settled.
fn summarise_locks(
    graph: &CallGraph<'_>,
    semaphores: &Semaphores,
    summaries: &Summaries,
    function: FunctionId,
) -> LockSummary {
    let callees = Callees {
        function,
        graph,
        summaries,
        semaphores,
    };
    callees.execute(|run| locksets(run.body, &run.states, run.execution, &callees).summary)
}

fn summarise_function(
    graph: &CallGraph<'_>,
    semaphores: &Semaphores,
    summaries: &Summaries,
    function: FunctionId,
) -> Summary {
    let callees = Callees {
        function,
        graph,
        summaries,
        semaphores,
    };
    callees.execute(|run| {
        let locks = locksets(run.body, &run.states, run.execution, &callees).summary;
        let forks = forks(run.body, &run.states, run.execution, &callees).summary;
        let points_to = graph.points_to();
        let sharing = sharing(run.body, &run.states, run.execution, points_to, &callees).summary;
        Summary {
            values: Arc::new(run.values),
            locks: Arc::new(locks),
            forks: Arc::new(forks),
            sharing: Arc::new(sharing),
        }
    })
}
