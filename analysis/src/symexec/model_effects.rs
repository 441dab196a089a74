//! What a library function does to values, as its model says.

use super::path::{Path, Root, Site, Step};
use super::state::State;
use super::value::{Targets, Value};
use crate::ir::{GlobalRef, GlobalScope};
use crate::models::{self, Action, AtomicOperation, AtomicResult, FunctionModel, Returns, When};

/// Makes the changes that a call makes; returns its result.
pub(super) fn apply(
    state: &mut State,
    model: &FunctionModel,
    arguments: &[Value],
    site: Site,
) -> Value {
    let before = state.clone();
    let evaluate = |value: &models::Value| model_value(&before, arguments, value);
    let mut result = Value::Anything;
    // What a start leaves in the handle counts more than that it is written to.
    let is_start = |effect: &&models::Effect| matches!(effect.action, Action::Start { .. });
    let others = model.effects.iter().filter(|effect| !is_start(effect));
    for effect in others.chain(model.effects.iter().filter(is_start)) {
        let is_certain = effect.when == When::Always;
        let store = |state: &mut State, place: &models::Value, value: Value| {
            let Some(pointer) = pointer_to(place) else {
                return;
            };
            let targets = evaluate(&pointer).targets();
            if is_certain {
                state.write(&targets, &value);
            } else {
                state.forget_targets(&targets);
            }
        };
        match &effect.action {
            Action::Write { pointer, value, .. } => {
                let targets = evaluate(pointer).targets();
                match value {
                    Some(value) if is_certain => state.write(&targets, &evaluate(value)),
                    _ => state.forget_targets(&targets),
                }
            }
            Action::Copy { to, from, .. } => {
                let value = state.read(&evaluate(from).targets());
                let targets = evaluate(to).targets();
                if is_certain && targets != Targets::Unknown {
                    state.write(&targets, &value);
                } else {
                    state.forget_targets(&targets);
                }
            }
            Action::Allocate { result: place, .. } => {
                if *place == models::Value::result() {
                    result = Value::Address(Path::new(Root::Heap(site)));
                } else {
                    let object = Root::Heap(Site { part: 1, ..site });
                    store(state, place, Value::Address(Path::new(object)));
                }
            }
            Action::Start {
                handle: Some(handle),
                ..
            } => {
                // The handle stands for the thread as a pointer stands for what was allocated.
                // Where no thread was started, nobody looks at it.
                let place = pointer_to(handle).map(|pointer| evaluate(&pointer).targets());
                let thread = Value::Address(Path::new(Root::Heap(site)));
                state.write(&place.unwrap_or(Targets::Unknown), &thread);
            }
            Action::Atomic(atomic) => {
                let targets = atomic
                    .pointer
                    .as_ref()
                    .map_or(Targets::Unknown, |pointer| evaluate(pointer).targets());
                let old = state.read(&targets);
                let new = match (atomic.operation, &atomic.value) {
                    (AtomicOperation::Store | AtomicOperation::Exchange, Some(value)) => {
                        evaluate(value)
                    }
                    _ => Value::Anything,
                };
                if atomic.pointer.is_some() && atomic.operation != AtomicOperation::Load {
                    state.forget_targets(&targets);
                    if atomic.operation != AtomicOperation::CompareExchange {
                        state.write(&targets, &new);
                    }
                }
                if let Some(out) = &atomic.out {
                    store(state, out, Value::Anything);
                }
                if atomic.result == AtomicResult::Old {
                    result = old;
                }
            }
            _ => {}
        }
    }
    match &model.returns {
        Returns::Unknown => result,
        Returns::Value(value) => evaluate(value),
        Returns::Fresh => Value::Address(Path::new(Root::Heap(site))),
        Returns::Zero => Value::Constant(0),
    }
}

/// What a value of a model is at a call.
pub fn model_value(state: &State, arguments: &[Value], value: &models::Value) -> Value {
    let start = match value.root {
        models::Root::Argument(index) => arguments
            .get(usize::from(index))
            .cloned()
            .unwrap_or(Value::Anything),
        models::Root::Global(name) => Value::Address(Path::new(Root::Global(GlobalRef {
            name,
            scope: GlobalScope::External,
            thread_local: false,
        }))),
        models::Root::Constant(value) => Value::Constant(i128::from(value)),
        models::Root::ArgumentsFrom(_) | models::Root::Result | models::Root::Unknown => {
            Value::Anything
        }
    };
    value.path.iter().fold(start, |value, step| match step {
        models::Step::Dereference => state.read(&value.targets()),
        models::Step::Field(name) => member(state, &value, *name),
        models::Step::Member(record, name) => {
            let (record, name) = (*record, *name);
            value.map_targets(|path| path.clone().then(Step::Field { record, name }))
        }
        models::Step::Element => value.map_targets(|path| path.element(super::Index::Any)),
    })
}

/// The address of the member with this name. The model does not know the record, so it is the one that
/// was written.
fn member(state: &State, value: &Value, name: ustr::Ustr) -> Value {
    let Targets::Exactly(object) = value.targets() else {
        return Value::Anything;
    };
    let written = state.parts_of(&object).find_map(|(path, _)| {
        let steps = &path.steps[object.steps.len()..];
        let at = steps
            .iter()
            .position(|step| matches!(step, Step::Field { name: known, .. } if *known == name))?;
        Some(object.extended(&steps[..=at]))
    });
    written.map_or(Value::Anything, Value::Address)
}

/// For a value that names a place by following a pointer at its end: that pointer.
fn pointer_to(place: &models::Value) -> Option<models::Value> {
    match place.path.split_last() {
        Some((models::Step::Dereference, front)) => Some(models::Value {
            root: place.root,
            path: front.into(),
        }),
        _ => None,
    }
}
