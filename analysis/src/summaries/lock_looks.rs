//! What members of a large component did to locks each time that they were looked at, so that of an edited member one can say
//! whether all looks would go the same way again.

use super::callees::Callees;
use super::component::{Members, Result, Run};
use super::earlier::Again;
use super::fixpoint::Then;
use super::known::Summary;
use super::large_component::First;
use crate::callgraph::FunctionId;
use crate::locksets::{LockCalls, LockSites, LockSummary, lock_summary};
use crate::ownership::SharingSummary;
use crate::points_to::{Reads, recording};
use crate::stop::{Aside, Stop};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// A member as other members know it, look by look.
#[derive(Clone)]
pub struct Alone {
    /// What it does as long as nothing is known of the others.
    pub summary: Summary,
    /// The members that it calls, sorted. They decide on who is looked at when.
    pub callees: Vec<u32>,
    /// The later looks at it.
    pub looks: Arc<[LockLook]>,
}

/// One look at a member's locks.
#[derive(Clone)]
pub struct LockLook {
    /// What the members that it calls were known to do.
    pub callees: Arc<[Arc<LockSummary>]>,
    /// What it was found to do then.
    pub found: Arc<LockSummary>,
    /// What it was known to do behind that.
    pub after: Arc<LockSummary>,
}

/// What is needed again and again while a member's effect on locks is found out.
pub(super) struct LockWork {
    pub first: First,
    /// Where it touches locks, and the answers about pointers that were used to find that.
    sites: OnceLock<(LockSites, Reads)>,
}

/// A member that is different, and makes no difference to the others.
pub(super) struct Edited {
    pub member: u32,
    pub work: Aside<LockWork>,
    /// The answers about pointers that the looks at it use now.
    pub reads: Vec<Reads>,
}

impl LockWork {
    pub fn new(first: First) -> LockWork {
        LockWork {
            first,
            sites: OnceLock::new(),
        }
    }

    /// The answers about pointers that were used, apart from those of looks.
    pub fn all_reads(self) -> Reads {
        let of_sites = self.sites.into_inner().map(|(_, reads)| reads);
        Reads::together(of_sites.into_iter().chain([self.first.reads]))
    }
}

impl Run<'_> {
    /// The effect on locks alone, where that on values is settled.
    pub(super) fn lock_summary(
        &self,
        function: u32,
        members: &Members,
        work: &LockWork,
    ) -> (LockSummary, Reads) {
        let callees = self.callees(function, Some(members));
        let body = self.graph.functions.body(FunctionId(function));
        recording(|| lock_summary(body, self.lock_sites(&callees, members, work), &callees))
    }

    /// Where a member touches locks. What others do to locks makes no difference to that.
    pub(super) fn lock_sites<'w>(
        &self,
        callees: &Callees<'_>,
        members: &Members,
        work: &'w LockWork,
    ) -> &'w LockSites {
        let find = || {
            callees.execute_from(Some(&work.first.values), |run| {
                let matters =
                    |call| callees.reaches(call, members) || !callees.lock_effects(call).is_empty();
                LockSites::new(run.body, &run.states, run.execution, matters)
            })
        };
        let (sites, _) = work.sites.get_or_init(|| recording(find));
        sites
    }

    /// The answers about pointers that the looks at a member use now; `None` if one of them would come to something else, so that
    /// other members could come to something else, too.
    // What the settled members do is not enough to ask for: the looks join what they found before, and a member can be settled on
    // something that it would not come to from the beginning.
    pub(super) fn look_again<T: PartialEq>(
        &self,
        component: &[u32],
        member: u32,
        work: &LockWork,
        again: &Again<'_, T>,
    ) -> Option<Vec<Reads>> {
        let before = again.alone(member)?;
        let first = &work.first;
        let function = FunctionId(member);
        let parameters = self.graph.functions.body(function).parameters;
        let callees = self.graph.callees(member).iter();
        let callees = callees.filter(|callee| component.binary_search(callee).is_ok());
        let is_same = before.summary.locks == first.summary.locks
            && before.summary.forks == first.summary.forks
            && before.summary.signals == first.summary.signals
            && before.summary.references == first.summary.references
            && *again.summary(member).sharing == SharingSummary::unknown(parameters)
            && callees.eq(&before.callees);
        if !is_same {
            return None;
        }
        let mut used = Vec::new();
        for look in before.looks.iter() {
            let callees = before.callees.iter().zip(&*look.callees);
            let known: Members = callees
                .map(|(callee, locks)| {
                    let summary = Summary {
                        locks: locks.clone(),
                        ..again.summary(*callee).clone()
                    };
                    (*callee, summary)
                })
                .collect();
            let (found, reads) = self.lock_summary(member, &known, work);
            if found != *look.found {
                return None;
            }
            used.push(reads);
        }
        Some(used)
    }

    /// Takes out of the members that are different what is wanted, where that makes no difference to what is known of any of them. The others
    /// stay as they were.
    pub(super) fn edited_alone<T: PartialEq + Send + Sync + 'static>(
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
        let stop = Stop::of_this_thread();
        edited
            .into_par_iter()
            .filter_map(|edited| {
                let Edited {
                    member,
                    work,
                    reads,
                } = edited;
                let alone = Alone {
                    summary: work.first.summary.clone(),
                    ..again.alone(member)?.clone()
                };
                let finish = || self.finished(member, work, &members, alone, reads, then);
                Some(stop.heard(finish))
            })
            .collect()
    }
}
