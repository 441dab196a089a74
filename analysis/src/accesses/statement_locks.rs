//! The locks that a function holds at its statements.

use crate::callgraph::{CallGraph, FunctionId};
use crate::dataflow::{Liveness, Loops};
use crate::ir::{Body, Statement, StatementId};
use crate::locksets::{Lockset, LocksetSolution, locksets};
use crate::summaries::{Callees, Semaphores, Summaries};
use crate::symexec::{Execution, summarise};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What happened to locks since the entry of a function at its accesses and calls, when the summaries of
/// all functions are known.
pub fn statement_locks(
    graph: &CallGraph<'_>,
    summaries: &Summaries,
    semaphores: &Semaphores,
    function: FunctionId,
) -> FxHashMap<StatementId, Arc<Lockset>> {
    let body = graph.functions.body(function);
    let callees = Callees {
        function,
        graph,
        summaries,
        semaphores,
    };
    let (loops, liveness) = (Loops::new(body), Liveness::new(body));
    let execution = Execution::new(body, &callees, &loops, &liveness);
    let (_, states) = summarise(body, &execution);
    held_at_statements(body, &locksets(body, &states, &execution, &callees))
}

pub(super) fn held_at_statements(
    body: &Body,
    solution: &LocksetSolution<'_>,
) -> FxHashMap<StatementId, Arc<Lockset>> {
    let mut held: FxHashMap<StatementId, Arc<Lockset>> = FxHashMap::default();
    let mut latest: Option<Arc<Lockset>> = None;
    solution.visit(body, |lockset, id, statement| {
        if statement.access().is_some() || matches!(statement, Statement::Call { .. }) {
            let shared = match &latest {
                Some(known) if **known == *lockset => known.clone(),
                _ => Arc::new(lockset.clone()),
            };
            latest = Some(shared.clone());
            held.insert(id, shared);
        }
    });
    held
}
