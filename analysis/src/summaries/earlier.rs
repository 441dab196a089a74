//! What an earlier analysis of nearly the same program found, and which of it still holds.

use super::component::Result;
use super::known::{Summaries, Summary};
use crate::callgraph::{CallGraph, FunctionId};
use crate::points_to::Reads;
use std::sync::Arc;

/// The summaries of a program, with what else was taken out of each function.
pub struct Summarised<T> {
    pub summaries: Summaries,
    /// By function.
    pub work: Vec<Work<T>>,
    /// Functions that call each other, callees first.
    pub components: Arc<Vec<Vec<u32>>>,
    /// The component of each function.
    pub(super) component_of: Arc<Vec<u32>>,
}

/// What was taken out of a function, and what that depends on besides its text and its callees.
pub struct Work<T> {
    pub taken: Arc<T>,
    /// The answers about pointers that were used.
    pub reads: Arc<Reads>,
    /// What a member of a large component does as long as nothing is known of the others.
    pub(super) alone: Option<Summary>,
}

impl<T> Work<T> {
    pub(super) fn new(taken: T, reads: Reads) -> Work<T> {
        Work {
            taken: Arc::new(taken),
            reads: Arc::new(reads),
            alone: None,
        }
    }
}

impl<T> Clone for Work<T> {
    fn clone(&self) -> Work<T> {
        Work {
            taken: self.taken.clone(),
            reads: self.reads.clone(),
            alone: self.alone.clone(),
        }
    }
}

/// An earlier analysis of the program, in which functions had the same numbers.
pub struct Earlier<'e, T> {
    pub summarised: &'e Summarised<T>,
    /// Functions whose text, call targets or pointers are different.
    pub stale: &'e [bool],
}

impl<T: PartialEq> Earlier<'_, T> {
    /// What is known of a component, if it had the same members. `changed` are the functions of which callers know
    /// something else than earlier.
    pub(super) fn again<'a>(
        &'a self,
        component: &'a [u32],
        graph: &'a CallGraph<'a>,
        changed: &'a [bool],
    ) -> Option<Again<'a, T>> {
        let number = self.summarised.component_of[component[0] as usize];
        let same = self.summarised.components[number as usize] == component;
        same.then_some(Again {
            earlier: self.summarised,
            stale: self.stale,
            component,
            graph,
            changed,
        })
    }

    /// Keeps what is equal to what was there earlier; tells whether callers know something else now.
    pub(super) fn keep_equal(
        &self,
        member: u32,
        summary: &mut Summary,
        work: &mut Work<T>,
    ) -> bool {
        let old = &self.summarised.work[member as usize];
        if !Arc::ptr_eq(&old.taken, &work.taken) && old.taken == work.taken {
            work.taken = old.taken.clone();
        }
        let old = self.summarised.summaries.get(FunctionId(member));
        let is_same = old == summary;
        if is_same {
            *summary = old.clone();
        }
        !is_same
    }
}

/// A component that was there earlier.
pub(super) struct Again<'a, T> {
    earlier: &'a Summarised<T>,
    stale: &'a [bool],
    component: &'a [u32],
    graph: &'a CallGraph<'a>,
    changed: &'a [bool],
}

impl<T: PartialEq> Again<'_, T> {
    /// Whether what was found for a member still holds, as far as functions outside the component go.
    pub fn holds_for(&self, member: u32) -> bool {
        let mut callees = self.graph.callees(member).iter();
        !self.stale[member as usize]
            && callees.all(|callee| {
                !self.changed[*callee as usize] || self.component.binary_search(callee).is_ok()
            })
    }

    /// Whether all that was found still holds.
    pub fn holds(&self) -> bool {
        let mut members = self.component.iter();
        members.all(|member| self.holds_for(*member))
    }

    pub fn result(&self, member: u32) -> Result<T> {
        let work = self.earlier.work[member as usize].clone();
        (member, self.summary(member).clone(), work)
    }

    pub fn summary(&self, member: u32) -> &Summary {
        self.earlier.summaries.get(FunctionId(member))
    }

    pub fn reads(&self, member: u32) -> Reads {
        Reads::clone(&self.earlier.work[member as usize].reads)
    }

    /// Whether a member of a large component does the same as earlier, as far as other members can tell.
    pub fn is_alone_as_before(&self, member: u32, alone: &Summary) -> bool {
        let before = self.earlier.work[member as usize].alone.as_ref();
        before.is_some_and(|before| {
            before.locks == alone.locks
                && before.forks == alone.forks
                && before.signals == alone.signals
                && before.references == alone.references
        })
    }
}
