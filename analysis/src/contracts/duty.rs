//! Which locks an access has to hold.

use super::table::Contracts;
use crate::ir::{Contract, LockBase, LockName, LockStep};
use crate::symexec::{Path, Root, Step};
use std::collections::BTreeSet;

/// The locks that guard a place, in the terms in which the place is named.
pub(super) fn guards_of(contracts: &Contracts, place: &Path) -> Vec<Path> {
    let mut guards = Vec::new();
    if let Root::Global(global) = place.root
        && let Some(said) = contracts.variables.get(&global)
    {
        guards.extend(guards_by(said, None, &place.steps));
    }
    for (index, step) in place.steps.iter().enumerate() {
        let Step::Field { record, name } = step else {
            continue;
        };
        if let Some(said) = contracts.members.get(&(*record, *name)) {
            let object = Path::new(place.root).extended(&place.steps[..index]);
            guards.extend(guards_by(said, Some(&object), &place.steps[index + 1..]));
        }
    }
    guards
}

/// The locks for an access that goes on from the annotated variable or member by these steps.
fn guards_by(said: &BTreeSet<Contract>, object: Option<&Path>, rest: &[Step]) -> Vec<Path> {
    let is_inside = !rest.contains(&Step::Deref);
    let is_pointee = matches!(rest, [Step::Deref, inside @ ..] if !inside.contains(&Step::Deref));
    said.iter()
        .filter_map(|contract| match contract {
            Contract::GuardedBy(lock) if is_inside => lock_path(lock, object),
            Contract::PointeeGuardedBy(lock) if is_pointee => lock_path(lock, object),
            _ => None,
        })
        .collect()
}

/// A lock by its name in a function. `object` is what an annotated member belongs to.
pub(super) fn lock_path(lock: &LockName, object: Option<&Path>) -> Option<Path> {
    let mut path = match lock.base {
        LockBase::Object => object?.clone(),
        LockBase::Parameter(index) => Path::new(Root::Formal(index)),
        LockBase::Global(global) => Path::new(Root::Global(global)),
    };
    for step in &lock.steps {
        path = path.then(match *step {
            LockStep::Deref => Step::Deref,
            LockStep::Field { record, name } => Step::Field { record, name },
        });
    }
    Some(path)
}
