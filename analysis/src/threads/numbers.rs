//! Numbers that threads find in the memory that they are given.

use crate::accesses::{Access, Facts, FunctionFacts, StartFact};
use crate::callgraph::{CallGraph, FunctionId};
use crate::ir::AccessKind;
use crate::points_to::{Class, PointsTo};
use crate::symexec::{Path, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Who writes the memory that numbers are handed over in.
#[derive(Default, PartialEq)]
pub(super) struct HandedNumbers {
    writers: FxHashMap<Class, BTreeSet<FunctionId>>,
}

impl HandedNumbers {
    pub fn new(graph: &CallGraph<'_>, facts: &Facts) -> HandedNumbers {
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
                for part in parts(graph.points_to(), access) {
                    if let Some(known) = writers.get_mut(part) {
                        known.insert(function);
                    }
                }
            }
        }
        HandedNumbers { writers }
    }

    /// Whether that is the same after an edit of these functions. Classes must have the same parts as before.
    pub fn are_right_for(
        &self,
        points_to: &PointsTo,
        now: &Facts,
        before: &Facts,
        changed: &BTreeSet<FunctionId>,
    ) -> bool {
        let handed = |facts: &FunctionFacts| -> BTreeSet<Class> {
            let contents = facts.starts.iter().flat_map(|start| &start.contents);
            contents.map(|content| content.class).collect()
        };
        changed.iter().all(|function| {
            let index = function.0 as usize;
            let (now, before) = (&now[index], &before[index]);
            handed(now) == handed(before)
                && (self.writers.is_empty()
                    || self.written_in(points_to, now) == self.written_in(points_to, before))
        })
    }

    /// The memory that numbers are handed over in and that a function writes.
    fn written_in(&self, points_to: &PointsTo, facts: &FunctionFacts) -> BTreeSet<Class> {
        let mut found = BTreeSet::new();
        for access in &facts.accesses {
            if access.kind != AccessKind::Read {
                let parts = parts(points_to, access).iter().copied();
                found.extend(parts.filter(|part| self.writers.contains_key(part)));
            }
        }
        found
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

/// The memory that an access touches.
fn parts<'p>(points_to: &'p PointsTo, access: &'p Access) -> &'p [Class] {
    if access.cell.whole {
        points_to.parts(access.cell.class)
    } else {
        std::slice::from_ref(&access.cell.class)
    }
}
