//! What the calls of one function do, from models and from summaries of the functions they reach.

use super::known::{Known, Summary};
use super::semaphores::Semaphores;
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::dataflow::{Liveness, Loops, Solution};
use crate::forks::{ForkCalls, ForkEffect, ForkSolution, forks};
use crate::ir::{Body, GlobalRef, Statement};
use crate::locksets::{LockCalls, LockEffect, LocksetSolution, locksets};
use crate::ownership::{self, SharingCalls, SharingEffect, SharingSolution, sharing};
use crate::points_to::Object;
use crate::symexec::{CallEffect, CallSite, Calls, Execution, State, ValueSummary, summarise};
use std::sync::Arc;

/// A function in front of what its callees do.
#[derive(Clone, Copy)]
pub struct Callees<'s> {
    pub function: FunctionId,
    pub graph: &'s CallGraph<'s>,
    pub summaries: Known<'s>,
    pub semaphores: &'s Semaphores,
}

/// A function that has been executed symbolically.
pub struct Executed<'e> {
    pub body: &'e Body,
    pub execution: &'e Execution<'e>,
    pub values: ValueSummary,
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
}

impl Callees<'_> {
    /// Summarises the function; `then` gets more out of it while its states are there.
    pub fn analyse<T>(&self, then: impl FnOnce(&Analysed<'_>) -> T) -> (Summary, T) {
        self.execute(|run| {
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
                locks,
                forks: forks(run.body, &run.states, run.execution, self),
                sharing,
            };
            let result = then(&analysed);
            let summary = Summary {
                values: Arc::new(run.values),
                locks: Arc::new(analysed.locks.summary),
                forks: Arc::new(analysed.forks.summary),
                sharing: Arc::new(analysed.sharing.summary),
            };
            (summary, result)
        })
    }

    /// Executes the function; what is computed from that must not outlive it.
    pub fn execute<T>(&self, then: impl FnOnce(Executed<'_>) -> T) -> T {
        let body: &Body = self.graph.functions.body(self.function);
        let (loops, liveness) = (Loops::new(body), Liveness::new(body));
        let execution = Execution::new(body, self, &loops, &liveness);
        let (values, states) = summarise(body, &execution);
        then(Executed {
            body,
            execution: &execution,
            values,
            states,
        })
    }
}

/// Joining the effects of more functions than this costs more than it tells.
const MOST_TARGETS: usize = 8;

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
        self.semaphores
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
