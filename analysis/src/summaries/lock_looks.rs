//! What members of a large component did to locks each time that they were looked at, so that of an edited member one can say
//! whether all looks would go the same way again.

use super::component::{First, LockWork, Members, Run};
use super::earlier::Again;
use super::known::Summary;
use crate::callgraph::FunctionId;
use crate::locksets::LockSummary;
use crate::ownership::SharingSummary;
use crate::points_to::Reads;
use std::sync::Arc;

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
    pub callees: Vec<Arc<LockSummary>>,
    /// What it was found to do then.
    pub found: LockSummary,
}

impl Run<'_> {
    /// The members of a component that one of them calls, sorted.
    pub(super) fn callees_inside(&self, member: u32, component: &[u32]) -> Vec<u32> {
        let callees = self.graph.callees(member).iter().copied();
        let mut inside: Vec<u32> = callees
            .filter(|callee| component.binary_search(callee).is_ok())
            .collect();
        inside.sort_unstable();
        inside
    }

    /// The answers about pointers that the looks at a member use now; `None` if one of them would come to something else, so that
    /// other members could come to something else, too.
    // What the settled members do is not enough to ask for: the looks join what they found before, and a member can be settled on
    // something that it would not come to from the beginning.
    pub(super) fn look_again<T: PartialEq>(
        &self,
        component: &[u32],
        member: u32,
        first: &First,
        again: &Again<'_, T>,
    ) -> Option<Vec<Reads>> {
        let before = again.alone(member)?;
        let function = FunctionId(member);
        let parameters = self.graph.functions.body(function).parameters;
        let is_same = before.summary.locks == first.summary.locks
            && before.summary.forks == first.summary.forks
            && before.summary.signals == first.summary.signals
            && before.summary.references == first.summary.references
            && *again.summary(member).sharing == SharingSummary::unknown(parameters)
            && before.callees == self.callees_inside(member, component);
        if !is_same {
            return None;
        }
        let work = LockWork::new(&first.values);
        let mut used = Vec::new();
        for look in before.looks.iter() {
            let callees = before.callees.iter().zip(&look.callees);
            let known: Members = callees
                .map(|(callee, locks)| {
                    let summary = Summary {
                        locks: locks.clone(),
                        ..again.summary(*callee).clone()
                    };
                    (*callee, summary)
                })
                .collect();
            let (found, reads) = self.lock_summary(member, &known, &work);
            if found != look.found {
                return None;
            }
            used.push(reads);
        }
        Some(used)
    }
}
