//! One broken promise about locks: where, in which thread, holding what.

use super::access::{path, report_lock};
use super::checked::Checked;
use crate::project::Place;
use crate::report::{OfferedComment, Violation};
use racelens_analysis::contracts::{self, ViolationKind};
use racelens_analysis::ir::StatementId;
use racelens_analysis::locksets::PointLocks;
use std::sync::Arc;

/// `None` if its function is not in the text at the moment.
pub(super) fn report(
    checked: &Checked<'_>,
    violation: &contracts::Violation,
    comment: impl FnOnce(&Place) -> Option<OfferedComment>,
) -> Option<Violation> {
    let function = violation.function;
    let entity = checked.entity(function);
    let stretch = match violation.statement {
        Some(statement) => checked.places.statement(entity, statement)?,
        None => {
            let locations = checked.places.locations(entity)?;
            let name = checked.function_name(function);
            let location = locations.name(&name).or_else(|| locations.whole())?;
            checked.places.stretch(&location)
        }
    };
    let mut report = Violation {
        id: super::race::shown_id(violation.id),
        code: violation.kind.word().to_owned(),
        message: message(violation),
        subject: violation.subject.clone(),
        lock: violation.lock.clone(),
        function: checked.function_name(function),
        thread: None,
        locks: Vec::new(),
        path: Vec::new(),
        benign_comment: violation.statement.and_then(|_| comment(&stretch.place)),
        place: stretch.place,
        length: stretch.length,
    };
    if let Some((context, root)) = violation.seen {
        report.thread = Some(super::thread::thread(checked, root));
        report.path = path(checked, function, context, root);
        let since = violation
            .statement
            .and_then(|statement| locks_since_entry(checked, violation, statement));
        if let Some(since) = since {
            let locks = checked.program().locks_at(function, context, &since);
            let locks = locks.iter();
            report.locks = locks
                .map(|lock| report_lock(checked, function, lock))
                .collect();
        }
    }
    Some(report)
}

fn message(violation: &contracts::Violation) -> String {
    let (subject, lock) = (&violation.subject, &violation.lock);
    match violation.kind {
        ViolationKind::GuardedBy if violation.held_shared => {
            format!(
                "`{subject}` is written while `{lock}`, which guards it, is held for reading only"
            )
        }
        ViolationKind::GuardedBy => {
            format!("`{subject}` is accessed without `{lock}`, which guards it")
        }
        ViolationKind::RequiresCapability if violation.held_shared => {
            format!("`{subject}` is called with `{lock}` held for reading only")
        }
        ViolationKind::RequiresCapability => {
            format!("`{subject}` is called without `{lock}`, which it requires")
        }
        ViolationKind::AcquireCapability => {
            format!("`{subject}` promises to take `{lock}`, but does not always hold it in the end")
        }
        ViolationKind::ReleaseCapability => {
            format!("`{subject}` promises to release `{lock}`, but never does")
        }
    }
}

fn locks_since_entry(
    checked: &Checked<'_>,
    violation: &contracts::Violation,
    statement: StatementId,
) -> Option<Arc<PointLocks>> {
    let facts = &checked.program().facts[violation.function.0 as usize];
    let mut accesses = facts.accesses.iter();
    let mut calls = facts.calls.iter();
    let access = accesses.find(|access| access.statement == statement);
    let call = calls.find(|call| call.statement == statement);
    match violation.kind {
        ViolationKind::GuardedBy => access.map(|access| access.locks.clone()),
        _ => call.map(|call| call.locks.clone()),
    }
}
