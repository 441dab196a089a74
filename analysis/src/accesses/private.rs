//! Which objects at an access or a call nobody else knows.

use crate::ownership::{Privacy, Sharing, object_of};
use crate::symexec::{Path, Root, State, Step, Targets, Value};
use std::sync::Arc;

/// Why nobody else knows the place; `None` if others may.
pub(super) fn privacy(sharing: &Sharing, place: &Targets) -> Option<Arc<Privacy>> {
    match place {
        Targets::Exactly(path) => sharing.privacy(&object_of(path)).map(Arc::new),
        Targets::OneOf(paths) => {
            let mut all: Option<Privacy> = None;
            for path in paths {
                let one = sharing.privacy(&object_of(path))?;
                all = Some(match all {
                    Some(all) => Privacy {
                        owned: all.owned.or(&one.owned),
                        conditions: &all.conditions | &one.conditions,
                    },
                    None => one,
                });
            }
            all.map(Arc::new)
        }
        Targets::Unknown => None,
    }
}

/// More objects than this are not told to a callee.
const MOST_GIVEN: usize = 8;

/// Notes the object that an argument points to and those that it leads to, if nobody else knows them. `name` is
/// what the callee calls the place that the argument points to.
pub(super) fn given(
    state: &State,
    sharing: &Sharing,
    argument: &Value,
    name: Path,
    found: &mut Vec<(Path, Privacy)>,
) {
    if found.len() >= MOST_GIVEN || found.iter().any(|(known, _)| *known == name) {
        return;
    }
    let targets = argument.targets();
    let Some(privacy) = privacy(sharing, &targets) else {
        return;
    };
    let Targets::Exactly(place) = &targets else {
        found.push((name, (*privacy).clone()));
        return;
    };
    let is_formal = |path: &Path| matches!(path.root, Root::Formal(_));
    // What the caller itself was given is told from context to context.
    if is_formal(place) && privacy.conditions.contains(&object_of(place)) {
        return;
    }
    found.push((name.clone(), (*privacy).clone()));
    for (member, value) in state.parts_of(place) {
        if member == place || !matches!(value, Value::Address(path) if !is_formal(path)) {
            continue;
        }
        let steps = &member.steps[place.steps.len()..];
        let inner = name.extended(steps).then(Step::Deref);
        if !inner.is_too_long() {
            given(state, sharing, value, inner, found);
        }
    }
}
