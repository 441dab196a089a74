//! How threads get to where they access something.

use super::context::ContextId;
use super::contexts::{Arrival, Contexts};
use super::roots::RootId;
use crate::callgraph::FunctionId;
use crate::ir::Landmark;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::OnceLock;

type Place = (FunctionId, ContextId);

/// The shortest ways from the entries of threads down to contexts. One search serves all places that a
/// thread gets to.
pub struct CallPaths {
    by_root: Vec<OnceLock<Callers>>,
}

/// For each place, the call that leads there.
type Callers = FxHashMap<Place, Option<(Place, Landmark)>>;

impl CallPaths {
    pub fn new(contexts: &Contexts) -> CallPaths {
        CallPaths {
            by_root: contexts.roots.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The calls from a thread's entry down to a context, with the functions that they stand in.
    pub fn path(
        &self,
        contexts: &Contexts,
        root: RootId,
        function: FunctionId,
        context: ContextId,
    ) -> Vec<(FunctionId, Landmark)> {
        let callers = self.by_root[root.0 as usize].get_or_init(|| search(contexts, root));
        let mut path = Vec::new();
        let mut place = (function, context);
        while let Some(Some((caller, at))) = callers.get(&place) {
            path.push((caller.0, *at));
            place = *caller;
        }
        path.reverse();
        path
    }
}

fn search(contexts: &Contexts, root: RootId) -> Callers {
    let entry = contexts.root(root).entry;
    let mut callers = Callers::default();
    let mut queue = VecDeque::new();
    for (context, ..) in contexts.of(entry) {
        let arrivals = &contexts.reached(entry, context).arrivals;
        if arrivals.contains(&Arrival::Root(root)) {
            callers.insert((entry, context), None);
            queue.push_back((entry, context));
        }
    }
    while let Some(place) = queue.pop_front() {
        for called in contexts.reached(place.0, place.1).calls() {
            let leads_to = (called.callee, called.context);
            callers.entry(leads_to).or_insert_with(|| {
                queue.push_back(leads_to);
                Some((place, called.at))
            });
        }
    }
    callers
}
