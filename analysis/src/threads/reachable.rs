//! Which functions some thread may run. The others have no part in what threads do to each other.

use super::roots::ThreadRules;
use crate::callgraph::{CallGraph, FunctionId};

/// For each function, whether it can be reached from where execution begins. A function whose address is taken counts
/// as reached as soon as anything runs: who calls or starts it need not be known.
pub fn reachable(graph: &CallGraph<'_>, rules: &ThreadRules) -> Vec<bool> {
    let functions = graph.functions;
    let mut reached = vec![false; functions.len()];
    let mut pending: Vec<FunctionId> = functions
        .ids()
        .filter(|function| rules.begins(functions.body(*function)).is_some())
        .collect();
    if !pending.is_empty() {
        let addressed = graph.points_to().addressed_functions();
        pending.extend(addressed.flat_map(|name| functions.resolve(name)));
    }
    while let Some(function) = pending.pop() {
        if !std::mem::replace(&mut reached[function.0 as usize], true) {
            let callees = graph.callees(function.0).iter();
            pending.extend(callees.map(|callee| FunctionId(*callee)));
        }
    }
    reached
}
