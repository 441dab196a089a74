//! What an earlier analysis of nearly the same program found, and which of it still holds.

use super::known::{Summaries, Summary};
use super::lock_looks::Alone;
use crate::callgraph::{CallGraph, Components, FunctionId};
use crate::points_to::Reads;
use crate::shared_list::SharedList;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The summaries of a program, with what else was taken out of each function.
pub struct Summarised<T> {
    pub summaries: Summaries,
    /// What was taken out of each function.
    pub taken: SharedList<Arc<T>>,
    /// By function.
    pub work: SharedList<Work>,
    /// Functions that call each other, callees first.
    pub components: Arc<Components>,
}

/// What is known of a function depends on besides its text and its callees.
#[derive(Clone, Default)]
pub struct Work {
    /// The answers about pointers that were used.
    pub reads: Arc<Reads>,
    /// A member of a large component as the others know it.
    pub(super) alone: Option<Alone>,
}

impl Work {
    pub(super) fn new(reads: Reads) -> Work {
        Work {
            reads: Arc::new(reads),
            alone: None,
        }
    }
}

/// An earlier analysis of the program, in which functions had the same numbers.
pub struct Earlier<'e, T> {
    pub summarised: &'e Summarised<T>,
    /// Functions whose text, call targets or pointers are different.
    pub stale: &'e FxHashSet<FunctionId>,
}

impl<T> Summarised<T> {
    pub(super) fn nothing_yet(functions: usize, components: Arc<Components>) -> Summarised<T>
    where
        T: Default,
    {
        let nothing: Arc<T> = Arc::default();
        Summarised {
            summaries: Summaries {
                settled: std::iter::repeat_with(Summary::default)
                    .take(functions)
                    .collect(),
            },
            taken: std::iter::repeat_n(nothing, functions).collect(),
            work: std::iter::repeat_with(Work::default)
                .take(functions)
                .collect(),
            components,
        }
    }
}

impl<T: PartialEq> Earlier<'_, T> {
    /// The components of which earlier results may not hold, whatever those that they call have come to.
    pub(super) fn doubtful(&self, components: &Components) -> Vec<u32> {
        let known = &self.summarised.components;
        let is_new = |component: &u32| {
            let members = components.members(*component);
            known.members(known.of(members[0])) != members
        };
        let new = match std::ptr::eq(components, &**known) {
            true => 0..0,
            false => 0..components.all().len() as u32,
        };
        let stale = self.stale.iter();
        let stale = stale.map(|function| components.of(function.0));
        new.filter(is_new).chain(stale).collect()
    }

    /// What is known of the members of a component. `changed` are the functions of which callers know something else than earlier.
    pub(super) fn again<'a>(
        &'a self,
        component: &'a [u32],
        graph: &'a CallGraph<'a>,
        changed: &'a FxHashSet<u32>,
    ) -> Again<'a, T> {
        Again {
            earlier: self.summarised,
            stale: self.stale,
            component,
            graph,
            changed,
        }
    }

    /// Keeps what is equal to what was there earlier; tells whether callers know something else now.
    pub(super) fn keep_equal(
        &self,
        member: u32,
        summary: &mut Summary,
        taken: &mut Arc<T>,
    ) -> bool {
        let old = &self.summarised.taken[member as usize];
        if !Arc::ptr_eq(old, taken) && old == taken {
            *taken = old.clone();
        }
        let old = self.summarised.summaries.get(FunctionId(member));
        let is_same = old == summary;
        if is_same {
            *summary = old.clone();
        }
        !is_same
    }
}

/// The members of a component as they were earlier, when each of them may have been in another one.
pub(super) struct Again<'a, T> {
    earlier: &'a Summarised<T>,
    stale: &'a FxHashSet<FunctionId>,
    component: &'a [u32],
    graph: &'a CallGraph<'a>,
    changed: &'a FxHashSet<u32>,
}

impl<T: PartialEq> Again<'_, T> {
    /// Whether what was found for a member still holds, as far as functions outside the component go.
    pub fn holds_for(&self, member: u32) -> bool {
        let mut callees = self.graph.callees(member).iter();
        !self.stale.contains(&FunctionId(member))
            && callees.all(|callee| {
                !self.changed.contains(callee) || self.component.binary_search(callee).is_ok()
            })
    }

    /// Whether the component was there earlier, with the same members.
    pub fn is_same_component(&self) -> bool {
        let components = &self.earlier.components;
        components.members(components.of(self.component[0])) == self.component
    }

    pub fn summary(&self, member: u32) -> &Summary {
        self.earlier.summaries.get(FunctionId(member))
    }

    pub fn taken(&self, member: u32) -> &Arc<T> {
        &self.earlier.taken[member as usize]
    }

    pub fn work(&self, member: u32) -> &Work {
        &self.earlier.work[member as usize]
    }

    /// How the other members of a large component knew a member.
    pub fn alone(&self, member: u32) -> Option<&Alone> {
        self.work(member).alone.as_ref()
    }
}
