//! What a function does with locks and threads, for those who call it.

use super::checked::Checked;
use super::expression::name;
use super::held_locks::HeldLocks;
use super::thread::threads;
use crate::report::{FunctionPlace, FunctionSummary, Lock, Outcome};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::forks::{Handle, Origin};
use racelens_analysis::locksets::{Lockset, Mode, Outcomes, Sign};
use racelens_analysis::threads::{RootId, RootKind};
use std::collections::BTreeSet;

/// `None` if the function is not in the text at the moment.
pub(super) fn summary(
    checked: &Checked<'_>,
    function: FunctionId,
    held: &HeldLocks<'_, '_>,
) -> Option<FunctionSummary> {
    let program = checked.program();
    let place = checked.places.function_place(checked.entity(function))?;
    let locks = &program.summaries.get(function).locks;
    let at_end = locks.any();
    let contexts = program.contexts.of(function);
    let roots: BTreeSet<RootId> = contexts.flat_map(|(_, _, roots)| roots).copied().collect();
    Some(FunctionSummary {
        name: checked.function_name(function),
        place,
        takes: held.taken_here(),
        releases: at_end
            .released()
            .map(|path| Lock {
                name: name(checked, function, path),
                shared: false,
                acquired: None,
            })
            .collect(),
        starts: threads(checked, started(checked, function)),
        joins: threads(checked, joined(checked, function)),
        joined_handles: joined_handles(checked, function),
        threads: threads(checked, roots),
        returns_holding: holding(checked, function, &at_end),
        outcomes: outcomes(checked, function, &locks.outcomes),
    })
}

/// Where a function is defined, and which threads run it. `None` if it is not in the text at the moment.
pub(super) fn place(checked: &Checked<'_>, function: FunctionId) -> Option<FunctionPlace> {
    let place = checked.places.function_place(checked.entity(function))?;
    let contexts = checked.program().contexts.of(function);
    let roots: BTreeSet<RootId> = contexts.flat_map(|(_, _, roots)| roots).copied().collect();
    Some(FunctionPlace {
        name: checked.function_name(function),
        place,
        threads: threads(checked, roots),
    })
}

/// The threads that a function, or one that it calls, may start.
fn started(checked: &Checked<'_>, function: FunctionId) -> Vec<RootId> {
    let program = checked.program();
    let mut called = BTreeSet::from([function]);
    let mut pending = vec![function];
    while let Some(caller) = pending.pop() {
        let calls = &program.facts[caller.0 as usize].calls;
        for target in calls.iter().flat_map(|call| &call.targets) {
            if called.insert(*target) {
                pending.push(*target);
            }
        }
    }
    started_by_any(checked, &called)
}

/// The threads that a function starts itself.
pub(super) fn started_by(checked: &Checked<'_>, function: FunctionId) -> Vec<RootId> {
    started_by_any(checked, &BTreeSet::from([function]))
}

fn started_by_any(checked: &Checked<'_>, starters: &BTreeSet<FunctionId>) -> Vec<RootId> {
    let roots = checked.program().contexts.roots.iter().enumerate();
    roots
        .filter(
            |(_, root)| matches!(root.kind, RootKind::Started { by, .. } if starters.contains(&by)),
        )
        .map(|(index, _)| RootId(index as u32))
        .collect()
}

/// The threads that a function, or one that it calls, starts and that have ended when it returns.
fn joined(checked: &Checked<'_>, function: FunctionId) -> Vec<RootId> {
    let program = checked.program();
    let forks = &program.summaries.get(function).forks;
    let origins = |may_run: bool| -> BTreeSet<Origin> {
        let threads = forks.threads.iter().map(|(_, started)| started);
        let threads = threads.filter(|started| started.may_run() == may_run);
        threads
            .flat_map(|started| started.origins.iter())
            .copied()
            .collect()
    };
    // The same place may start one thread that is joined and one that is not.
    let ended: BTreeSet<Origin> = origins(false).difference(&origins(true)).copied().collect();
    let roots = program.contexts.roots.iter().enumerate();
    roots
        .filter(|(_, root)| {
            let origin = root.origin(&program.functions);
            root.kind.is_thread() && origin.is_some_and(|origin| ended.contains(&origin))
        })
        .map(|(index, _)| RootId(index as u32))
        .collect()
}

/// The handles of other threads that have ended when a function returns.
fn joined_handles(checked: &Checked<'_>, function: FunctionId) -> Vec<String> {
    let forks = &checked.program().summaries.get(function).forks;
    let own = |handle: &Handle| {
        let mut threads = forks.threads.iter();
        threads.any(|(_, started)| started.handle.as_ref() == Some(handle))
    };
    let handles = forks.joined.iter().filter(|handle| !own(handle));
    let names = handles.map(|handle| name(checked, function, &handle.place));
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

fn holding(checked: &Checked<'_>, function: FunctionId, lockset: &Lockset) -> Vec<Lock> {
    let held = lockset.held();
    held.map(|(path, hold)| Lock {
        name: name(checked, function, path),
        shared: hold.mode == Mode::Shared,
        acquired: hold
            .taken
            .and_then(|at| checked.landmark_place(function, at)),
    })
    .collect()
}

/// What is held by classes of results, where they differ in that.
fn outcomes(checked: &Checked<'_>, function: FunctionId, outcomes: &Outcomes) -> Vec<Outcome> {
    let mut classes: Vec<(Vec<Sign>, Vec<Lock>)> = Vec::new();
    for sign in Sign::ALL {
        let Some(lockset) = outcomes.get(sign) else {
            continue;
        };
        let holding = holding(checked, function, lockset);
        match classes.iter_mut().find(|(_, known)| *known == holding) {
            Some((signs, _)) => signs.push(sign),
            None => classes.push((vec![sign], holding)),
        }
    }
    if classes.len() < 2 {
        return Vec::new();
    }
    let body = checked.program().functions.body(function);
    let is_pointer = body.result.pointee().is_some();
    classes
        .into_iter()
        .map(|(signs, holding)| Outcome {
            result: results(&signs, is_pointer).to_owned(),
            holding,
        })
        .collect()
}

/// A class of results, to follow "if it returns".
fn results(signs: &[Sign], is_pointer: bool) -> &'static str {
    match (signs, is_pointer) {
        ([Sign::Zero], true) => "NULL",
        ([Sign::Zero], false) => "0",
        (_, true) => "anything but NULL",
        ([Sign::Negative, Sign::Positive], false) => "anything but 0",
        ([Sign::Negative], false) => "less than 0",
        ([Sign::Positive], false) => "more than 0",
        ([Sign::Negative, ..], false) => "0 or less",
        (_, false) => "0 or more",
    }
}
