//! What calls do to locks, in terms of the function that calls.

use super::domain::{Lockset, Mode};
use crate::dataflow::{Solution, visit_statements};
use crate::ir::{Body, Callee, FunctionRef, Statement, StatementId};
use crate::symexec::{Calls, Execution, Rebinding, State, Targets, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known about locks in the functions that a body calls.
pub trait LockCalls {
    fn lock_effect(&self, function: FunctionRef) -> Option<LockEffect>;
}

/// What a function does to locks, in its own terms.
#[derive(Clone, Debug)]
pub enum LockEffect {
    /// Takes the lock that the n-th argument points to.
    Acquire { argument: usize, mode: Mode },
    /// Releases the lock that the n-th argument points to.
    Release { argument: usize },
    /// A function of the program, from its entry to its return.
    Summary(Arc<Lockset>),
}

/// One step on a lockset, in the caller's terms.
#[derive(Clone, Debug)]
pub(super) enum LockStep {
    Acquire(crate::symexec::Path, Mode),
    Release(Targets),
    Call(Lockset),
}

/// The steps of all calls that touch locks.
pub(super) fn lock_steps(
    body: &Body,
    states: &Solution<State>,
    calls: &dyn Calls,
    locks: &dyn LockCalls,
) -> FxHashMap<StatementId, LockStep> {
    let mut steps = FxHashMap::default();
    let execution = Execution { body, calls };
    visit_statements(&execution, body, states, |state, id, statement| {
        let Statement::Call {
            callee, arguments, ..
        } = statement
        else {
            return;
        };
        let function = match callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(pointer) => match state.operand(pointer) {
                Value::Function(function) => function,
                _ => return,
            },
        };
        let Some(effect) = locks.lock_effect(function) else {
            return;
        };
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| state.operand(argument))
            .collect();
        let target = |index: usize| values.get(index).map_or(Targets::Unknown, Value::targets);
        let step = match effect {
            LockEffect::Acquire { argument, mode } => match target(argument) {
                Targets::Exactly(path) => Some(LockStep::Acquire(path, mode)),
                // A lock that cannot be named is not certainly held.
                Targets::OneOf(_) | Targets::Unknown => None,
            },
            LockEffect::Release { argument } => Some(LockStep::Release(target(argument))),
            LockEffect::Summary(lockset) => {
                let rebinding = Rebinding::new(state, &values);
                Some(LockStep::Call(lockset.rebound(|path| rebinding.path(path))))
            }
        };
        if let Some(step) = step {
            steps.insert(id, step);
        }
    });
    steps
}
