//! What each call may reach.

use super::functions::{FunctionId, Functions};
use crate::ir::{Callee, FunctionRef, Operand, Statement, StatementId};
use crate::models::{FunctionModel, Models};
use crate::points_to::PointsTo;
use crate::shared_list::SharedList;
use crate::stop::{self, Aside, Stop};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A function that a call may reach.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Target<'m> {
    Body(FunctionId),
    Model(&'m FunctionModel),
}

/// The calls of a whole program.
pub struct CallGraph<'m> {
    pub functions: &'m Functions,
    models: &'m Models,
    points_to: &'m PointsTo,
    calls: Aside<KnownCalls>,
}

/// The calls of each function. They are shared with those before an edit.
#[derive(Clone, Default)]
pub struct KnownCalls {
    indirect: SharedList<Arc<IndirectCalls>>,
    /// The functions that it calls itself, sorted.
    callees: SharedList<Arc<[u32]>>,
}

/// What the calls through pointers of one function may reach.
pub type IndirectCalls = FxHashMap<StatementId, Vec<FunctionRef>>;

impl<'m> CallGraph<'m> {
    pub fn new(functions: &'m Functions, points_to: &'m PointsTo, models: &'m Models) -> Self {
        let mut graph = CallGraph::with_calls(functions, points_to, models, KnownCalls::default());
        let all = (0..functions.len() as u32).into_par_iter().map(FunctionId);
        let stop = Stop::of_this_thread();
        let indirect: Vec<Arc<IndirectCalls>> = all
            .map(|function| {
                stop.check();
                Arc::new(graph.indirect(function))
            })
            .collect();
        graph.calls.indirect = indirect.into_iter().collect();
        let all = functions.ids();
        graph.calls.callees = all.map(|function| graph.bodies_called(function)).collect();
        graph
    }

    /// The same from calls that are known already.
    pub fn with_calls(
        functions: &'m Functions,
        points_to: &'m PointsTo,
        models: &'m Models,
        calls: KnownCalls,
    ) -> Self {
        CallGraph {
            functions,
            models,
            points_to,
            calls: Stop::of_this_thread().aside(calls),
        }
    }

    /// The calls of a program in which functions had the same numbers and names before some of them were edited. If the others have
    /// other pointers, what they call through them may be different as well.
    pub fn again(
        functions: &'m Functions,
        points_to: &'m PointsTo,
        models: &'m Models,
        before: &CallGraph<'_>,
        edited: &[FunctionId],
        has_other_pointers: bool,
    ) -> Self {
        let calls = before.calls().clone();
        let mut graph = CallGraph::with_calls(functions, points_to, models, calls);
        let calls_others = |function: &FunctionId| {
            let known = &before.calls.indirect[function.0 as usize];
            let name = functions.body(*function).function;
            !known.is_empty() && !points_to.calls_the_same(before.points_to, name)
        };
        let others = functions.ids().filter(|_| has_other_pointers);
        let others = others.filter(|function| !edited.contains(function) && calls_others(function));
        for function in edited.iter().copied().chain(others) {
            let index = function.0 as usize;
            let indirect = graph.indirect(function);
            if indirect != *before.calls.indirect[index] {
                graph.calls.indirect.set(index, Arc::new(indirect));
            } else if !edited.contains(&function) {
                continue;
            }
            let callees = graph.bodies_called(function);
            if callees != graph.calls.callees[index] {
                graph.calls.callees.set(index, callees);
            }
        }
        graph
    }

    pub fn calls(&self) -> &KnownCalls {
        &self.calls
    }

    /// The functions that a function calls itself, sorted.
    pub fn callees(&self, function: u32) -> &[u32] {
        &self.calls.callees[function as usize]
    }

    /// For each function those that it calls itself.
    pub fn all_callees(&self) -> &SharedList<Arc<[u32]>> {
        &self.calls.callees
    }

    fn indirect(&self, function: FunctionId) -> IndirectCalls {
        let body = self.functions.body(function);
        let calls = body
            .statements()
            .filter_map(|(id, statement)| match statement {
                Statement::Call {
                    callee: Callee::Indirect(_),
                    ..
                } => Some((id, self.points_to.call_targets(body.function, id))),
                _ => None,
            });
        calls.collect()
    }

    fn bodies_called(&self, function: FunctionId) -> Arc<[u32]> {
        stop::ask();
        let mut callees = Vec::new();
        for (id, statement) in self.functions.body(function).statements() {
            let Statement::Call {
                callee, arguments, ..
            } = statement
            else {
                continue;
            };
            let named = match callee {
                Callee::Direct(name) => Some(*name),
                Callee::Indirect(_) => None,
            };
            for target in self.find_targets(function, id, named, arguments.len()) {
                if let Target::Body(callee) = target {
                    callees.push(callee.0);
                }
            }
        }
        callees.sort_unstable();
        callees.dedup();
        callees.into()
    }

    /// What a call may reach; `named` is the function that is called, if that is known. All of it is among the callees of the function.
    pub fn targets(
        &self,
        function: FunctionId,
        call: StatementId,
        named: Option<FunctionRef>,
        arguments: usize,
    ) -> Vec<Target<'m>> {
        let targets = self.find_targets(function, call, named, arguments);
        debug_assert!(targets.iter().all(|target| match target {
            Target::Body(body) => self.callees(function.0).binary_search(&body.0).is_ok(),
            Target::Model(_) => true,
        }));
        targets
    }

    fn find_targets(
        &self,
        function: FunctionId,
        call: StatementId,
        named: Option<FunctionRef>,
        arguments: usize,
    ) -> Vec<Target<'m>> {
        let pointed = self.calls.indirect[function.0 as usize].get(&call);
        match (named, pointed) {
            (Some(name), None) => self.named(name, arguments),
            // In a call through a pointer, the value that it has chooses among what pointers say: these are the callees whose
            // summaries are known, and after whose edits the function is looked at again.
            (Some(name), Some(names)) if self.is_among(name, names) => self.named(name, arguments),
            (_, names) => { names.into_iter().flatten() }
                .flat_map(|name| self.named(*name, arguments))
                .collect(),
        }
    }

    /// Whether a name is among these, which are sorted. A function of a header has several.
    fn is_among(&self, name: FunctionRef, names: &[FunctionRef]) -> bool {
        let bodies = self.functions.resolve(name);
        let is_body_of = |body: &FunctionId| {
            let mut names = names.iter();
            names.any(|name| self.functions.resolve(*name).contains(body))
        };
        names.binary_search(&name).is_ok() || (!bodies.is_empty() && bodies.iter().all(is_body_of))
    }

    /// What a call reaches whose pointer has the value of this function, if it may reach these; `None` if it cannot be that function.
    pub fn narrowed(&self, name: FunctionRef, possible: &[FunctionId]) -> Option<Vec<FunctionId>> {
        let bodies = self.functions.resolve(name);
        let known = bodies.iter().filter(|body| possible.contains(body));
        let known: Vec<FunctionId> = known.copied().collect();
        let is_of_library = || {
            let model = self.models.lookup(name.name.as_str());
            bodies.is_empty() || model.is_some_and(|model| model.replaces_body)
        };
        (!known.is_empty() || is_of_library()).then_some(known)
    }

    /// What a name means in a call with so many arguments: the program's own function, unless the model
    /// knows better.
    pub fn named(&self, name: FunctionRef, arguments: usize) -> Vec<Target<'m>> {
        let bodies = self.functions.resolve(name);
        let model = self
            .models
            .lookup(name.name.as_str())
            .filter(|model| model.accepts(arguments));
        match model {
            Some(model) if bodies.is_empty() || model.replaces_body => vec![Target::Model(model)],
            _ => bodies.iter().map(|body| Target::Body(*body)).collect(),
        }
    }

    /// The model of a function whose body runs inside what the model does around it.
    pub fn wrapping_model(&self, function: FunctionId) -> Option<&'m FunctionModel> {
        let name = self.functions.body(function).function.name;
        self.models
            .lookup(name.as_str())
            .filter(|model| model.wraps_body())
    }

    /// The functions that an operand may be the address of.
    pub fn functions_in(&self, function: FunctionId, operand: &Operand) -> Vec<FunctionId> {
        let names = match operand {
            Operand::Function(name) => vec![*name],
            operand => self
                .points_to
                .value_functions(self.functions.body(function).function, operand),
        };
        let mut found: Vec<FunctionId> = names
            .into_iter()
            .flat_map(|name| self.functions.resolve(name).iter().copied())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn points_to(&self) -> &'m PointsTo {
        self.points_to
    }
}

impl KnownCalls {
    /// What the calls through pointers of each function may reach.
    pub fn indirect(&self) -> &SharedList<Arc<IndirectCalls>> {
        &self.indirect
    }

    /// Whether functions call those that they called.
    pub fn have_the_same_callees(&self, before: &KnownCalls) -> bool {
        self.callees == before.callees
    }
}
