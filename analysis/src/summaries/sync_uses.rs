//! What one function does to objects that may order threads, by its text and its pointers alone.

use super::flags;
use super::semaphores;
use super::takings::{Taking, takings};
use super::tokens::{self, TokenUse};
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::ir::{Callee, Statement, StatementId};
use crate::points_to::{Class, Reads, recording};
use crate::shared_list::SharedList;
use std::sync::Arc;

/// Those of all functions, by number.
pub(super) type AllSyncUses = SharedList<Arc<SyncUses>>;

pub(super) struct SyncUses {
    /// Memory that it reads and sets, by class.
    pub flags: Box<[(Class, flags::Uses)]>,
    /// First values that it gives to semaphores.
    pub semaphores: Vec<(Class, Option<i128>)>,
    pub tokens: Vec<TokenUse>,
    pub takings: Vec<Taking>,
    /// Its calls that lead to one function only.
    pub calls: Box<[(StatementId, FunctionId)]>,
    /// The answers about pointers that this depends on.
    pub reads: Reads,
}

impl SyncUses {
    pub fn of(graph: &CallGraph<'_>, function: FunctionId) -> SyncUses {
        let (uses, reads) = recording(|| SyncUses::found(graph, function));
        SyncUses { reads, ..uses }
    }

    fn found(graph: &CallGraph<'_>, function: FunctionId) -> SyncUses {
        let body = graph.functions.body(function);
        let points_to = graph.points_to();
        let mut uses = SyncUses {
            flags: flags::uses(graph, function),
            semaphores: Vec::new(),
            tokens: Vec::new(),
            takings: takings(graph, function),
            calls: Box::default(),
            reads: Reads::default(),
        };
        let mut calls = Vec::new();
        for (id, statement) in body.statements() {
            let Statement::Call {
                target: result,
                callee: Callee::Direct(name),
                arguments,
            } = statement
            else {
                continue;
            };
            let targets = graph.targets(function, id, Some(*name), arguments.len());
            if let [Target::Body(callee)] = targets.as_slice() {
                calls.push((id, *callee));
            }
            for target in targets {
                if let Target::Model(model) = target {
                    let given = semaphores::uses(body, points_to, model, *result, arguments);
                    uses.semaphores.extend(given);
                    let touched = tokens::uses(body, points_to, id, model, arguments);
                    uses.tokens.extend(touched);
                }
            }
        }
        uses.calls = calls.into();
        uses
    }
}
