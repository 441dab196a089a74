//! What the promises of a function without a body say that it does.

use crate::ir::{Contract, GlobalScope, LockBase, LockName, LockStep};
use crate::models::{
    Action, Effect, FunctionModel, LockKind, Mode, Returns, Root, Step, Test, Value, When,
};
use ustr::Ustr;

/// A model of the function. `None` if it promises to take or release nothing.
pub fn model<'c>(contracts: impl IntoIterator<Item = &'c Contract>) -> Option<FunctionModel> {
    let effects: Vec<Effect> = contracts.into_iter().filter_map(effect).collect();
    (!effects.is_empty()).then(|| FunctionModel {
        library: Ustr::from("the program's annotations"),
        arguments: None,
        variadic: false,
        effects: effects.into(),
        returns: Returns::Unknown,
        noreturn: false,
        pure: false,
        replaces_body: false,
    })
}

fn effect(contract: &Contract) -> Option<Effect> {
    let acquire = |lock: &LockName, shared: bool, when: When| {
        Some(Effect {
            when,
            action: Action::Acquire {
                lock: address(lock)?,
                mode: if shared {
                    Mode::Shared
                } else {
                    Mode::Exclusive
                },
                kind: if shared {
                    LockKind::ReadWrite
                } else {
                    LockKind::Mutex
                },
                recursive: false,
                blocking: when == When::Always,
            },
        })
    };
    match contract {
        Contract::Acquires { lock, shared } => acquire(lock, *shared, When::Always),
        Contract::TriesToAcquire { lock, shared, on } => {
            let test = if *on { Test::NonZero } else { Test::Zero };
            acquire(lock, *shared, When::Result(test))
        }
        Contract::Releases(lock) => Some(Effect {
            when: When::Always,
            action: Action::Release {
                lock: address(lock)?,
            },
        }),
        Contract::GuardedBy(_)
        | Contract::PointeeGuardedBy(_)
        | Contract::Requires { .. }
        | Contract::NotAnalysed => None,
    }
}

/// The address of a lock at a call. `None` for what a model cannot name.
fn address(lock: &LockName) -> Option<Value> {
    let (root, steps) = match (lock.base, lock.steps.as_slice()) {
        // The argument is the address of what the parameter points to.
        (LockBase::Parameter(index), [LockStep::Deref, rest @ ..]) => {
            (Root::Argument(u8::try_from(index).ok()?), rest)
        }
        (LockBase::Global(global), steps) if global.scope == GlobalScope::External => {
            (Root::Global(global.name), steps)
        }
        _ => return None,
    };
    let steps = steps.iter().map(|step| match step {
        LockStep::Deref => Step::Dereference,
        LockStep::Field { record, name } => Step::Member(*record, *name),
    });
    Some(Value {
        root,
        path: steps.collect(),
    })
}
