//! Which objects at an access or a call nobody else knows.

use crate::ownership::{Sharing, object_of};
use crate::symexec::{Path, Root, State, Step, Targets, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What must be private at the function's entry so that a place is private; `None` if others may know it.
pub(super) fn conditions(sharing: &Sharing, place: &Targets) -> Option<Arc<BTreeSet<Path>>> {
    match place {
        Targets::Exactly(path) => sharing.unknown_if(&object_of(path)).map(Arc::new),
        Targets::OneOf(paths) => {
            let mut all = BTreeSet::new();
            for path in paths {
                all.extend(sharing.unknown_if(&object_of(path))?);
            }
            Some(Arc::new(all))
        }
        Targets::Unknown => None,
    }
}

/// More objects than this are not told to a callee.
const MOST_GIVEN: usize = 8;

/// Notes the object that an argument points to and those that it leads to, if they are this function's own and
/// private. `name` is what the callee calls the place that the argument points to.
pub(super) fn given(
    state: &State,
    sharing: &Sharing,
    argument: &Value,
    name: Path,
    found: &mut Vec<(Path, BTreeSet<Path>)>,
) {
    let is_own = |path: &Path| matches!(path.root, Root::Heap(_) | Root::Local(_));
    let place = match argument {
        Value::Address(path) if is_own(path) && found.len() < MOST_GIVEN => path,
        Value::OneOf(_) => {
            if let Some(conditions) = conditions(sharing, &argument.targets()) {
                found.push((name, (*conditions).clone()));
            }
            return;
        }
        _ => return,
    };
    let Some(conditions) = sharing.unknown_if(&object_of(place)) else {
        return;
    };
    let already = found.iter().any(|(known, _)| *known == name);
    if already {
        return;
    }
    found.push((name.clone(), conditions));
    for (member, value) in state.parts_of(place) {
        if member == place {
            continue;
        }
        let steps = &member.steps[place.steps.len()..];
        let inner = steps
            .iter()
            .fold(name.clone(), |name, step| name.then(step.clone()))
            .then(Step::Deref);
        if !inner.is_too_long() && matches!(value, Value::Address(path) if is_own(path)) {
            given(state, sharing, value, inner, found);
        }
    }
}
