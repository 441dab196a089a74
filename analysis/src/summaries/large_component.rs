//! The summaries of a large component, in which values and threads are not followed from member to member: one look tells what
//! each member does, and only locks that are left held or released by a member need more looks.
//!
//! After an edit everything takes place again as it does from the beginning, in the same order, but a look that was taken before
//! in the same circumstances is not taken again.

use super::callees::Values;
use super::component::{Members, Result, Rounds, Run};
use super::earlier::{Again, Work};
use super::fixpoint::Then;
use super::group_member::{Look, Member, callees_first, callers};
use super::known::Summary;
use super::lock_looks::{Alone, Edited, LockLook, LockWork};
use crate::callgraph::FunctionId;
use crate::forks::ForkSummary;
use crate::locksets::{LockSummary, Lockset, Outcomes};
use crate::ownership::SharingSummary;
use crate::points_to::{Reads, recording};
use crate::signals::SignalSummary;
use crate::stop::{Aside, Stop};
use crate::symexec::{Value, ValueSummary};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// So many members are looked at together. It decides on the outcome, and must not depend on the machine.
const AT_ONCE: usize = 16;

/// What a member does as long as nothing is known of the others.
pub(super) struct First {
    pub summary: Summary,
    pub values: Values,
    pub reads: Reads,
}

impl Run<'_> {
    /// Summarises a large component; `again` is what is known of its members from earlier. Members of which that stays are left
    /// out of the result.
    pub(super) fn large_component<T: PartialEq + Send + Sync + 'static>(
        &self,
        component: &[u32],
        again: Option<&Again<'_, T>>,
        then: &Then<'_, T>,
    ) -> Vec<Result<T>> {
        let results = self.large_component_from(component, again, then);
        if cfg!(debug_assertions)
            && let Some(again) = again
        {
            self.compare_with_anew(component, &results, again, then);
        }
        results
    }

    fn large_component_from<T: PartialEq + Send + Sync + 'static>(
        &self,
        component: &[u32],
        again: Option<&Again<'_, T>>,
        then: &Then<'_, T>,
    ) -> Vec<Result<T>> {
        let stop = Stop::of_this_thread();
        let unknown = stop.aside(self.unknown_members(component));
        let mut group = self.group(component, again);
        let first = |member: &Member<'_>| {
            if member.before.is_none() {
                self.work(member, &unknown);
            }
        };
        group
            .par_iter()
            .for_each(|member| stop.heard(|| first(member)));
        if let Some(again) = again
            && let Some(edited) = self.looked_at_again(component, &mut group, again)
        {
            return self.edited_alone(component, edited, again, then);
        }
        let known = stop.aside(self.settled(&mut group, &unknown, again));
        let is_different = |member: &Member<'_>| {
            let now = &known[&member.function];
            again.is_none_or(|again| again.summary(member.function) != now)
        };
        let different: Vec<bool> = group.par_iter().map(is_different).collect();
        let results = group.into_par_iter().map(|member| {
            let mut callees = member.callees.iter();
            let is_settled = member.before.is_some() && !callees.any(|callee| different[*callee]);
            let finish = || match again.filter(|_| is_settled) {
                Some(again) => self.stayed(member, &known, again),
                None => {
                    self.work(&member, &unknown);
                    Some(self.finished_member(member, component, &known, again, then))
                }
            };
            stop.aside(stop.heard(finish))
        });
        let results: Vec<Aside<Option<Result<T>>>> = results.collect();
        let results = results.into_iter().filter_map(Aside::into_inner);
        results.collect()
    }

    /// What was found with what was known from earlier has to be what is found from the beginning.
    fn compare_with_anew<T: PartialEq + Send + Sync + 'static>(
        &self,
        component: &[u32],
        results: &[Result<T>],
        again: &Again<'_, T>,
        then: &Then<'_, T>,
    ) {
        for (function, summary, taken, work) in self.large_component_from(component, None, then) {
            let found = results.iter().find(|found| found.0 == function);
            let found = found.map(|(_, summary, taken, work)| (summary, taken, work));
            let stayed = || {
                let (taken, work) = (again.taken(function), again.work(function));
                (again.summary(function), taken, work)
            };
            let (known, known_taken, known_work) = found.unwrap_or_else(stayed);
            let name = self.graph.functions.body(FunctionId(function)).function;
            assert!(*known == summary, "the summary of {name:?}");
            assert!(*known_taken == taken, "what was taken out of {name:?}");
            let knows_reads = known_work.reads.contain(&work.reads);
            assert!(knows_reads, "the answers that {name:?} has used");
        }
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

    fn group<'a, T: PartialEq + Send + Sync>(
        &self,
        component: &[u32],
        again: Option<&'a Again<'_, T>>,
    ) -> Vec<Member<'a>> {
        // What others know of an object that a member gets is known by how many it gets, and never found out.
        let is_called_as_before = |member: &u32| {
            let parameters = self.graph.functions.body(FunctionId(*member)).parameters;
            let unknown = || SharingSummary::unknown(parameters);
            again.is_some_and(|again| *again.summary(*member).sharing == unknown())
        };
        let called_as_before: Vec<bool> = component.par_iter().map(is_called_as_before).collect();
        let member = |&function: &u32| {
            let callees = self.graph.callees(function).iter();
            let mut callees: Vec<usize> = callees
                .filter_map(|callee| component.binary_search(callee).ok())
                .collect();
            callees.sort_unstable();
            let again = again.filter(|again| again.holds_for(function));
            let before = again.and_then(|again| again.alone(function));
            let before = before.filter(|before| {
                let same = callees.iter().map(|callee| &component[*callee]);
                same.eq(&before.callees) && callees.iter().all(|callee| called_as_before[*callee])
            });
            Member {
                function,
                callees,
                before,
                work: OnceLock::new(),
                looks: Vec::new(),
                goes_as_before: before.is_some(),
                reads: Vec::new(),
            }
        };
        component.par_iter().map(member).collect()
    }

    /// What the locks of a member are found out with. What is known of values and of where it touches locks stays as it is: one execution
    /// serves all looks.
    fn work<'m>(&self, member: &'m Member<'_>, unknown: &Members) -> &'m LockWork {
        member.work.get_or_init(|| {
            let work = LockWork::new(self.first(member.function, unknown));
            Stop::of_this_thread().aside(work)
        })
    }

    fn first(&self, member: u32, unknown: &Members) -> First {
        let callees = self.callees(member, Some(unknown));
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

    /// The members that are different, if each look at them would come to the same again, in the same component.
    fn looked_at_again<T: PartialEq + Send + Sync>(
        &self,
        component: &[u32],
        group: &mut [Member<'_>],
        again: &Again<'_, T>,
    ) -> Option<Vec<Edited>> {
        if !again.is_same_component() {
            return None;
        }
        let stop = Stop::of_this_thread();
        let edited = group.par_iter().filter(|member| member.before.is_none());
        let reads: Option<Vec<Vec<Reads>>> = edited
            .map(|member| {
                let work = member.work.get()?;
                stop.heard(|| self.look_again(component, member.function, work, again))
            })
            .collect();
        let edited = group.iter_mut().filter(|member| member.before.is_none());
        let edited = edited.zip(reads?).map(|(member, reads)| {
            let work = member.work.take()?;
            Some(Edited {
                member: member.function,
                work,
                reads,
            })
        });
        edited.collect()
    }

    /// What the members are known to do when none of them does anything else any more.
    fn settled<T: PartialEq>(
        &self,
        group: &mut [Member<'_>],
        unknown: &Members,
        again: Option<&Again<'_, T>>,
    ) -> Members {
        let mut known = unknown.clone();
        let (forks, signals) = done_by_any(group, again);
        let callers = callers(group);
        let order = callees_first(group);
        let mut position = vec![0; group.len()];
        for (at, place) in order.iter().enumerate() {
            position[*place] = at;
        }
        let mut pending: BTreeSet<usize> = BTreeSet::new();
        for (place, (member, summary)) in group.iter().zip(known.values_mut()).enumerate() {
            let first = member.first();
            summary.forks = forks.clone();
            summary.signals = signals.clone();
            summary.references = first.references.clone();
            if summary.locks != first.locks {
                summary.locks = first.locks.clone();
                pending.extend(callers[place].iter().map(|caller| position[*caller]));
            }
        }
        let stop = Stop::of_this_thread();
        // Looks are short, and this takes a large part of the first one at each member.
        pending.par_iter().for_each(|at| {
            let member = &group[order[*at]];
            if let Some(work) = member.work.get() {
                let callees = self.callees(member.function, Some(&known));
                stop.heard(|| self.lock_sites(&callees, &known, work));
            }
        });
        let mut locks: Vec<Arc<LockSummary>> = known
            .values()
            .map(|summary| summary.locks.clone())
            .collect();
        let mut rounds = Rounds::default();
        while !pending.is_empty() {
            // Whoever calls them sees in the same round what they do now, and is seldom looked at twice.
            let next = std::iter::from_fn(|| pending.pop_first()).take(AT_ONCE);
            let round: Vec<usize> = next.map(|at| order[at]).collect();
            let earlier: Vec<Option<usize>> = round
                .iter()
                .map(|place| group[*place].taken_earlier(&locks))
                .collect();
            let looks = round.par_iter().zip(earlier).map(|(place, earlier)| {
                let member = &group[*place];
                match earlier {
                    Some(number) => Look::Earlier(number),
                    None => stop.heard(|| self.look(member, &known, unknown, &locks)),
                }
            });
            let looks: Vec<Look> = looks.collect();
            for (place, look) in round.into_iter().zip(looks) {
                let member = &mut group[place];
                let count = rounds.count(member.function);
                let now = member.take(look, count, &locks[place]);
                if *locks[place] == *now {
                    continue;
                }
                if let Some(summary) = known.get_mut(&member.function) {
                    summary.locks = now.clone();
                }
                locks[place] = now;
                pending.extend(callers[place].iter().map(|caller| position[*caller]));
            }
        }
        known
    }

    /// Looks at what a member does to locks.
    fn look(
        &self,
        member: &Member<'_>,
        known: &Members,
        unknown: &Members,
        locks: &[Arc<LockSummary>],
    ) -> Look {
        let work = self.work(member, unknown);
        let (found, reads) = self.lock_summary(member.function, known, work);
        let found = Arc::new(found);
        let callees = member.callees.iter().map(|callee| locks[*callee].clone());
        let look = LockLook {
            callees: callees.collect(),
            after: found.clone(),
            found,
        };
        Look::New(look, reads)
    }

    /// A member that calls nobody who does something else than earlier. `None` if all looks at it were those of earlier.
    fn stayed<T: PartialEq>(
        &self,
        member: Member<'_>,
        known: &Members,
        again: &Again<'_, T>,
    ) -> Option<Result<T>> {
        let before = member.before?;
        if member.goes_as_before && member.looks.len() == before.looks.len() {
            return None;
        }
        let Member {
            function,
            mut reads,
            work,
            looks,
            ..
        } = member;
        reads.extend(work.into_inner().map(|work| work.into_inner().all_reads()));
        let alone = Alone {
            looks: looks.into(),
            ..before.clone()
        };
        let earlier = again.work(function);
        let reads = match reads.is_empty() {
            true => earlier.reads.clone(),
            false => Arc::new(Reads::together(
                reads.into_iter().chain([(*earlier.reads).clone()]),
            )),
        };
        let work = Work {
            reads,
            alone: Some(alone),
        };
        Some((
            function,
            known[&function].clone(),
            again.taken(function).clone(),
            work,
        ))
    }

    /// Takes out of a member what is wanted, when all members are settled.
    fn finished_member<T: PartialEq + Send + Sync>(
        &self,
        mut member: Member<'_>,
        component: &[u32],
        known: &Members,
        again: Option<&Again<'_, T>>,
        then: &Then<'_, T>,
    ) -> Result<T> {
        let function = member.function;
        let work = member.work.take().expect("it was looked at");
        let alone = Alone {
            summary: work.first.summary.clone(),
            callees: member
                .callees
                .iter()
                .map(|callee| component[*callee])
                .collect(),
            looks: member.looks.into(),
        };
        let mut reads = member.reads;
        // Some of the looks may be those of earlier.
        let earlier = again.filter(|_| member.before.is_some());
        reads.extend(earlier.map(|again| (*again.work(function).reads).clone()));
        self.finished(function, work, known, alone, reads, then)
    }

    /// The same, for a member that makes no difference to the others.
    pub(super) fn finished<T: Send + Sync>(
        &self,
        member: u32,
        work: Aside<LockWork>,
        members: &Members,
        alone: Alone,
        mut reads: Vec<Reads>,
        then: &Then<'_, T>,
    ) -> Result<T> {
        let callees = self.callees(member, Some(members));
        let (taken, last) = recording(|| {
            let before = Some(&work.first.values);
            callees
                .analyse_from(before, |analysed| then(&callees, analysed))
                .1
        });
        reads.extend([work.into_inner().all_reads(), last]);
        let work = Work {
            alone: Some(alone),
            ..Work::new(Reads::together(reads))
        };
        (member, members[&member].clone(), Arc::new(taken), work)
    }
}

/// What any member may have started and posted when it is called: each of them may run any other one.
fn done_by_any<T: PartialEq>(
    group: &[Member<'_>],
    again: Option<&Again<'_, T>>,
) -> (Arc<ForkSummary>, Arc<SignalSummary>) {
    let mut forks = ForkSummary::default();
    let mut signals = SignalSummary::default();
    for member in group {
        let first = member.first();
        forks.join(&first.forks.anonymous());
        signals.join(&first.signals.perhaps());
    }
    // Those of before are known to be the same wherever they are known.
    let before = group.first().zip(again);
    let before = before.map(|(member, again)| again.summary(member.function));
    let same_forks = before.filter(|before| *before.forks == forks);
    let same_signals = before.filter(|before| *before.signals == signals);
    (
        same_forks.map_or_else(|| Arc::new(forks), |before| before.forks.clone()),
        same_signals.map_or_else(|| Arc::new(signals), |before| before.signals.clone()),
    )
}
