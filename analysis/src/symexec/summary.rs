//! What a function does to values, for its callers.

use super::execution::Execution;
use super::path::{Path, Root, Site, Step};
use super::state::State;
use super::value::Value;
use crate::dataflow::{Domain, Solution, solve};
use crate::ir::{BlockId, Body, RecordRef, Terminator};
use std::collections::BTreeSet;
use ustr::Ustr;

/// A function's effect in terms of its formals and of globals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ValueSummary {
    /// What it returns.
    pub result: Value,
    /// What memory that it wrote holds at its end.
    pub stores: Vec<(Path, Value)>,
    /// Members that it wrote in objects that no caller can name.
    pub clobbered: BTreeSet<(RecordRef, Ustr)>,
    /// It wrote more than it could tell.
    pub forgot: bool,
    /// The allocations that the summary speaks of, sorted.
    pub heap: Vec<Site>,
}

impl ValueSummary {
    /// Makes it hold for both. What only one of them wrote holds anything.
    pub fn join(&mut self, other: &ValueSummary) {
        self.result.join(&other.result);
        let stored = |stores: &[(Path, Value)], path: &Path| {
            let found = stores.iter().find(|(known, _)| known == path);
            found.map_or(Value::Anything, |(_, value)| value.clone())
        };
        let mut stores: Vec<(Path, Value)> = Vec::new();
        for (path, _) in self.stores.iter().chain(&other.stores) {
            if stores.iter().any(|(known, _)| known == path) {
                continue;
            }
            let mut value = stored(&self.stores, path);
            value.join(&stored(&other.stores, path));
            stores.push((path.clone(), value));
        }
        stores.sort_by(|left, right| left.0.cmp(&right.0));
        self.stores = stores;
        self.clobbered.extend(&other.clobbered);
        self.forgot |= other.forgot;
        self.heap.extend(&other.heap);
        self.heap.sort_unstable();
        self.heap.dedup();
    }
}

/// Executes a function symbolically; returns its summary and the states in front of its blocks.
pub fn summarise(body: &Body, execution: &Execution<'_>) -> (ValueSummary, Solution<State>) {
    let solution = solve(execution, body);
    let mut result = Value::Nothing;
    let mut exit: Option<State> = None;
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Return(returned) = &block.terminator else {
            continue;
        };
        let Some(state) = execution.exit_state(&solution, BlockId(index as u32)) else {
            continue;
        };
        if let Some(returned) = returned {
            result.join(&for_callers(state.operand(returned)));
        }
        match &mut exit {
            Some(exit) => {
                exit.join(&state);
            }
            None => exit = Some(state),
        }
    }
    // Without an exit it never returns.
    let summary = exit.map_or_else(ValueSummary::default, |exit| summary_of(result, &exit));
    (summary, solution)
}

fn summary_of(result: Value, exit: &State) -> ValueSummary {
    let mut summary = ValueSummary {
        result,
        clobbered: exit.clobbered().clone(),
        forgot: exit.forgot(),
        ..ValueSummary::default()
    };
    for (path, value) in exit.written() {
        if path.is_known_outside() {
            summary
                .stores
                .push((path.clone(), for_callers(value.clone())));
        } else if !matches!(path.root, Root::Local(_)) || path.steps.contains(&Step::Deref) {
            match path.last_field() {
                Some(field) => {
                    summary.clobbered.insert(field);
                }
                None => summary.forgot = true,
            }
        }
    }
    let mut heap = BTreeSet::new();
    collect_heap(&summary.result, &mut heap);
    for (path, value) in &summary.stores {
        if let Root::Heap(site) = path.root {
            heap.insert(site);
        }
        collect_heap(value, &mut heap);
    }
    summary.heap = heap.into_iter().collect();
    summary
}

fn collect_heap(value: &Value, heap: &mut BTreeSet<Site>) {
    let mut add = |path: &Path| {
        if let Root::Heap(site) = path.root {
            heap.insert(site);
        }
    };
    match value {
        Value::Entry(path) | Value::Address(path) => add(path),
        Value::OneOf(paths) => paths.iter().for_each(add),
        Value::Nothing | Value::Anything | Value::Constant(_) | Value::Function(_) => {}
    }
}

/// A caller cannot name the callee's locals and intermediate values.
fn for_callers(value: Value) -> Value {
    match &value {
        Value::Address(path) | Value::Entry(path) if !path.is_known_outside() => Value::Anything,
        Value::OneOf(paths) if !paths.iter().all(Path::is_known_outside) => Value::Anything,
        _ => value,
    }
}
