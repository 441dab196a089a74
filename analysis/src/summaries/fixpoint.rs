//! Summaries of all functions, component by component; recursion by fixpoint.

use super::callees::{Analysed, Callees, Values};
use super::known::{Known, Summaries, Summary};
use super::objects::SyncObjects;
use crate::callgraph::{CallGraph, FunctionId};
use crate::dataflow::Solution;
use crate::forks::ForkSummary;
use crate::locksets::{LockSummary, Lockset, Outcomes, locksets};
use crate::ownership::SharingSummary;
use crate::signals::SignalSummary;
use crate::symexec::{State, Value, ValueSummary};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rounds in which the members of a component may still improve; later rounds only join, so that they
/// end.
const FREE_ROUNDS: usize = 4;

/// In larger components values are not followed from function to function.
const MOST_WITH_VALUES: usize = 4;

/// Summarises every function, and lets `then` take out of each what else is wanted while its states are there.
/// `components` come callees first.
pub fn summarise_program<T: Send>(
    graph: &CallGraph<'_>,
    objects: &SyncObjects,
    components: &[Vec<u32>],
    then: &Then<'_, T>,
) -> (Summaries, Vec<T>) {
    let count = graph.functions.len();
    let mut summaries = Summaries {
        settled: vec![Summary::default(); count],
    };
    let mut taken: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
    for level in levels(graph, components) {
        let results: Vec<Vec<(u32, Summary, T)>> = level
            .par_iter()
            .map(|component| {
                let run = Run {
                    graph,
                    objects,
                    settled: &summaries,
                };
                run.component(component, then)
            })
            .collect();
        for (member, summary, result) in results.into_iter().flatten() {
            summaries.settled[member as usize] = summary;
            taken[member as usize] = Some(result);
        }
    }
    // Every function is a member of one component.
    (summaries, taken.into_iter().flatten().collect())
}

/// What is taken out of an analysed function.
pub type Then<'t, T> = dyn Fn(&Callees<'_>, &Analysed<'_>) -> T + Sync + 't;

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

struct Run<'r> {
    graph: &'r CallGraph<'r>,
    objects: &'r SyncObjects,
    settled: &'r Summaries,
}

/// What is known so far of the members of a component.
type Members = BTreeMap<u32, Summary>;

impl Run<'_> {
    fn component<T: Send>(&self, component: &[u32], then: &Then<'_, T>) -> Vec<(u32, Summary, T)> {
        let is_recursive = component.len() > 1
            || self.graph.callees[component[0] as usize]
                .binary_search(&component[0])
                .is_ok();
        if !is_recursive {
            let callees = self.callees(component[0], None);
            let (summary, result) = callees.analyse(|analysed| then(&callees, analysed));
            return vec![(component[0], summary, result)];
        }
        let (members, values) = if component.len() > MOST_WITH_VALUES {
            self.large_component(component)
        } else {
            (self.small_component(component), BTreeMap::new())
        };
        component
            .par_iter()
            .map(|&member| {
                let callees = self.callees(member, Some(&members));
                let before = values.get(&member);
                let (_, result) = callees.analyse_from(before, |analysed| then(&callees, analysed));
                (member, members[&member].clone(), result)
            })
            .collect()
    }

    fn callees<'c>(&'c self, function: u32, component: Option<&'c Members>) -> Callees<'c> {
        Callees {
            function: FunctionId(function),
            graph: self.graph,
            summaries: Known {
                settled: self.settled,
                component,
            },
            objects: self.objects,
        }
    }

    fn summary(&self, function: u32, members: &Members) -> Summary {
        self.callees(function, Some(members)).analyse(|_| ()).0
    }

    /// The effect on locks alone, where that on values is settled.
    fn lock_summary(&self, function: u32, members: &Members, before: &Values) -> LockSummary {
        let callees = self.callees(function, Some(members));
        callees.execute_from(Some(before), |run| {
            locksets(run.body, &run.states, run.execution, &callees).summary
        })
    }

    fn small_component(&self, component: &[u32]) -> Members {
        let mut members: Members = component
            .iter()
            .map(|member| (*member, Summary::default()))
            .collect();
        let callers = callers_inside(self.graph, component);
        let mut rounds = Rounds::default();
        let mut pending: BTreeSet<u32> = component.iter().copied().collect();
        while let Some(member) = pending.pop_first() {
            let mut new = self.summary(member, &members);
            let old = &members[&member];
            if rounds.are_many(member) {
                new = joined(old, &new);
            }
            if *old != new {
                members.insert(member, new);
                pending.extend(&callers[&member]);
            }
        }
        members
    }

    /// A component in which values and threads are not followed from member to member: one round tells what
    /// each does, and only locks that are left held or released by a member need more.
    fn large_component(&self, component: &[u32]) -> (Members, BTreeMap<u32, Values>) {
        // UNSOUND: in groups of more than four functions that call each other, a call inside the group is
        // taken to change no pointer.
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
            signals: Arc::default(),
            references: Arc::default(),
        };
        let mut members: Members = component
            .iter()
            .map(|member| {
                let parameters = self.graph.functions.body(FunctionId(*member)).parameters;
                let summary = Summary {
                    sharing: Arc::new(SharingSummary::unknown(parameters)),
                    ..start.clone()
                };
                (*member, summary)
            })
            .collect();
        let first: Vec<(Summary, Solution<State>)> = component
            .par_iter()
            .map(|member| {
                let callees = self.callees(*member, Some(&members));
                callees.analyse(|analysed| analysed.states.clone())
            })
            .collect();
        // What is known of values stays as it is: one execution serves all rounds.
        let values: BTreeMap<u32, Values> = component
            .iter()
            .zip(&first)
            .map(|(member, (summary, states))| {
                let values = Values {
                    summary: summary.values.clone(),
                    states: states.clone(),
                };
                (*member, values)
            })
            .collect();
        // Each of them may run any other, so each may have started what any of them starts.
        let mut forks = ForkSummary::default();
        let mut signals = SignalSummary::default();
        for (summary, _) in &first {
            forks.join(&summary.forks.anonymous());
            signals.join(&summary.signals.perhaps());
        }
        let (forks, signals) = (Arc::new(forks), Arc::new(signals));
        let callers = callers_inside(self.graph, component);
        let mut pending: BTreeSet<u32> = BTreeSet::new();
        for ((member, old), (summary, _)) in members.iter_mut().zip(first) {
            old.forks = forks.clone();
            old.signals = signals.clone();
            old.references = summary.references;
            if old.locks != summary.locks {
                old.locks = summary.locks;
                pending.extend(&callers[member]);
            }
        }
        let mut is_first_round = true;
        while !pending.is_empty() {
            let round: Vec<u32> = std::mem::take(&mut pending).into_iter().collect();
            let locks: Vec<LockSummary> = round
                .par_iter()
                .map(|member| self.lock_summary(*member, &members, &values[member]))
                .collect();
            for (member, mut new) in round.into_iter().zip(locks) {
                let Some(old) = members.get_mut(&member) else {
                    continue;
                };
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
        (members, values)
    }
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
    let mut signals = (*new.signals).clone();
    signals.join(&old.signals);
    let mut references = (*new.references).clone();
    references.join(&old.references);
    Summary {
        values: Arc::new(values),
        locks: Arc::new(locks),
        forks: Arc::new(forks),
        sharing: Arc::new(sharing),
        signals: Arc::new(signals),
        references: Arc::new(references),
    }
}
