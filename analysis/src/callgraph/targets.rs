//! What each call may reach.

use super::components::Components;
use super::functions::{FunctionId, Functions};
use crate::ir::{Callee, FunctionRef, Operand, Statement, StatementId};
use crate::models::{self, Action, FunctionModel, Models, Root, Step};
use crate::points_to::{Class, PointsTo};
use crate::shared_list::SharedList;
use crate::stop::{self, Aside, Stop};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
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
    /// The same with those that library functions call for it.
    entered: SharedList<Arc<[u32]>>,
    /// The functions for which library functions call others.
    calling_back: Arc<BTreeSet<FunctionId>>,
}

/// What the calls through pointers of one function may reach.
pub type IndirectCalls = FxHashMap<StatementId, Vec<FunctionRef>>;

/// The functions that one function gets to.
#[derive(Default)]
struct Reached {
    /// By calls of its own.
    called: BTreeSet<u32>,
    /// By calls that library functions make for it.
    called_back: BTreeSet<u32>,
    /// Whether there are such calls, whatever they reach.
    calls_back: bool,
}

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
        let reached: Vec<Reached> = { functions.ids() }
            .map(|function| graph.reached(function))
            .collect();
        let callees = reached.iter().map(Reached::callees);
        graph.calls.callees = callees.collect();
        // Most functions give nothing to a library that calls it.
        graph.calls.entered = graph.calls.callees.clone();
        for (function, reached) in functions.ids().zip(&reached) {
            graph.calls.set_entered(function, reached);
        }
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
            before.calls.calling_back.contains(function)
                || (!known.is_empty() && !points_to.calls_the_same(before.points_to, name))
        };
        let others = functions.ids().filter(|_| has_other_pointers);
        let others = others.filter(|function| !edited.contains(function) && calls_others(function));
        for function in edited.iter().copied().chain(others) {
            let index = function.0 as usize;
            let indirect = graph.indirect(function);
            if indirect != *before.calls.indirect[index] {
                graph.calls.indirect.set(index, Arc::new(indirect));
            }
            let reached = graph.reached(function);
            let callees = reached.callees();
            if callees != graph.calls.callees[index] {
                graph.calls.callees.set(index, callees);
            }
            graph.calls.set_entered(function, &reached);
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

    /// Functions that get to each other in contexts, callees first. Summaries do not show what a library function calls, so that
    /// theirs are the components without that.
    pub fn entered_components(&self, components: &Arc<Components>) -> Arc<Components> {
        match self.calls.entered == self.calls.callees {
            true => components.clone(),
            false => Arc::new(Components::new(&self.calls.entered)),
        }
    }

    /// Whether a function is known to get to all of these by calls of its own and of library functions.
    pub fn are_entered(&self, function: FunctionId, targets: &[FunctionId]) -> bool {
        let known = &self.calls.entered[function.0 as usize];
        { targets.iter() }.all(|target| known.binary_search(&target.0).is_ok())
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

    fn reached(&self, function: FunctionId) -> Reached {
        stop::ask();
        let mut reached = Reached::default();
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
                match target {
                    Target::Body(callee) => {
                        reached.called.insert(callee.0);
                    }
                    Target::Model(model) => {
                        for value in called_back(model) {
                            let functions = self.functions_called_back(function, value, arguments);
                            let functions = functions.into_iter().map(|function| function.0);
                            reached.called_back.extend(functions);
                            reached.calls_back = true;
                        }
                    }
                }
            }
        }
        reached
    }

    /// The functions that a library function may call when it calls a value, as its model says.
    pub fn functions_called_back(
        &self,
        function: FunctionId,
        value: &models::Value,
        arguments: &[Operand],
    ) -> Vec<FunctionId> {
        let Root::Argument(index) = value.root else {
            return Vec::new();
        };
        let Some(operand) = arguments.get(usize::from(index)) else {
            return Vec::new();
        };
        if value.path.is_empty() {
            return self.functions_in(function, operand);
        }
        // A model does not say of which record a member is: it may be any part of the object.
        let name = self.functions.body(function).function;
        let mut classes: BTreeSet<Class> =
            self.points_to.pointee(name, operand).into_iter().collect();
        for step in &value.path {
            let next = classes.into_iter();
            classes = match step {
                Step::Dereference => next
                    .filter_map(|class| self.points_to.deref(class))
                    .collect(),
                Step::Field(_) | Step::Member(..) => next
                    .flat_map(|class| self.points_to.parts(class).iter().copied())
                    .collect(),
                Step::Element => next.collect(),
            };
        }
        let names = { classes.into_iter() }.flat_map(|class| self.points_to.functions(class));
        self.bodies_of(names.copied())
    }

    /// The functions that have these names, sorted.
    fn bodies_of(&self, names: impl Iterator<Item = FunctionRef>) -> Vec<FunctionId> {
        let bodies = names.flat_map(|name| self.functions.resolve(name).iter().copied());
        let mut found: Vec<FunctionId> = bodies.collect();
        found.sort_unstable();
        found.dedup();
        found
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
            Operand::Function(name) => {
                // What a name means can change like anything else that is known of pointers.
                self.points_to
                    .pointee(self.functions.body(function).function, operand);
                vec![*name]
            }
            operand => self
                .points_to
                .value_functions(self.functions.body(function).function, operand),
        };
        self.bodies_of(names.into_iter())
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

    /// Whether functions get to those that they got to by calls of their own and of library functions.
    pub fn enter_the_same(&self, before: &KnownCalls) -> bool {
        self.entered == before.entered
    }

    /// Notes what a function gets to, if it calls what is known already.
    fn set_entered(&mut self, function: FunctionId, reached: &Reached) {
        let index = function.0 as usize;
        let entered = match reached.called_back.is_subset(&reached.called) {
            true => self.callees[index].clone(),
            false => (&reached.called | &reached.called_back)
                .into_iter()
                .collect(),
        };
        if entered != self.entered[index] {
            self.entered.set(index, entered);
        }
        if reached.calls_back != self.calling_back.contains(&function) {
            let known = Arc::make_mut(&mut self.calling_back);
            match reached.calls_back {
                true => known.insert(function),
                false => known.remove(&function),
            };
        }
    }
}

impl Reached {
    fn callees(&self) -> Arc<[u32]> {
        self.called.iter().copied().collect()
    }
}

/// What a library function calls while it is called.
fn called_back(model: &FunctionModel) -> impl Iterator<Item = &models::Value> {
    let effects = model.effects.iter();
    effects.filter_map(|effect| match &effect.action {
        Action::Call { function, .. }
        | Action::Once {
            entry: function, ..
        } => Some(function),
        _ => None,
    })
}
