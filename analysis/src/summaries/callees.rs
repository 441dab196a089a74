//! What the calls of one function do, from models and from summaries of the functions they reach.

use super::known::{Known, Summary};
use super::objects::SyncObjects;
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::dataflow::{Liveness, Loops, Solution};
use crate::forks::{ForkCalls, ForkEffect, ForkSolution, forks};
use crate::ir::{Body, GlobalRef, LocalId, Operand, Place, Statement, StatementId};
use crate::locksets::{LockCalls, LockEffect, LocksetSolution, locksets};
use crate::models::{self, Action, FunctionModel, Root, Step};
use crate::ownership::{self, SharingCalls, SharingEffect, SharingSolution, sharing};
use crate::points_to::{Class, Object};
use crate::references::{ReferenceCalls, ReferenceEffect, ReferenceSolution, references};
use crate::signals::{SignalCalls, SignalEffect, SignalSolution, signals};
use crate::symexec::{CallEffect, CallSite, Calls, Execution, State, ValueSummary, summarise};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A function in front of what its callees do.
#[derive(Clone, Copy)]
pub struct Callees<'s> {
    pub function: FunctionId,
    pub graph: &'s CallGraph<'s>,
    pub summaries: Known<'s>,
    pub objects: &'s SyncObjects,
}

/// A function that has been executed symbolically.
pub struct Executed<'e> {
    pub body: &'e Body,
    pub execution: &'e Execution<'e>,
    pub values: ValueSummary,
    pub states: Solution<State>,
}

/// What an execution has found, kept for the next one.
pub struct Values {
    pub summary: Arc<ValueSummary>,
    pub states: Solution<State>,
}

/// A function of which everything is known that its own text and its callees' summaries tell.
pub struct Analysed<'e> {
    pub body: &'e Body,
    pub execution: &'e Execution<'e>,
    pub states: &'e Solution<State>,
    pub locks: LocksetSolution<'e>,
    pub forks: ForkSolution<'e>,
    pub sharing: SharingSolution<'e>,
    pub signals: SignalSolution,
    pub references: ReferenceSolution<'e>,
}

impl Callees<'_> {
    /// Summarises the function; `then` gets more out of it while its states are there.
    pub fn analyse<T>(&self, then: impl FnOnce(&Analysed<'_>) -> T) -> (Summary, T) {
        self.analyse_from(None, then)
    }

    /// The same, for a function that may have been executed before with these effects of its callees on values.
    pub fn analyse_from<T>(
        &self,
        before: Option<&Values>,
        then: impl FnOnce(&Analysed<'_>) -> T,
    ) -> (Summary, T) {
        self.execute_from(before, |run| {
            let locks = locksets(run.body, &run.states, run.execution, self);
            let known = ownership::Known {
                body: run.body,
                states: &run.states,
                execution: run.execution,
                locks: &locks,
                points_to: self.graph.points_to(),
            };
            let sharing = sharing(&known, self);
            let analysed = Analysed {
                body: run.body,
                execution: run.execution,
                states: &run.states,
                signals: signals(run.body, &run.states, run.execution, &locks, self),
                locks,
                forks: forks(run.body, &run.states, run.execution, self),
                references: references(run.body, &run.states, run.execution, self),
                sharing,
            };
            let result = then(&analysed);
            let summary = Summary {
                values: Arc::new(run.values),
                locks: Arc::new(analysed.locks.summary),
                forks: Arc::new(analysed.forks.summary),
                sharing: Arc::new(analysed.sharing.summary),
                signals: Arc::new(analysed.signals.summary),
                references: Arc::new(analysed.references.summary),
            };
            (summary, result)
        })
    }

    /// Summarises the function as long as nothing is known of others that it is called by; what is known of objects is
    /// left out.
    pub fn analyse_alone(&self) -> (Summary, Solution<State>) {
        self.execute_from(None, |run| {
            let locks = locksets(run.body, &run.states, run.execution, self);
            let signals = signals(run.body, &run.states, run.execution, &locks, self);
            let forks = forks(run.body, &run.states, run.execution, self);
            let references = references(run.body, &run.states, run.execution, self);
            let summary = Summary {
                values: Arc::new(run.values),
                locks: Arc::new(locks.summary),
                forks: Arc::new(forks.summary),
                sharing: Arc::default(),
                signals: Arc::new(signals.summary),
                references: Arc::new(references.summary),
            };
            (summary, run.states)
        })
    }

    /// Whether a call may reach one of these functions.
    pub fn reaches<T>(&self, call: CallSite, functions: &BTreeMap<u32, T>) -> bool {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        targets.into_iter().any(|target| match target {
            Target::Body(body) => functions.contains_key(&body.0),
            Target::Model(_) => false,
        })
    }

    /// Executes the function; what is computed from that must not outlive it.
    pub fn execute<T>(&self, then: impl FnOnce(Executed<'_>) -> T) -> T {
        self.execute_from(None, then)
    }

    /// The same, for a function that may have been executed before with these effects of its callees on values.
    pub fn execute_from<T>(
        &self,
        before: Option<&Values>,
        then: impl FnOnce(Executed<'_>) -> T,
    ) -> T {
        let body: &Body = self.graph.functions.body(self.function);
        let (loops, liveness) = (Loops::new(body), Liveness::new(body));
        let execution = Execution::new(body, self, &loops, &liveness);
        let (values, states) = match before {
            Some(known) => (ValueSummary::clone(&known.summary), known.states.clone()),
            None => summarise(body, &execution),
        };
        then(Executed {
            body,
            execution: &execution,
            values,
            states,
        })
    }
}

/// Joining the effects of more functions than this costs more than it tells.
pub const MOST_TARGETS: usize = 8;

impl Calls for Callees<'_> {
    fn value_effects(&self, call: CallSite) -> Vec<CallEffect<'_>> {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        if targets.len() > MOST_TARGETS {
            // UNSOUND: a call through a pointer that may reach more than eight functions is taken to
            // write only to what its arguments point to.
            return Vec::new();
        }
        targets
            .into_iter()
            .map(|target| match target {
                Target::Body(body) => CallEffect::Summary(self.summaries.get(body).values.clone()),
                Target::Model(model) => CallEffect::Model(model),
            })
            .collect()
    }

    fn gives_number(&self, statement: StatementId) -> bool {
        self.objects.counters.gives_number(self.function, statement)
    }
}

impl Callees<'_> {
    /// The counter whose numbers a register of the function holds.
    pub fn counter(&self, register: LocalId) -> Option<Class> {
        self.objects.counters.of_register(self.function, register)
    }
}

impl LockCalls for Callees<'_> {
    fn lock_effects(&self, call: CallSite) -> Vec<LockEffect<'_>> {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        let effects: Vec<LockEffect<'_>> = targets
            .into_iter()
            .map(|target| match target {
                Target::Body(body) => {
                    let summary = &self.summaries.get(body).locks;
                    if summary.touches_locks() || !summary.returns() {
                        LockEffect::Summary(summary.clone())
                    } else {
                        LockEffect::Nothing
                    }
                }
                Target::Model(model) => LockEffect::Model(model),
            })
            .collect();
        let is_idle = |effect: &LockEffect<'_>| match effect {
            LockEffect::Nothing => true,
            LockEffect::Model(model) => !model.touches_locks(),
            LockEffect::Summary(_) => false,
        };
        if effects.iter().all(is_idle) {
            return Vec::new();
        }
        effects
    }

    fn pointed_variables(&self, call: CallSite, argument: usize) -> Option<Vec<GlobalRef>> {
        let body = self.graph.functions.body(self.function);
        let Statement::Call { arguments, .. } = body.statement(call.statement) else {
            return None;
        };
        let points_to = self.graph.points_to();
        let class = points_to.pointee(body.function, arguments.get(argument)?)?;
        let objects = points_to.objects(class).iter();
        let variables = objects.filter_map(|object| match object {
            Object::Global(global) => Some(*global),
            _ => None,
        });
        Some(variables.collect())
    }

    fn is_binary_semaphore(&self, call: CallSite) -> bool {
        let body = self.graph.functions.body(self.function);
        self.objects
            .semaphores
            .is_binary(body, call, self.graph.points_to())
    }
}

impl ForkCalls for Callees<'_> {
    fn fork_effects(&self, call: CallSite) -> Vec<ForkEffect<'_>> {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        let effects: Vec<ForkEffect<'_>> = targets
            .into_iter()
            .map(|target| match target {
                Target::Body(body) => {
                    let summary = self.summaries.get(body);
                    ForkEffect::Summary(summary.forks.clone(), summary.values.clone())
                }
                Target::Model(model) => ForkEffect::Model(model),
            })
            .collect();
        let is_idle = |effect: &ForkEffect<'_>| match effect {
            ForkEffect::Summary(forks, _) => forks.threads.is_empty() && forks.joined.is_empty(),
            ForkEffect::Model(model) => !model.touches_threads(),
        };
        if effects.iter().all(is_idle) {
            return Vec::new();
        }
        effects
    }
}

impl SharingCalls for Callees<'_> {
    fn sharing_effects(&self, call: CallSite) -> Vec<SharingEffect<'_>> {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        if targets.is_empty() {
            return vec![SharingEffect::Unknown];
        }
        targets
            .into_iter()
            .map(|target| match target {
                Target::Body(body) => {
                    let summary = self.summaries.get(body);
                    SharingEffect::Summary(summary.sharing.clone(), summary.values.clone())
                }
                Target::Model(model) => SharingEffect::Model(model),
            })
            .collect()
    }
}

impl SignalCalls for Callees<'_> {
    fn signal_effects(&self, call: CallSite) -> Vec<SignalEffect<'_>> {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        let effects: Vec<SignalEffect<'_>> = targets
            .into_iter()
            .map(|target| match target {
                Target::Body(body) => {
                    let summary = &self.summaries.get(body).signals;
                    if summary.is_idle() {
                        SignalEffect::Nothing
                    } else {
                        SignalEffect::Summary(summary.clone())
                    }
                }
                Target::Model(model) => {
                    // UNSOUND: what a library function calls back is taken to post no signal before the call returns.
                    if self.touches_signals(call, model) {
                        SignalEffect::Model(model)
                    } else {
                        SignalEffect::Nothing
                    }
                }
            })
            .collect();
        if effects
            .iter()
            .all(|effect| matches!(effect, SignalEffect::Nothing))
        {
            return Vec::new();
        }
        effects
    }

    fn flag(&self, place: &Place) -> Option<Class> {
        if self.objects.flags.is_empty() {
            return None;
        }
        let function = self.graph.functions.body(self.function).function;
        let class = self.graph.points_to().place(function, place)?;
        self.is_flag(class).then_some(class)
    }

    fn object(&self, pointer: &models::Value, arguments: &[Operand]) -> Option<Class> {
        let Root::Argument(index) = pointer.root else {
            // An object inside a library may be posted by the library itself.
            return None;
        };
        let function = self.graph.functions.body(self.function).function;
        let points_to = self.graph.points_to();
        let mut class = points_to.pointee(function, arguments.get(usize::from(index))?)?;
        for step in &pointer.path {
            match step {
                Step::Dereference => class = points_to.deref(class)?,
                Step::Element => {}
                Step::Field(_) | Step::Member(..) => return None,
            }
        }
        Some(class)
    }

    fn is_flag(&self, class: Class) -> bool {
        self.objects.flags.contains(class)
    }

    fn token(&self, semaphore: Class) -> Option<u32> {
        self.objects.tokens.of(semaphore)
    }

    fn made_token(&self, statement: StatementId) -> Option<u32> {
        self.objects.tokens.made_at(self.function, statement)
    }
}

impl ReferenceCalls for Callees<'_> {
    fn reference_effects(&self, call: CallSite) -> Vec<ReferenceEffect<'_>> {
        let targets =
            self.graph
                .targets(self.function, call.statement, call.function, call.arguments);
        let is_atomic = |model: &FunctionModel| {
            let mut effects = model.effects.iter();
            effects.any(|effect| matches!(effect.action, Action::Atomic(_)))
        };
        targets
            .into_iter()
            .filter_map(|target| match target {
                Target::Body(body) => {
                    let summary = &self.summaries.get(body).references;
                    (!summary.is_idle()).then(|| ReferenceEffect::Summary(summary.clone()))
                }
                Target::Model(model) => is_atomic(model).then_some(ReferenceEffect::Model(model)),
            })
            .collect()
    }

    fn count(&self, pointer: &models::Value, arguments: &[Operand]) -> Option<Class> {
        self.object(pointer, arguments)
    }

    fn count_in(&self, place: &Place) -> Option<Class> {
        let function = self.graph.functions.body(self.function).function;
        self.graph.points_to().place(function, place)
    }
}

impl Callees<'_> {
    fn arguments(&self, call: CallSite) -> &[Operand] {
        match self
            .graph
            .functions
            .body(self.function)
            .statement(call.statement)
        {
            Statement::Call { arguments, .. } => arguments,
            _ => &[],
        }
    }

    /// Whether a call of a library function touches signals: atomic operations do where they touch a
    /// variable that may be one.
    fn touches_signals(&self, call: CallSite, model: &FunctionModel) -> bool {
        if self.made_token(call.statement).is_some() {
            return true;
        }
        model.touches_signals()
            && model.effects.iter().any(|effect| match &effect.action {
                Action::Atomic(atomic) => match &atomic.pointer {
                    Some(pointer) => self
                        .object(pointer, self.arguments(call))
                        .is_some_and(|class| self.is_flag(class)),
                    None => !self.objects.flags.is_empty(),
                },
                Action::Post { .. }
                | Action::WaitFor { .. }
                | Action::Once { .. }
                | Action::Wait { .. } => true,
                _ => false,
            })
    }
}
