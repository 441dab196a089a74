//! The threads that run and the signals that have been posted where functions are called.

use super::context::{Context, Running, Threads};
use crate::accesses::CallFact;
use crate::dataflow::{Fixed, Shared};
use crate::forks::{ForkState, Origin};
use crate::ir::Body;
use crate::signals::SignalState;
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

type Map<K, V> = DashMap<K, V, FxBuildHasher>;

/// What was found out: the same threads come to many calls, and many calls stand behind the same starts and joins.
#[derive(Default)]
pub(super) struct KnownStates {
    threads_at: ThreadsAt,
    running: Map<Fixed<Threads>, Shared<BTreeSet<Origin>>>,
    signals: Equal<SignalState>,
}

impl KnownStates {
    /// The threads that may run at a point of a function in a context. What happened since the entry must outlive this.
    pub fn running(&self, context: &Context, since: &Arc<ForkState>) -> Shared<BTreeSet<Origin>> {
        let (threads, _) = self.threads_at.of(context, since);
        let found = self.running.entry(threads.clone()).or_insert_with(|| {
            let running = threads
                .iter()
                .filter(|(_, running)| **running != Running::Ended);
            Shared::new(running.map(|(origin, _)| *origin).collect())
        });
        found.clone()
    }
}

/// The threads that run at points of functions, by those that ran at the entry and by what happened since.
#[derive(Default)]
pub struct ThreadsAt {
    known: Map<(usize, usize), ThreadsAtPoint>,
    all: Equal<Threads>,
}

struct ThreadsAtPoint {
    /// Keeps the address in the key from meaning something else.
    _at_entry: Fixed<Threads>,
    threads: Fixed<Threads>,
    has_handles: bool,
}

impl ThreadsAt {
    /// The threads that may run at a point of a function in a context, and whether there are handles of them. What
    /// happened since the entry must outlive this.
    pub fn of(&self, context: &Context, since: &Arc<ForkState>) -> (Fixed<Threads>, bool) {
        let at_entry = &context.threads;
        let happened = match since.is_idle() {
            true => 0,
            false => Arc::as_ptr(since) as usize,
        };
        let key = (at_entry.address(), happened);
        if let Some(known) = self.known.get(&key) {
            return (known.threads.clone(), known.has_handles);
        }
        let threads = self.all.one(context.threads_at(since));
        let has_handle = |running: &Running| matches!(running, Running::Perhaps(Some(_)));
        let has_handles = threads.values().any(has_handle);
        let known = ThreadsAtPoint {
            _at_entry: at_entry.clone(),
            threads: threads.clone(),
            has_handles,
        };
        self.known.insert(key, known);
        (threads, has_handles)
    }
}

/// Of equal values one is kept.
struct Equal<T>(Map<Fixed<T>, ()>);

impl<T: Eq + Hash> Default for Equal<T> {
    fn default() -> Equal<T> {
        Equal(Map::default())
    }
}

impl<T: Eq + Hash> Equal<T> {
    fn one(&self, value: Fixed<T>) -> Fixed<T> {
        if let Some(known) = self.0.get(&value) {
            return known.key().clone();
        }
        self.0.entry(value).or_insert(()).key().clone()
    }
}

/// The states at the calls of one function in one context.
pub(super) struct StatesAtCalls<'k> {
    known: &'k KnownStates,
    context: &'k Context,
    body: &'k Body,
    /// By what happened since the function's entry.
    signals: FxHashMap<(usize, bool), Fixed<SignalState>>,
}

impl<'k> StatesAtCalls<'k> {
    pub fn new(known: &'k KnownStates, context: &'k Context, body: &'k Body) -> Self {
        StatesAtCalls {
            known,
            context,
            body,
            signals: FxHashMap::default(),
        }
    }

    /// The threads that may run at a call, and whether there are handles of them.
    pub fn threads(&self, call: &CallFact) -> (Fixed<Threads>, bool) {
        self.known.threads_at.of(self.context, &call.forks)
    }

    pub fn shared_threads(&self, threads: Fixed<Threads>) -> Fixed<Threads> {
        self.known.threads_at.all.one(threads)
    }

    /// What the thread has posted and waited for at a call.
    pub fn signals(&mut self, call: &CallFact) -> Fixed<SignalState> {
        let key = (Arc::as_ptr(&call.signals) as usize, call.locks.releases());
        let found = self.signals.entry(key).or_insert_with(|| {
            let signals = self
                .context
                .signals_at(&call.signals, &call.locks, self.body);
            self.known.signals.one(signals)
        });
        found.clone()
    }
}
