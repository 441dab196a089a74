//! The summaries of one component: a function, or functions that call each other, by fixpoint.

use super::callees::{Callees, Values};
use super::deeper_calls::DeeperCalls;
use super::earlier::{Again, Work};
use super::fixpoint::Then;
use super::known::{Known, Summaries, Summary};
use super::lock_looks::{Alone, LockLook};
use super::objects::SyncObjects;
use crate::callgraph::{CallGraph, FunctionId};
use crate::forks::ForkSummary;
use crate::locksets::{LockCalls, LockSites, LockSummary, Lockset, Outcomes, lock_summary};
use crate::ownership::SharingSummary;
use crate::points_to::{Reads, recording};
use crate::signals::SignalSummary;
use crate::symexec::{Value, ValueSummary};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Rounds in which the members of a component may still improve; later rounds only join, so that they
/// end.
const FREE_ROUNDS: usize = 4;

/// So many members of a large component are looked at together. It decides on the outcome, and must not depend on the
/// machine.
const AT_ONCE: usize = 16;

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
    /// Summarises the members of a component; `again` is what is known of the same component from earlier.
    pub fn component<T: PartialEq + Send + Sync>(
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

    /// The effect on locks alone, where that on values is settled.
    pub(super) fn lock_summary(
        &self,
        function: u32,
        members: &Members,
        work: &LockWork<'_>,
    ) -> (LockSummary, Reads) {
        let callees = self.callees(function, Some(members));
        let body = self.graph.functions.body(FunctionId(function));
        recording(|| lock_summary(body, self.lock_sites(&callees, members, work), &callees))
    }

    /// Where a member touches locks. What others do to locks makes no difference to that.
    fn lock_sites<'w>(
        &self,
        callees: &Callees<'_>,
        members: &Members,
        work: &'w LockWork<'_>,
    ) -> &'w LockSites {
        work.sites.get_or_init(|| {
            callees.execute_from(Some(work.values), |run| {
                let matters =
                    |call| callees.reaches(call, members) || !callees.lock_effects(call).is_empty();
                LockSites::new(run.body, &run.states, run.execution, matters)
            })
        })
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

    /// A component in which values and threads are not followed from member to member: one round tells what
    /// each does, and only locks that are left held or released by a member need more.
    fn large_component<T: PartialEq + Send + Sync>(
        &self,
        component: &[u32],
        again: Option<&Again<'_, T>>,
        then: &Then<'_, T>,
    ) -> Vec<Result<T>> {
        let members = self.unknown_members(component);
        if let Some(again) = again {
            let first: Vec<Option<First>> = component
                .par_iter()
                .map(|&member| {
                    (!again.holds_for(member)).then(|| self.first_round(member, &members))
                })
                .collect();
            let members: Vec<(u32, Option<First>)> = component.iter().copied().zip(first).collect();
            let edited = members
                .into_par_iter()
                .filter_map(|(member, first)| Some((member, first?)));
            let edited: Option<Vec<Edited>> = edited
                .map(|(member, first)| {
                    let reads = self.look_again(component, member, &first, again)?;
                    Some(Edited {
                        member,
                        first,
                        reads,
                    })
                })
                .collect();
            if let Some(edited) = edited {
                return self.last_round(component, edited, again, then);
            }
        }
        let first: Vec<First> = component
            .par_iter()
            .map(|&member| self.first_round(member, &members))
            .collect();
        let mut looks: BTreeMap<u32, Looks> = BTreeMap::new();
        let members = self.settled_members(component, &first, members, &mut looks);
        let values = component.iter().copied().zip(first);
        let values: Vec<(u32, First, Looks)> = values
            .map(|(member, first)| (member, first, looks.remove(&member).unwrap_or_default()))
            .collect();
        values
            .into_par_iter()
            .map(|(member, first, looks)| {
                let alone = Alone {
                    summary: first.summary.clone(),
                    callees: self.callees_inside(member, component),
                    looks: looks.looks.into(),
                };
                self.finished(member, first, &members, alone, looks.reads, then)
            })
            .collect()
    }

    /// What each member is before anything is known of the others.
    fn unknown_members(&self, component: &[u32]) -> Members {
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
        let members = component.iter().map(|member| {
            let parameters = self.graph.functions.body(FunctionId(*member)).parameters;
            let summary = Summary {
                sharing: Arc::new(SharingSummary::unknown(parameters)),
                ..start.clone()
            };
            (*member, summary)
        });
        members.collect()
    }

    fn first_round(&self, member: u32, members: &Members) -> First {
        let callees = self.callees(member, Some(members));
        let ((summary, states), reads) = recording(|| callees.analyse_alone());
        First {
            values: Values {
                summary: summary.values.clone(),
                states,
            },
            summary,
            reads,
        }
    }

    /// The members that are different, where that makes no difference to what is known of any of them. The others stay as they were.
    fn last_round<T: PartialEq + Send + Sync>(
        &self,
        component: &[u32],
        edited: Vec<Edited>,
        again: &Again<'_, T>,
        then: &Then<'_, T>,
    ) -> Vec<Result<T>> {
        let members: Members = component
            .iter()
            .map(|member| (*member, again.summary(*member).clone()))
            .collect();
        edited
            .into_par_iter()
            .filter_map(|edited| {
                let member = edited.member;
                let alone = Alone {
                    summary: edited.first.summary.clone(),
                    ..again.alone(member)?.clone()
                };
                Some(self.finished(member, edited.first, &members, alone, edited.reads, then))
            })
            .collect()
    }

    /// Takes out of a member what is wanted, when all members are settled.
    fn finished<T: Send + Sync>(
        &self,
        member: u32,
        first: First,
        members: &Members,
        alone: Alone,
        mut reads: Vec<Reads>,
        then: &Then<'_, T>,
    ) -> Result<T> {
        let callees = self.callees(member, Some(members));
        let (taken, last) = recording(|| {
            let before = Some(&first.values);
            callees
                .analyse_from(before, |analysed| then(&callees, analysed))
                .1
        });
        reads.extend([first.reads, last]);
        let work = Work {
            alone: Some(alone),
            ..Work::new(Reads::together(reads))
        };
        (member, members[&member].clone(), Arc::new(taken), work)
    }

    fn settled_members(
        &self,
        component: &[u32],
        first: &[First],
        mut members: Members,
        looks: &mut BTreeMap<u32, Looks>,
    ) -> Members {
        // What is known of values stays as it is: one execution serves all rounds.
        let work: BTreeMap<u32, LockWork<'_>> = component
            .iter()
            .zip(first)
            .map(|(member, first)| (*member, LockWork::new(&first.values)))
            .collect();
        // Each of them may run any other, so each may have started what any of them starts.
        let mut forks = ForkSummary::default();
        let mut signals = SignalSummary::default();
        for first in first {
            forks.join(&first.summary.forks.anonymous());
            signals.join(&first.summary.signals.perhaps());
        }
        let (forks, signals) = (Arc::new(forks), Arc::new(signals));
        let callers = callers_inside(self.graph, component);
        let order = callees_first(self.graph, component);
        let position: FxHashMap<u32, usize> = (0..).zip(&order).map(|(at, it)| (*it, at)).collect();
        let mut pending: BTreeSet<usize> = BTreeSet::new();
        for ((member, old), first) in members.iter_mut().zip(first) {
            old.forks = forks.clone();
            old.signals = signals.clone();
            old.references = first.summary.references.clone();
            if old.locks != first.summary.locks {
                old.locks = first.summary.locks.clone();
                pending.extend(callers[member].iter().map(|caller| position[caller]));
            }
        }
        // Rounds are short, and this takes a large part of the first one of each member.
        let prepared: Vec<(u32, Reads)> = pending
            .par_iter()
            .map(|at| {
                let member = order[*at];
                let callees = self.callees(member, Some(&members));
                let find = || self.lock_sites(&callees, &members, &work[&member]);
                (member, recording(find).1)
            })
            .collect();
        for (member, reads) in prepared {
            looks.entry(member).or_default().reads.push(reads);
        }
        let mut rounds = Rounds::default();
        while !pending.is_empty() {
            // Whoever calls them sees in the same round what they do now, and is seldom looked at twice.
            let next = std::iter::from_fn(|| pending.pop_first()).take(AT_ONCE);
            let round: Vec<u32> = next.map(|at| order[at]).collect();
            let locks: Vec<(LockLook, Reads)> = round
                .par_iter()
                .map(|member| {
                    let callees = self.callees_inside(*member, component).into_iter();
                    let callees = callees.map(|callee| members[&callee].locks.clone());
                    let callees = callees.collect();
                    let (found, reads) = self.lock_summary(*member, &members, &work[member]);
                    (LockLook { callees, found }, reads)
                })
                .collect();
            for (member, (look, reads)) in round.into_iter().zip(locks) {
                let mut new = look.found.clone();
                let known = looks.entry(member).or_default();
                known.reads.push(reads);
                known.looks.push(look);
                let Some(old) = members.get_mut(&member) else {
                    continue;
                };
                let count = rounds.count(member);
                if count > 1 {
                    new.join(&old.locks);
                }
                if count > FREE_ROUNDS {
                    new.widen(&old.locks);
                }
                if *old.locks != new {
                    old.locks = Arc::new(new);
                    pending.extend(callers[&member].iter().map(|caller| position[caller]));
                }
            }
        }
        members
    }
}

/// What a member of a large component does as long as nothing is known of the others.
pub(super) struct First {
    pub summary: Summary,
    pub values: Values,
    reads: Reads,
}

/// A member that is different, and makes no difference to the others.
struct Edited {
    member: u32,
    first: First,
    /// The answers about pointers that the looks at it use now.
    reads: Vec<Reads>,
}

/// The looks at a member while the locks of a component settle.
#[derive(Default)]
struct Looks {
    /// The answers about pointers that they used.
    reads: Vec<Reads>,
    looks: Vec<LockLook>,
}

/// What is needed again and again while the effects of a component's members on locks are found out.
pub(super) struct LockWork<'w> {
    values: &'w Values,
    sites: OnceLock<LockSites>,
}

impl LockWork<'_> {
    pub fn new(values: &Values) -> LockWork<'_> {
        LockWork {
            values,
            sites: OnceLock::new(),
        }
    }
}

/// How often each function was summarised.
#[derive(Default)]
struct Rounds(FxHashMap<u32, usize>);

impl Rounds {
    /// Counts one more round.
    fn count(&mut self, member: u32) -> usize {
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

/// The members of a component, each behind those that it calls as far as that is possible.
fn callees_first(graph: &CallGraph<'_>, component: &[u32]) -> Vec<u32> {
    let mut unseen: BTreeSet<u32> = component.iter().copied().collect();
    let mut order = Vec::with_capacity(component.len());
    while let Some(start) = unseen.pop_first() {
        let mut open = vec![(start, graph.callees(start).iter())];
        while let Some((member, callees)) = open.last_mut() {
            match callees.find(|callee| unseen.remove(callee)) {
                Some(&callee) => open.push((callee, graph.callees(callee).iter())),
                None => {
                    order.push(*member);
                    open.pop();
                }
            }
        }
    }
    order
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
