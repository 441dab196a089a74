//! The members of a large component while it is summarised: what was found of each, and in which order they are looked at.

use super::component::FREE_ROUNDS;
use super::known::Summary;
use super::lock_looks::{Alone, LockLook, LockWork};
use crate::locksets::LockSummary;
use crate::points_to::Reads;
use crate::stop::Aside;
use std::sync::{Arc, OnceLock};

/// A member while its component is summarised.
pub(super) struct Member<'a> {
    pub function: u32,
    /// The members that it calls, by place in the component, sorted.
    pub callees: Vec<usize>,
    /// What was found earlier, if it depends on the same.
    pub before: Option<&'a Alone>,
    /// Of a member of which nothing is known from earlier, or that has to be looked at otherwise.
    pub work: OnceLock<Aside<LockWork>>,
    pub looks: Vec<LockLook>,
    /// Whether all looks so far are those of earlier, one after the other.
    pub goes_as_before: bool,
    /// The answers about pointers that the looks used which are not those of earlier.
    pub reads: Vec<Reads>,
}

/// A look that is taken now, in place of one of earlier.
pub(super) enum Look {
    /// That with this number among those of earlier.
    Earlier(usize),
    New(LockLook, Reads),
}

impl Member<'_> {
    /// What it does as long as nothing is known of the others.
    pub fn first(&self) -> &Summary {
        match self.before {
            Some(before) => &before.summary,
            None => &self.work.get().expect("it was looked at").first.summary,
        }
    }

    /// The number of a look of earlier at which its callees were known to do what they are known to do now.
    pub fn taken_earlier(&self, locks: &[Arc<LockSummary>]) -> Option<usize> {
        let earlier = &self.before?.looks;
        let is_same = |(callee, known): (&usize, &Arc<LockSummary>)| locks[*callee] == *known;
        let is_taken = |number: &usize| {
            let look = &earlier[*number];
            self.callees.iter().zip(&*look.callees).all(is_same)
        };
        // Most often they come in the same order.
        let next = self.looks.len();
        let numbers = (next..earlier.len()).chain(0..next.min(earlier.len()));
        { numbers }.find(is_taken)
    }

    /// Notes a look, which is one of so many; returns what the member is known to do behind it.
    pub fn take(&mut self, look: Look, count: usize, old: &Arc<LockSummary>) -> Arc<LockSummary> {
        let mut look = match look {
            Look::Earlier(number) => {
                let earlier = self.before.map(|before| &before.looks[number]);
                let earlier = earlier.expect("it was found there").clone();
                self.goes_as_before &= number + 1 == count;
                if self.goes_as_before {
                    let after = earlier.after.clone();
                    self.looks.push(earlier);
                    return after;
                }
                earlier
            }
            Look::New(look, reads) => {
                self.goes_as_before = false;
                self.reads.push(reads);
                look
            }
        };
        look.after = look.found.clone();
        if count > 1 {
            let mut new = (*look.found).clone();
            new.join(old);
            if count > FREE_ROUNDS {
                new.widen(old);
            }
            look.after = Arc::new(new);
        }
        let after = look.after.clone();
        self.looks.push(look);
        after
    }
}

/// For each member, the members that call it.
pub(super) fn callers(group: &[Member<'_>]) -> Vec<Vec<usize>> {
    let mut callers = vec![Vec::new(); group.len()];
    for (place, member) in group.iter().enumerate() {
        for callee in &member.callees {
            callers[*callee].push(place);
        }
    }
    callers
}

/// The members, each behind those that it calls as far as that is possible.
pub(super) fn callees_first(group: &[Member<'_>]) -> Vec<usize> {
    let mut is_seen = vec![false; group.len()];
    let mut order = Vec::with_capacity(group.len());
    for start in 0..group.len() {
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        let mut open = vec![(start, group[start].callees.iter())];
        while let Some((member, callees)) = open.last_mut() {
            match callees.find(|callee| !is_seen[**callee]) {
                Some(&callee) => {
                    is_seen[callee] = true;
                    open.push((callee, group[callee].callees.iter()));
                }
                None => {
                    order.push(*member);
                    open.pop();
                }
            }
        }
    }
    order
}
