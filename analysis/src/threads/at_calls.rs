//! The threads that run where functions are called.

use super::context::{Context, Running, Threads};
use crate::accesses::CallFact;
use crate::dataflow::Fixed;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// What was found out: the same threads come to many calls, and many calls stand behind the same starts and joins.
#[derive(Default)]
pub(super) struct ThreadsAtCalls(DashMap<(usize, usize), Known, FxBuildHasher>);

struct Known {
    /// Keeps the address in the key from meaning something else.
    _at_entry: Fixed<Threads>,
    at_call: Fixed<Threads>,
    has_handles: bool,
}

impl ThreadsAtCalls {
    /// The threads that may run at a call in a context, and whether there are handles of them.
    pub fn of(&self, context: &Context, call: &CallFact) -> (Fixed<Threads>, bool) {
        let since = match call.forks.is_idle() {
            true => 0,
            // The facts keep it.
            false => Arc::as_ptr(&call.forks) as usize,
        };
        let key = (context.threads.address(), since);
        if let Some(known) = self.0.get(&key) {
            return (known.at_call.clone(), known.has_handles);
        }
        let at_call = context.threads_at(&call.forks);
        let has_handle = |running: &Running| matches!(running, Running::Perhaps(Some(_)));
        let has_handles = at_call.values().any(has_handle);
        let known = Known {
            _at_entry: context.threads.clone(),
            at_call: at_call.clone(),
            has_handles,
        };
        self.0.insert(key, known);
        (at_call, has_handles)
    }
}
