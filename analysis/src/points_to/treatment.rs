//! What the model of a library function says about the pointers that it gets and returns.

use crate::models::{Action, FunctionModel, Returns, Root, Size, Step, Value};

/// What becomes of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Treatment {
    /// It is looked at or freed.
    HandedOn,
    /// What it points to is read or written, but no pointer there.
    Touched,
    Kept,
}

pub(super) fn allocates(model: &FunctionModel) -> bool {
    let allocates = model.effects.iter().any(|effect| {
        matches!(&effect.action, Action::Allocate { result, .. } if *result == Value::result())
    });
    allocates || model.returns == Returns::Fresh
}

/// The arguments whose contents the result gets.
pub(super) fn copied_into_result(model: &FunctionModel) -> Vec<usize> {
    let mut arguments = Vec::new();
    for effect in &model.effects {
        if let Action::Copy { to, from, size } = &effect.action
            && to.root == Root::Result
            && *size != Size::String
            && let Root::Argument(index) = from.root
        {
            arguments.push(usize::from(index));
        }
    }
    arguments
}

pub(super) fn treatment(model: &FunctionModel, argument: usize) -> Treatment {
    let concerns = |value: &Value| match value.root {
        Root::Argument(index) => usize::from(index) == argument,
        Root::ArgumentsFrom(first) => usize::from(first) <= argument,
        Root::Result | Root::Global(_) | Root::Constant(_) | Root::Unknown => false,
    };
    let if_concerned = |value: &Value, treatment: Treatment| {
        if concerns(value) {
            treatment
        } else {
            Treatment::HandedOn
        }
    };
    let mut worst = Treatment::HandedOn;
    for effect in &model.effects {
        let found = match &effect.action {
            Action::Read { pointer, .. } => if_concerned(pointer, Treatment::Touched),
            Action::Write { pointer, value, .. } => {
                let written = value.as_ref().map_or(Treatment::HandedOn, |value| {
                    if_concerned(value, Treatment::Kept)
                });
                let into = match value {
                    Some(_) => Treatment::Kept,
                    None => Treatment::Touched,
                };
                written.max(if_concerned(pointer, into))
            }
            Action::Copy { to, from, size } => {
                if to.root == Root::Result {
                    Treatment::HandedOn
                } else if *size == Size::String {
                    if_concerned(to, Treatment::Touched).max(if_concerned(from, Treatment::Touched))
                } else {
                    if_concerned(to, Treatment::Kept).max(if_concerned(from, Treatment::Kept))
                }
            }
            Action::Start {
                entry, arguments, ..
            }
            | Action::Once {
                entry, arguments, ..
            }
            | Action::Call {
                function: entry,
                arguments,
            } => {
                let all = arguments.iter().chain([entry]);
                let all = all.map(|value| if_concerned(value, Treatment::Kept));
                all.max().unwrap_or(Treatment::HandedOn)
            }
            Action::Allocate { result, .. } => if_concerned(result, Treatment::Kept),
            Action::Atomic(_) => Treatment::Kept,
            Action::Acquire { lock: object, .. }
            | Action::Release { lock: object }
            | Action::InitialiseLock { lock: object, .. }
            | Action::DestroyLock { lock: object }
            | Action::Wait { lock: object, .. }
            | Action::Post { object }
            | Action::InitialiseSignal { object, .. }
            | Action::WaitFor { object } => if_concerned(object, Treatment::Touched),
            Action::Join { .. }
            | Action::Detach { .. }
            | Action::EndThread
            | Action::Free { .. }
            | Action::Body => Treatment::HandedOn,
        };
        worst = worst.max(found);
    }
    match &model.returns {
        Returns::Value(value) if returned_argument(model) != Some(argument) => {
            worst.max(if_concerned(value, Treatment::Kept))
        }
        _ => worst,
    }
}

/// The argument that comes back as the result, as that of `memset` does.
pub(super) fn returned_argument(model: &FunctionModel) -> Option<usize> {
    match &model.returns {
        Returns::Value(Value {
            root: Root::Argument(index),
            path,
        }) if path.iter().all(|step| *step == Step::Element) => Some(usize::from(*index)),
        _ => None,
    }
}
