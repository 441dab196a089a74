//! What a function does to values, for its callers.

use super::execution::{Calls, Execution};
use super::path::{Path, Root};
use super::state::State;
use super::value::Value;
use crate::dataflow::{Domain, Solution, solve};
use crate::ir::{BlockId, Body, StatementId, Terminator};

/// A function's effect in terms of its formals and of globals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ValueSummary {
    /// What it returns.
    pub result: Value,
    /// What memory that it wrote holds at its end.
    pub stores: Vec<(Path, Value)>,
    /// It wrote more than it could tell.
    pub forgot: bool,
}

/// Executes a function symbolically; returns its summary and the states in front of its blocks.
pub fn summarise(body: &Body, calls: &dyn Calls) -> (ValueSummary, Solution<State>) {
    let execution = Execution { body, calls };
    let solution = solve(&execution, body);
    let mut result = Value::Nothing;
    let mut exit: Option<State> = None;
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Return(returned) = &block.terminator else {
            continue;
        };
        let Some(mut state) = solution.entries[index].clone() else {
            continue;
        };
        for (position, statement) in block.statements.iter().enumerate() {
            let id = StatementId {
                block: BlockId(index as u32),
                index: position as u32,
            };
            crate::dataflow::Analysis::statement(&execution, &mut state, id, statement);
        }
        if let Some(returned) = returned {
            result.join(&without_locals(state.operand(returned)));
        }
        match &mut exit {
            Some(exit) => {
                exit.join(&state);
            }
            None => exit = Some(state),
        }
    }
    let summary = match exit {
        Some(exit) => ValueSummary {
            result,
            stores: exit
                .written()
                .filter(|(path, _)| !matches!(path.root, Root::Local(_)))
                .map(|(path, value)| (path.clone(), without_locals(value.clone())))
                .collect(),
            forgot: exit.forgot(),
        },
        // It never returns.
        None => ValueSummary::default(),
    };
    (summary, solution)
}

/// A caller cannot name the callee's locals.
fn without_locals(value: Value) -> Value {
    let is_local = |path: &Path| matches!(path.root, Root::Local(_));
    match &value {
        Value::Address(path) | Value::Entry(path) if is_local(path) => Value::Anything,
        Value::OneOf(paths) if paths.iter().any(is_local) => Value::Anything,
        _ => value,
    }
}
