//! Which threads can be at two places at the same time, as far as starting and joining tell.

use super::context::Running;
use super::flow::Contexts;
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
        let (one, other) = (self.root(left.root), self.root(right.root));
        if self.never_parallel(one, other) || in_different_programs(one, other) {
            return false;
        }
        if one.is_main_thread() && other.is_main_thread() {
            return false;
        }
        if left.root == right.root {
            // UNSOUND: a signal handler is taken not to run in two threads at the same time; the signal is
            // blocked while its handler runs, but only in that thread.
            if one.kind.is_signal() {
                return false;
            }
            // Only if it can be started again while it runs.
            let own = one.origin(functions);
            return one.many && own.is_none_or(|own| self.runs_beside_itself(left.root, own));
        }
        self.may_overlap(functions, left, right.root)
            && self.may_overlap(functions, right, left.root)
            && self.siblings_overlap(functions, left.root, right.root)
    }

    /// The threads that can run at a moment, the thread itself among them if there can be several of it.
    pub fn running_beside<'c>(
        &'c self,
        functions: &'c Functions,
        moment: Moment<'c>,
    ) -> impl Iterator<Item = RootId> + 'c {
        let one = self.root(moment.root);
        let all = (0..self.roots.len()).map(|index| RootId(index as u32));
        all.filter(move |&root| {
            if root == moment.root {
                let own = one.origin(functions);
                return one.many && own.is_none_or(|own| self.runs_beside_itself(root, own));
            }
            let other = self.root(root);
            let both_main = one.is_main_thread() && other.is_main_thread();
            if both_main || self.never_parallel(one, other) || in_different_programs(one, other) {
                return false;
            }
            self.may_overlap(functions, moment, root)
                && self.siblings_overlap(functions, moment.root, root)
        })
    }

    fn runs_beside_itself(&self, root: RootId, origin: Origin) -> bool {
        let thread = self.root(root);
        // Several parents may each have one.
        let has_one_parent = self.only_parent(root).is_some();
        !has_one_parent || thread.running_before.contains(&origin) || !thread.kind.is_thread()
    }

    /// Whether another thread may run at a moment: it has been started, and not joined.
    fn may_overlap(&self, functions: &Functions, moment: Moment<'_>, other: RootId) -> bool {
        let mut descendant = other;
        let mut is_child = true;
        // Up from the other thread, until one that this thread has started itself. The way is as long as
        // threads are nested; it ends early if threads start each other in turn.
        for _ in 0..self.roots.len() {
            let Some(parent) = self.only_parent(descendant) else {
                return true;
            };
            if parent == moment.root {
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
                    Some(Running::Ended) => !is_child,
                    Some(Running::Perhaps(_)) => true,
                };
            }
            descendant = parent;
            is_child = false;
        }
        true
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
        let mut parents = self.root(root).parents.iter();
        let parent = *parents.next()?;
        (parents.next().is_none() && !self.root(parent).many).then_some(parent)
    }
}

/// Whether no program runs both: each belongs to some, and they have none in common.
fn in_different_programs(one: &ThreadRoot, other: &ThreadRoot) -> bool {
    !one.programs.is_empty()
        && !other.programs.is_empty()
        && one.programs.is_disjoint(&other.programs)
}
