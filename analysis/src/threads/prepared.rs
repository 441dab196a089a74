//! What the calls of contexts lead to. It depends on the context and on the facts of its function alone, so that others
//! find it out while contexts are entered in their order.

use super::at_calls::{KnownStates, StatesAtCalls};
use super::context::{Context, ContextId, Held};
use super::contexts::Contexts;
use super::deciding::Deciding;
use crate::accesses::Facts;
use crate::branches::Certain;
use crate::callgraph::{CallGraph, FunctionId};
use crate::dataflow::Fixed;
use crate::ir::{BlockId, FunctionRef, GlobalRef, GlobalScope, Landmark, StatementId};
use crate::locksets::Mode;
use crate::models::{self, Action};
use crate::stop::{self, Aside, Stop};
use crate::symexec::{Path, Root, Value};
use rayon::Scope;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use ustr::Ustr;

/// What is known before any context is.
pub(super) struct Surroundings<'f> {
    pub graph: &'f CallGraph<'f>,
    pub facts: &'f Facts,
    pub deciding: Arc<Deciding>,
    pub states: Aside<KnownStates>,
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
    /// The number that a context had, if what its function does in it is known.
    fn known(&self, function: FunctionId, context: &Fixed<Context>) -> Option<ContextId> {
        let index = function.0 as usize;
        let known = &self.contexts.functions[index];
        let is_same = self.is_same[index];
        let id = is_same.then(|| known.with_content(context))??;
        let calls = &known.contexts[id.0 as usize].calls;
        calls.is_some().then_some(id)
    }

    fn find(&self, function: FunctionId, context: &Fixed<Context>) -> Option<PreparedContext> {
        let index = function.0 as usize;
        let id = self.known(function, context)?;
        let known = &self.contexts.functions[index];
        let calls = known.contexts[id.0 as usize].calls().iter();
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

/// Contexts that have been found and not visited yet: what their calls lead to is found by whoever has nothing else to
/// do, or when it is needed.
pub(super) struct Preparation<'p, 's> {
    surroundings: &'s Surroundings<'s>,
    stop: &'s Stop,
    helpers: &'p Scope<'s>,
    waiting: Aside<Waiting>,
}

type Waiting = FxHashMap<(FunctionId, ContextId), Arc<Mutex<Step>>>;

/// How far the preparation of a context is. Who finds it out has the lock.
enum Step {
    Waiting,
    Done(PreparedContext),
    Visited,
}

impl<'p, 's> Preparation<'p, 's> {
    pub fn new(
        surroundings: &'s Surroundings<'s>,
        stop: &'s Stop,
        helpers: &'p Scope<'s>,
    ) -> Preparation<'p, 's> {
        Preparation {
            surroundings,
            stop,
            helpers,
            waiting: stop.aside(Waiting::default()),
        }
    }

    /// A context was found, and will be visited.
    pub fn begin(&mut self, function: FunctionId, id: ContextId, context: &Fixed<Context>) {
        // To have a helper wake up takes longer than to look it up.
        let before = self.surroundings.before.as_ref();
        if before.is_some_and(|before| before.known(function, context).is_some()) {
            return;
        }
        let step = Arc::new(Mutex::new(Step::Waiting));
        self.waiting.insert((function, id), step.clone());
        let (surroundings, stop) = (self.surroundings, self.stop);
        let context = context.clone();
        self.helpers.spawn(move |_| {
            // If it is locked, somebody is at it.
            let Ok(mut step) = step.try_lock() else {
                return;
            };
            if matches!(*step, Step::Waiting) && !stop.is_set() {
                *step = Step::Done(stop.heard(|| surroundings.prepared(function, &context)));
            }
        });
    }

    /// What a function does in a context, which is not needed again.
    pub fn take(
        &mut self,
        function: FunctionId,
        id: ContextId,
        context: &Fixed<Context>,
    ) -> PreparedContext {
        let step = self.waiting.remove(&(function, id)).map(|step| {
            let mut step = step.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *step, Step::Visited)
        });
        match step {
            Some(Step::Done(prepared)) => prepared,
            _ => self.surroundings.prepared(function, context),
        }
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
            stop::ask();
            let targets = self.called(function, context, call.callee.as_ref(), &call.targets);
            let mut of_call = |parameters| {
                let states = &mut states;
                context.of_call(function, body, call, parameters, states)
            };
            debug_assert!(self.graph.are_entered(function, &targets));
            let at = body.landmark(call.statement);
            let repeats = call.repeats;
            let entered = self.targets_entered(&targets, &mut of_call);
            calls.extend(
                targets
                    .iter()
                    .zip(entered)
                    .map(|(target, context)| Entered {
                        target: *target,
                        context,
                        at,
                        repeats,
                    }),
            );
        }
        PreparedContext { left_out, calls }
    }

    /// What a value that is called reaches in a context: one of these functions, if the context knows the pointer.
    fn called(
        &self,
        function: FunctionId,
        context: &Context,
        value: Option<&Value>,
        possible: &[FunctionId],
    ) -> Vec<FunctionId> {
        let name = self.function_in(function, context, value);
        let narrowed = name.and_then(|name| self.graph.narrowed(name, possible));
        narrowed.unwrap_or_else(|| possible.to_vec())
    }

    /// The functions at which a thread begins that is started with a value: one, if the context knows the pointer.
    pub fn started(
        &self,
        function: FunctionId,
        context: &Context,
        value: Option<&Value>,
        otherwise: &[FunctionId],
    ) -> Vec<FunctionId> {
        match self.function_in(function, context, value) {
            Some(name) => self.graph.functions.resolve(name).to_vec(),
            None => otherwise.to_vec(),
        }
    }

    fn function_in(
        &self,
        function: FunctionId,
        context: &Context,
        value: Option<&Value>,
    ) -> Option<FunctionRef> {
        let binder = context.binder(self.graph.functions.body(function));
        match binder.value(value?) {
            Value::Function(name) => Some(name),
            _ => None,
        }
    }

    /// The context of each function that a call may reach, where `of_call` finds that of one with so many parameters.
    /// A pointer may lead to hundreds of functions, and most of them find the same.
    fn targets_entered(
        &self,
        targets: &[FunctionId],
        of_call: &mut dyn FnMut(usize) -> Context,
    ) -> Vec<Fixed<Context>> {
        let parameters = |target: FunctionId| self.graph.functions.body(target).parameters;
        if let [only] = targets {
            return vec![self.entered(*only, of_call(parameters(*only)))];
        }
        let mut by_parameters: BTreeMap<usize, Context> = BTreeMap::new();
        let mut known: FxHashMap<(usize, BTreeMap<u32, Certain>), Fixed<Context>> =
            FxHashMap::default();
        let mut entered = Vec::with_capacity(targets.len());
        for target in targets {
            let parameters = parameters(*target);
            let context = by_parameters.entry(parameters);
            let context = context.or_insert_with(|| of_call(parameters));
            if self.graph.wrapping_model(*target).is_some() {
                entered.push(self.entered(*target, context.clone()));
                continue;
            }
            let mut certain = context.certain.clone();
            self.deciding.keep(*target, &mut certain);
            let found = known
                .entry((parameters, certain))
                .or_insert_with_key(|key| {
                    Fixed::new(Context {
                        certain: key.1.clone(),
                        ..context.clone()
                    })
                });
            entered.push(found.clone());
        }
        entered
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
