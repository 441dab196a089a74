//! Which threads may run several times at once: those that are started in a loop, from several places, or
//! by something that itself runs more than once.

use super::context::ContextId;
use super::contexts::{Arrival, Contexts};
use super::roots::{RootId, RootKind};
use crate::callgraph::{CallGraph, Components, FunctionId};
use crate::stop;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Marks the roots of which there are many.
pub(super) fn find(contexts: &mut Contexts, graph: &CallGraph<'_>, components: &Components) {
    let mut repeated: FxHashSet<(FunctionId, ContextId)> = recursive(contexts, components);
    loop {
        let before = (repeated.len(), many_count(contexts));
        mark_contexts(contexts, graph, &mut repeated);
        mark_roots(contexts, graph, &repeated);
        if before == (repeated.len(), many_count(contexts)) {
            break;
        }
    }
    for (function, id) in repeated {
        contexts.reached_mut(function, id).is_repeated = true;
    }
    mark_programs(contexts);
}

/// Finds the programs that each thread belongs to, from parents to children.
fn mark_programs(contexts: &mut Contexts) {
    for (index, root) in contexts.roots.iter_mut().enumerate() {
        if root.kind == RootKind::Main {
            root.programs.insert(RootId(index as u32));
        }
    }
    loop {
        let mut changed = false;
        for index in 0..contexts.roots.len() {
            let parents = &contexts.roots[index].parents;
            let inherited: BTreeSet<RootId> = parents
                .iter()
                .flat_map(|parent| contexts.root(*parent).programs.iter().copied())
                .collect();
            let programs = &mut contexts.roots[index].programs;
            let before = programs.len();
            programs.extend(inherited);
            changed |= programs.len() > before;
        }
        if !changed {
            return;
        }
    }
}

fn many_count(contexts: &Contexts) -> usize {
    contexts.roots.iter().filter(|root| root.many).count()
}

fn recursive(contexts: &Contexts, components: &Components) -> FxHashSet<(FunctionId, ContextId)> {
    let mut found = FxHashSet::default();
    for (component, members) in (0..).zip(components.all()) {
        stop::ask();
        if components.is_recursive(component) {
            for member in members {
                let function = FunctionId(*member);
                found.extend(
                    contexts
                        .of(function)
                        .map(|(context, ..)| (function, context)),
                );
            }
        }
    }
    found
}

/// A context is entered more than once in one run of its thread, or by several threads.
fn mark_contexts(
    contexts: &Contexts,
    graph: &CallGraph<'_>,
    repeated: &mut FxHashSet<(FunctionId, ContextId)>,
) {
    for function in graph.functions.ids() {
        stop::ask();
        for (id, ..) in contexts.of(function) {
            let reached = contexts.reached(function, id);
            let is_known = |place: &(FunctionId, ContextId)| repeated.contains(place);
            if is_repeated(contexts, &reached.arrivals, &is_known) {
                repeated.insert((function, id));
            }
        }
    }
}

/// Whether a context with these arrivals is entered more than once, if that is known of those that it is entered from.
pub(super) fn is_repeated(
    contexts: &Contexts,
    arrivals: &[Arrival],
    is_known: &dyn Fn(&(FunctionId, ContextId)) -> bool,
) -> bool {
    arrivals.len() > 1
        || arrivals.iter().any(|arrival| match arrival {
            Arrival::Root(root) => contexts.root(*root).many,
            Arrival::Call {
                caller,
                context,
                repeats,
                ..
            } => *repeats || is_known(&(*caller, *context)),
        })
}

fn mark_roots(
    contexts: &mut Contexts,
    graph: &CallGraph<'_>,
    repeated: &FxHashSet<(FunctionId, ContextId)>,
) {
    let mut times = vec![0usize; contexts.roots.len()];
    let mut restarted = vec![0usize; contexts.roots.len()];
    let mut parents: Vec<BTreeSet<RootId>> = vec![BTreeSet::new(); contexts.roots.len()];
    for function in graph.functions.ids() {
        stop::ask();
        for (id, _, roots) in contexts.of(function) {
            for (root, repeats) in &contexts.reached(function, id).starts {
                let more = if *repeats || repeated.contains(&(function, id)) {
                    2
                } else {
                    1
                };
                times[root.0 as usize] += more;
                let again = repeated.contains(&(function, id));
                restarted[root.0 as usize] += if again { 2 } else { 1 };
                parents[root.0 as usize].extend(roots);
            }
        }
    }
    for (index, parents) in parents.into_iter().enumerate() {
        let root = &mut contexts.roots[index];
        root.many |= times[index] > 1;
        root.restarted = restarted[index] > 1;
        root.parents = parents;
    }
}
