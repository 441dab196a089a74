//! The summaries of one component: a function, or functions that call each other, by fixpoint.

use super::callees::Callees;
use super::deeper_calls::DeeperCalls;
use super::earlier::{Again, Work};
use super::fixpoint::Then;
use super::known::{Known, Summaries, Summary};
use super::objects::SyncObjects;
use crate::callgraph::{CallGraph, FunctionId};
use crate::points_to::{Reads, recording};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rounds in which the members of a component may still improve; later rounds only join, so that they
/// end.
pub(super) const FREE_ROUNDS: usize = 4;

/// In larger components values are not followed from function to function.
pub const MOST_WITH_VALUES: usize = 4;

/// What is known when a component is summarised.
pub(super) struct Run<'r> {
    pub graph: &'r CallGraph<'r>,
    pub objects: &'r SyncObjects,
    /// The functions of all components in front of it.
    pub settled: &'r Summaries,
}

/// A function's summary, what else was taken out of it, and what that depends on.
pub(super) type Result<T> = (u32, Summary, Arc<T>, Work);

/// What is known so far of the members of a component.
pub(super) type Members = BTreeMap<u32, Summary>;

impl Run<'_> {
    /// Summarises the members of a component; `again` is what is known of its members from earlier.
    pub fn component<T: PartialEq + Send + Sync + 'static>(
        &self,
        component: &[u32],
        again: Option<&Again<'_, T>>,
        then: &Then<'_, T>,
    ) -> Vec<Result<T>> {
        let is_recursive = component.len() > 1
            || self
                .graph
                .callees(component[0])
                .binary_search(&component[0])
                .is_ok();
        if !is_recursive {
            let callees = self.callees(component[0], None);
            let ((summary, taken), reads) =
                recording(|| callees.analyse(|analysed| then(&callees, analysed)));
            return vec![(component[0], summary, Arc::new(taken), Work::new(reads))];
        }
        if component.len() > MOST_WITH_VALUES {
            return self.large_component(component, again, then);
        }
        self.small_component(component, then)
    }

    pub(super) fn callees<'c>(
        &'c self,
        function: u32,
        component: Option<&'c Members>,
    ) -> Callees<'c> {
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

    fn small_component<T>(&self, component: &[u32], then: &Then<'_, T>) -> Vec<Result<T>> {
        let mut used = Vec::new();
        let nothing_yet = component.iter().map(|it| (*it, Summary::default()));
        // As callers outside know them, and as they know each other.
        let mut whole: Members = nothing_yet.collect();
        let mut members = whole.clone();
        let mut taken: BTreeMap<u32, Arc<T>> = BTreeMap::new();
        let deeper_calls = component.iter().map(|&member| {
            let callees = self.callees(member, Some(&members));
            DeeperCalls::of(&callees, &members)
        });
        let deeper_calls: Vec<DeeperCalls> = deeper_calls.collect();
        let callers = callers_inside(self.graph, component);
        let mut rounds = Rounds::default();
        let mut pending: BTreeSet<u32> = component.iter().copied().collect();
        while let Some(member) = pending.pop_first() {
            let callees = self.callees(member, Some(&members));
            let is_first = rounds.count(member) == 1;
            // The first look is hardly ever the last one.
            let look = || callees.analyse(|analysed| (!is_first).then(|| then(&callees, analysed)));
            let ((mut new, found), reads) = recording(look);
            used.push(reads);
            taken.extend(found.map(|found| (member, Arc::new(found))));
            if rounds.of(member) > FREE_ROUNDS {
                new = joined(&whole[&member], &new);
            }
            let position = component.partition_point(|it| *it < member);
            let known = deeper_calls[position].without_their_objects(&new);
            whole.insert(member, new);
            if members[&member] != known {
                members.insert(member, known);
                pending.extend(&callers[&member]);
            }
        }
        for &member in component {
            taken.entry(member).or_insert_with(|| {
                let callees = self.callees(member, Some(&members));
                let look = || callees.analyse(|analysed| then(&callees, analysed)).1;
                let (found, reads) = recording(look);
                used.push(reads);
                Arc::new(found)
            });
        }
        // What one member has used decides on all of them.
        let reads = Arc::new(Reads::together(used));
        let results = taken.into_iter().map(|(member, taken)| {
            let work = Work {
                reads: reads.clone(),
                alone: None,
            };
            (member, whole[&member].clone(), taken, work)
        });
        results.collect()
    }
}

/// How often each function was summarised.
#[derive(Default)]
pub(super) struct Rounds(FxHashMap<u32, usize>);

impl Rounds {
    /// Counts one more round.
    pub fn count(&mut self, member: u32) -> usize {
        let rounds = self.0.entry(member).or_default();
        *rounds += 1;
        *rounds
    }

    fn of(&self, member: u32) -> usize {
        self.0.get(&member).copied().unwrap_or_default()
    }
}

/// For each member of a component, the members that call it.
fn callers_inside(graph: &CallGraph<'_>, component: &[u32]) -> FxHashMap<u32, Vec<u32>> {
    let mut callers: FxHashMap<u32, Vec<u32>> = component
        .iter()
        .map(|member| (*member, Vec::new()))
        .collect();
    for &member in component {
        for callee in graph.callees(member) {
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
