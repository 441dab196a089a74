//! Which threads can be at two places at the same time, as far as starting and joining tell.

use super::context::Running;
use super::contexts::Contexts;
use super::roots::{RootId, ThreadRoot};
use crate::callgraph::Functions;
use crate::forks::Origin;
use std::collections::BTreeMap;

/// A moment in the life of a thread: the threads that it has started until then.
#[derive(Clone, Copy)]
pub struct Moment<'m> {
    pub root: RootId,
    pub threads: &'m BTreeMap<Origin, Running>,
}

impl Contexts {
    /// Whether two moments can be at the same time.
    pub fn in_parallel(&self, functions: &Functions, left: Moment<'_>, right: Moment<'_>) -> bool {
        if self.are_kept_apart(left.root, right.root) {
            return false;
        }
        if left.root == right.root {
            return self.runs_beside_itself(functions, left.root);
        }
        self.may_overlap(functions, left, right.root)
            && self.may_overlap(functions, right, left.root)
            && self.families_overlap(functions, left.root, right.root)
    }

    /// Whether two threads never run at the same time, whatever they have started.
    fn are_kept_apart(&self, left: RootId, right: RootId) -> bool {
        let (one, other) = (self.root(left), self.root(right));
        self.never_parallel(one, other)
            || in_different_programs(one, other)
            || (one.is_main_thread() && other.is_main_thread())
    }

    /// The threads that can run at a moment, the thread itself among them if there can be several of it.
    pub fn running_beside<'c>(
        &'c self,
        functions: &'c Functions,
        moment: Moment<'c>,
    ) -> impl Iterator<Item = RootId> + 'c {
        let all = (0..self.roots.len()).map(|index| RootId(index as u32));
        all.filter(move |&root| {
            if self.are_kept_apart(moment.root, root) {
                return false;
            }
            if root == moment.root {
                return self.runs_beside_itself(functions, root);
            }
            self.may_overlap(functions, moment, root)
                && self.families_overlap(functions, moment.root, root)
        })
    }

    /// Whether a thread can be started again while it runs.
    fn runs_beside_itself(&self, functions: &Functions, root: RootId) -> bool {
        let thread = self.root(root);
        // UNSOUND: a signal handler is taken not to run in two threads at the same time; the signal is
        // blocked while its handler runs, but only in that thread.
        if !thread.many || thread.kind.is_signal() {
            return false;
        }
        // Several parents may each have one.
        let has_one_parent = self.only_parent(root).is_some();
        !has_one_parent
            || !thread.kind.is_thread()
            || thread
                .origin(functions)
                .is_none_or(|own| thread.running_before.contains(&own))
    }

    /// Whether another thread may run at a moment: it has been started, and not joined.
    fn may_overlap(&self, functions: &Functions, moment: Moment<'_>, other: RootId) -> bool {
        let mut descendant = other;
        let mut is_outlived = false;
        // Up from the other thread, until one that this thread has started itself. The way is as long as
        // threads are nested; it ends early if threads start each other in turn.
        for _ in 0..self.roots.len() {
            let Some(parent) = self.kind_of_parent(descendant) else {
                return true;
            };
            if parent == moment.root {
                if self.root(parent).many {
                    return true;
                }
                let Some(origin) = self.root(descendant).origin(functions) else {
                    return true;
                };
                if !self.root(descendant).kind.is_thread() {
                    // Handlers and timers are not joined like threads, but they are registered first.
                    return moment.threads.contains_key(&origin);
                }
                return match moment.threads.get(&origin) {
                    None => false,
                    // A thread that has ended may have left others behind.
                    Some(Running::Ended) => is_outlived,
                    Some(Running::Perhaps(_)) => true,
                };
            }
            is_outlived |= self.may_outlive(functions, descendant, parent);
            descendant = parent;
        }
        true
    }

    /// Whether a thread may still run when the one has ended that has started it.
    fn may_outlive(&self, functions: &Functions, child: RootId, parent: RootId) -> bool {
        let thread = self.root(child);
        let origin = thread.origin(functions);
        !thread.kind.is_thread()
            || origin.is_none_or(|origin| self.root(parent).left_behind.contains(&origin))
    }

    /// The thread, and those above it that do not end before it does.
    fn enclosing(&self, functions: &Functions, root: RootId) -> Vec<RootId> {
        let mut found = vec![root];
        let mut child = root;
        while let Some(parent) = self.kind_of_parent(child)
            && !found.contains(&parent)
            && !self.may_outlive(functions, child, parent)
        {
            found.push(parent);
            child = parent;
        }
        found
    }

    /// Whether no thread of this kind has been started yet at a moment.
    pub fn starts_later(&self, functions: &Functions, moment: Moment<'_>, other: RootId) -> bool {
        let mut descendant = other;
        for _ in 0..self.roots.len() {
            let Some(parent) = self.only_parent(descendant) else {
                return false;
            };
            if parent == moment.root {
                let origin = self.root(descendant).origin(functions);
                return origin.is_some_and(|origin| !moment.threads.contains_key(&origin));
            }
            descendant = parent;
        }
        false
    }

    /// Whether two threads may run at the same time, as far as the threads tell that they run within and that have
    /// one parent.
    fn families_overlap(&self, functions: &Functions, left: RootId, right: RootId) -> bool {
        let others = self.enclosing(functions, right);
        self.enclosing(functions, left).iter().all(|&mine| {
            let mut others = others.iter().filter(|theirs| **theirs != mine);
            others.all(|&theirs| self.siblings_overlap(functions, mine, theirs))
        })
    }

    /// Whether two threads of one parent may run at the same time: one has not ended when the other is started.
    fn siblings_overlap(&self, functions: &Functions, left: RootId, right: RootId) -> bool {
        let (Some(parent), Some(other)) = (self.only_parent(left), self.only_parent(right)) else {
            return true;
        };
        if parent != other {
            return true;
        }
        let (one, two) = (self.root(left), self.root(right));
        let (Some(first), Some(second)) = (one.origin(functions), two.origin(functions)) else {
            return true;
        };
        !one.kind.is_thread()
            || !two.kind.is_thread()
            || one.running_before.contains(&second)
            || two.running_before.contains(&first)
    }

    /// The one thread that starts another, if there is only one of it.
    fn only_parent(&self, root: RootId) -> Option<RootId> {
        let parent = self.kind_of_parent(root)?;
        (!self.root(parent).many).then_some(parent)
    }

    /// The thread, of which there may be many, that alone starts another.
    fn kind_of_parent(&self, root: RootId) -> Option<RootId> {
        let mut parents = self.root(root).parents.iter();
        let parent = *parents.next()?;
        parents.next().is_none().then_some(parent)
    }
}

/// Whether no program runs both: each belongs to some, and they have none in common.
fn in_different_programs(one: &ThreadRoot, other: &ThreadRoot) -> bool {
    !one.programs.is_empty()
        && !other.programs.is_empty()
        && one.programs.is_disjoint(&other.programs)
}
