//! One access of a race: where, in which thread, holding what; and how the thread gets there.

use super::checked::Checked;
use super::expression::{expression, name};
use super::thread::thread;
use crate::report::{Access, AccessKind, Call, Lock};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir;
use racelens_analysis::locksets::Mode;
use racelens_analysis::races::{NamedLock, Sighting};
use racelens_analysis::threads::{ContextId, RootId};

/// An access in a thread, without how that gets there. `None` if its function is not in the text at the moment.
pub(super) fn report(checked: &Checked<'_>, sighting: Sighting, root: RootId) -> Option<Access> {
    let function = sighting.function;
    let access = checked.program().access(sighting);
    let entity = checked.entity(function);
    let stretch = checked.places.statement(entity, access.statement)?;
    Some(Access {
        kind: kind(access.kind),
        atomic: access.atomic,
        expression: expression(checked, function, access, &stretch),
        function: checked.function_name(function),
        thread: thread(checked, root),
        locks: locks(checked, sighting),
        path: Vec::new(),
        place: stretch.place,
        length: stretch.length,
    })
}

pub(super) fn kind(kind: ir::AccessKind) -> AccessKind {
    match kind {
        ir::AccessKind::Read => AccessKind::Read,
        ir::AccessKind::Write => AccessKind::Write,
        ir::AccessKind::Update => AccessKind::Update,
    }
}

fn locks(checked: &Checked<'_>, sighting: Sighting) -> Vec<Lock> {
    let locks = checked.program().locks(sighting);
    locks
        .iter()
        .map(|lock| report_lock(checked, sighting.function, lock))
        .collect()
}

/// A lock by the name that `function` has for it, and where it was taken, by whomever.
pub(super) fn report_lock(checked: &Checked<'_>, function: FunctionId, lock: &NamedLock) -> Lock {
    Lock {
        name: name(checked, function, &lock.path),
        shared: lock.mode == Mode::Shared,
        acquired: lock.at.and_then(|at| checked.landmark_place(lock.by, at)),
    }
}

/// The calls that lead from the thread's entry to the function.
pub(super) fn path(
    checked: &Checked<'_>,
    function: FunctionId,
    context: ContextId,
    root: RootId,
) -> Vec<Call> {
    let calls = checked.call_path(root, function, context);
    let callers = calls.iter().map(|(caller, _)| *caller);
    let callees = callers.skip(1).chain([function]);
    calls
        .iter()
        .zip(callees)
        .filter_map(|((caller, at), callee)| {
            let place = checked.landmark_place(*caller, *at)?;
            Some(Call {
                function: checked.function_name(callee),
                place,
            })
        })
        .collect()
}
