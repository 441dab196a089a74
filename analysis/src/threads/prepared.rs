//! What the calls of contexts lead to. It depends on the context and on the facts of its function alone, so that it is
//! found for many contexts side by side, before they are entered in their order.

use super::at_calls::{KnownStates, StatesAtCalls};
use super::context::{Context, ContextId, Held};
use super::contexts::Contexts;
use super::deciding::Deciding;
use crate::accesses::Facts;
use crate::callgraph::{CallGraph, FunctionId};
use crate::dataflow::Fixed;
use crate::ir::{BlockId, GlobalRef, GlobalScope, Landmark, StatementId};
use crate::locksets::Mode;
use crate::models::{self, Action};
use crate::symexec::{Path, Root, Value};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use ustr::Ustr;

/// What is known before any context is.
pub(super) struct Surroundings<'f> {
    pub graph: &'f CallGraph<'f>,
    pub facts: &'f Facts,
    pub deciding: Arc<Deciding>,
    pub states: KnownStates,
    /// What functions did before an edit.
    pub before: Option<PreparedBefore<'f>>,
}

/// The contexts of a program before it was edited: what a function did in one of them it still does, if it is the same.
pub(super) struct PreparedBefore<'f> {
    pub contexts: &'f Contexts,
    /// By function, whether its facts and its text are the same.
    pub is_same: Vec<bool>,
}

impl PreparedBefore<'_> {
    fn find(&self, function: FunctionId, context: &Fixed<Context>) -> Option<PreparedContext> {
        let index = function.0 as usize;
        if !self.is_same[index] {
            return None;
        }
        let known = &self.contexts.functions[index];
        let id = known.with_content(context)?;
        let calls = known.contexts[id.0 as usize].calls.as_ref()?.iter();
        let calls = calls.map(|call| Entered {
            target: call.callee,
            context: call.entered.clone(),
            at: call.at,
            repeats: call.repeats,
        });
        Some(PreparedContext {
            left_out: self.contexts.left_out[index].of(id),
            calls: calls.collect(),
        })
    }
}

/// What a function does in a context.
pub(super) struct PreparedContext {
    /// Blocks that control does not get to.
    pub left_out: BTreeSet<BlockId>,
    /// In the order of the function.
    pub calls: Vec<Entered>,
}

/// A call in a context.
pub(super) struct Entered {
    pub target: FunctionId,
    pub context: Fixed<Context>,
    pub at: Landmark,
    pub repeats: bool,
}

/// Contexts that have been looked at and not visited yet.
#[derive(Default)]
pub(super) struct Prepared(FxHashMap<(FunctionId, ContextId), PreparedContext>);

impl Prepared {
    pub fn has(&self, function: FunctionId, id: ContextId) -> bool {
        self.0.contains_key(&(function, id))
    }

    /// What a function does in a context, which is not needed again.
    pub fn take(
        &mut self,
        surroundings: &Surroundings<'_>,
        function: FunctionId,
        id: ContextId,
        context: &Fixed<Context>,
    ) -> PreparedContext {
        let known = self.0.remove(&(function, id));
        known.unwrap_or_else(|| surroundings.prepared(function, context))
    }

    pub fn add(
        &mut self,
        surroundings: &Surroundings<'_>,
        contexts: Vec<(FunctionId, ContextId, Fixed<Context>)>,
    ) {
        let found = contexts.into_par_iter().map(|(function, id, context)| {
            let prepared = surroundings.prepared(function, &context);
            ((function, id), prepared)
        });
        self.0.par_extend(found);
    }
}

impl Surroundings<'_> {
    pub fn prepared(&self, function: FunctionId, context: &Fixed<Context>) -> PreparedContext {
        let known = self.before.as_ref();
        if let Some(known) = known.and_then(|known| known.find(function, context)) {
            return known;
        }
        let facts = &self.facts[function.0 as usize];
        let body = self.graph.functions.body(function);
        let left_out = facts.branches.left_out(&context.certain);
        let is_reached = |statement: StatementId| !left_out.contains(&statement.block);
        let mut states = StatesAtCalls::new(&self.states, context, body);
        let mut calls = Vec::new();
        for call in facts.calls.iter().filter(|call| is_reached(call.statement)) {
            for target in self.called(function, context, call.callee.as_ref(), &call.targets) {
                let parameters = self.graph.functions.body(target).parameters;
                let entered = context.of_call(function, body, call, parameters, &mut states);
                calls.push(Entered {
                    target,
                    context: self.entered(target, entered),
                    at: body.landmark(call.statement),
                    repeats: call.repeats,
                });
            }
        }
        PreparedContext { left_out, calls }
    }

    /// What a value that is called reaches in a context: one function, if the context knows the pointer.
    pub fn called(
        &self,
        function: FunctionId,
        context: &Context,
        value: Option<&Value>,
        otherwise: &[FunctionId],
    ) -> Vec<FunctionId> {
        let binder = context.binder(self.graph.functions.body(function));
        match value.map(|value| binder.value(value)) {
            Some(Value::Function(name)) => self.graph.functions.resolve(name).to_vec(),
            _ => otherwise.to_vec(),
        }
    }

    /// A context as its function finds it.
    pub fn entered(&self, function: FunctionId, mut context: Context) -> Fixed<Context> {
        self.add_wrapping_locks(function, &mut context);
        self.deciding.keep(function, &mut context.certain);
        Fixed::new(context)
    }

    /// Locks that every caller of a function takes by calling it, as its model says.
    fn add_wrapping_locks(&self, function: FunctionId, context: &mut Context) {
        let Some(model) = self.graph.wrapping_model(function) else {
            return;
        };
        for effect in &model.effects {
            match &effect.action {
                Action::Body => break,
                Action::Acquire { lock, mode, .. } => {
                    if let models::Root::Global(name) = lock.root {
                        let lock = library_lock(name);
                        let mode = match mode {
                            models::Mode::Exclusive => Mode::Exclusive,
                            models::Mode::Shared => Mode::Shared,
                        };
                        let held = Held {
                            mode,
                            by: function,
                            at: None,
                        };
                        context.held.insert(lock, held);
                    }
                }
                _ => {}
            }
        }
    }
}

/// A lock inside a library, by the name that models give it.
fn library_lock(name: Ustr) -> Path {
    Path::new(Root::Global(GlobalRef {
        name,
        scope: GlobalScope::External,
        thread_local: false,
    }))
}
