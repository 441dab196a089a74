//! Which threads may outlive the thread that has started them.

use super::context::{Context, Running};
use super::contexts::{Arrival, Contexts};
use super::roots::RootId;
use crate::accesses::Facts;
use crate::callgraph::CallGraph;
use crate::forks::{ForkState, Origin};
use crate::stop;
use std::collections::BTreeSet;

/// Notes for each thread those that it may not have joined where it ends: where its entry returns, or where
/// it ends itself in the middle.
// UNSOUND: a thread that is cancelled is taken to have joined the threads that it joins otherwise.
pub(super) fn find(contexts: &mut Contexts, graph: &CallGraph<'_>, facts: &Facts) {
    let mut left: Vec<BTreeSet<Origin>> = vec![BTreeSet::new(); contexts.roots.len()];
    for function in graph.functions.ids() {
        stop::ask();
        let facts = &facts[function.0 as usize];
        for (id, context, roots) in contexts.of(function) {
            for end in &facts.ends {
                let running = running(context, end);
                for root in roots {
                    left[root.0 as usize].extend(&running);
                }
            }
            for arrival in &contexts.reached(function, id).arrivals {
                if let Arrival::Root(RootId(root)) = arrival {
                    left[*root as usize].extend(running(context, &facts.at_return));
                }
            }
        }
    }
    for (root, left) in contexts.roots.iter_mut().zip(left) {
        root.left_behind = left;
    }
}

fn running(context: &Context, since: &ForkState) -> BTreeSet<Origin> {
    let threads = context.threads_at(since);
    let running = threads
        .iter()
        .filter(|(_, running)| **running != Running::Ended);
    running.map(|(origin, _)| *origin).collect()
}
