//! Numbers that threads find in the memory that they are given.

use crate::accesses::{FunctionFacts, StartFact};
use crate::callgraph::{CallGraph, FunctionId};
use crate::ir::AccessKind;
use crate::points_to::Class;
use crate::symexec::{Path, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who writes the memory that numbers are handed over in.
#[derive(Default, PartialEq)]
pub(super) struct HandedNumbers {
    writers: FxHashMap<Class, BTreeSet<FunctionId>>,
}

impl HandedNumbers {
    pub fn new(graph: &CallGraph<'_>, facts: &[Arc<FunctionFacts>]) -> HandedNumbers {
        let starts = facts.iter().flat_map(|facts| &facts.starts);
        let contents = starts.flat_map(|start| &start.contents);
        let mut writers: FxHashMap<Class, BTreeSet<FunctionId>> = contents
            .map(|content| (content.class, BTreeSet::new()))
            .collect();
        if writers.is_empty() {
            return HandedNumbers { writers };
        }
        for function in graph.functions.ids() {
            for access in &facts[function.0 as usize].accesses {
                if access.kind == AccessKind::Read {
                    continue;
                }
                let parts = if access.cell.whole {
                    graph.points_to().parts(access.cell.class)
                } else {
                    std::slice::from_ref(&access.cell.class)
                };
                for part in parts {
                    if let Some(known) = writers.get_mut(part) {
                        known.insert(function);
                    }
                }
            }
        }
        HandedNumbers { writers }
    }

    /// The numbers that a thread finds, where no other function than its starter writes them.
    pub fn of(&self, starter: FunctionId, start: &StartFact) -> BTreeMap<Path, Value> {
        let lasting = start.contents.iter().filter(|content| {
            let writers = self.writers.get(&content.class);
            writers.is_none_or(|writers| writers.iter().all(|writer| *writer == starter))
        });
        lasting
            .map(|content| (content.place.clone(), content.value.clone()))
            .collect()
    }
}
