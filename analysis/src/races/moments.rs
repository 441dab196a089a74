//! When accesses happen: in which threads, and which threads those have started by then.

use crate::callgraph::{FunctionId, Functions};
use crate::forks::{ForkState, Origin};
use crate::threads::{Context, ContextId, Contexts, Moment, RootId, Running};
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the order of threads makes of an access. Accesses that agree on it share it.
#[derive(Debug)]
pub struct When {
    /// Different ones have different numbers, which mean nothing else.
    number: u32,
    pub roots: Vec<RootId>,
    /// Threads that the accessing thread may have started by then.
    pub threads: Arc<BTreeMap<Origin, Running>>,
}

impl PartialEq for When {
    fn eq(&self, other: &When) -> bool {
        self.number == other.number
    }
}

impl Eq for When {}

impl Hash for When {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

type Map<K, V> = DashMap<K, V, FxBuildHasher>;

/// A point of a function in one of its contexts, as far as threads go.
type Point = (FunctionId, ContextId, usize);
type Content = (Vec<RootId>, Arc<BTreeMap<Origin, Running>>);

/// All moments that were asked for, and which of them can be at the same time.
pub struct Moments<'m> {
    functions: &'m Functions,
    contexts: &'m Contexts,
    next: AtomicU32,
    by_point: Map<Point, Arc<When>>,
    by_content: Map<Content, Arc<When>>,
    parallel: Map<(u32, u32), Option<(RootId, RootId)>>,
}

impl<'m> Moments<'m> {
    pub fn new(functions: &'m Functions, contexts: &'m Contexts) -> Moments<'m> {
        Moments {
            functions,
            contexts,
            next: AtomicU32::new(0),
            by_point: Map::default(),
            by_content: Map::default(),
            parallel: Map::default(),
        }
    }

    /// The moment of a point at which these threads have been started since the function's entry.
    pub fn at(
        &self,
        function: FunctionId,
        (id, context, roots): (ContextId, &Context, &BTreeSet<RootId>),
        since: &Arc<ForkState>,
    ) -> Arc<When> {
        // The facts keep the states alive, so that an address stands for one of them.
        let point = (function, id, Arc::as_ptr(since) as usize);
        if let Some(known) = self.by_point.get(&point) {
            return known.clone();
        }
        let content = (
            roots.iter().copied().collect::<Vec<_>>(),
            context.threads_at(since),
        );
        let when = self.by_content.entry(content.clone()).or_insert_with(|| {
            let (roots, threads) = content;
            Arc::new(When {
                number: self.next.fetch_add(1, Ordering::Relaxed),
                roots,
                threads,
            })
        });
        self.by_point.insert(point, when.clone());
        when.clone()
    }

    /// Two threads that can be there at the same time, one for each side; two different ones if possible.
    pub fn in_parallel(&self, left: &When, right: &When) -> Option<(RootId, RootId)> {
        let key = (left.number, right.number);
        if let Some(known) = self.parallel.get(&key) {
            return *known;
        }
        let found = self.find_parallel(left, right);
        self.parallel.insert(key, found);
        found
    }

    fn find_parallel(&self, left: &When, right: &When) -> Option<(RootId, RootId)> {
        let mut same = None;
        for &mine in &left.roots {
            for &theirs in &right.roots {
                let one = Moment {
                    root: mine,
                    threads: &left.threads,
                };
                let other = Moment {
                    root: theirs,
                    threads: &right.threads,
                };
                if self.contexts.in_parallel(self.functions, one, other) {
                    if mine != theirs {
                        return Some((mine, theirs));
                    }
                    same = same.or(Some((mine, theirs)));
                }
            }
        }
        same
    }
}
