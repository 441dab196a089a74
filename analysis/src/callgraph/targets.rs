//! What each call may reach.

use super::functions::{FunctionId, Functions};
use crate::ir::{Callee, FunctionRef, Operand, Statement, StatementId};
use crate::models::{FunctionModel, Models};
use crate::points_to::PointsTo;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

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
    indirect: Vec<IndirectCalls>,
    /// For each function, the functions that it calls itself.
    pub callees: Vec<Vec<u32>>,
}

/// What the calls through pointers of one function may reach.
pub type IndirectCalls = FxHashMap<StatementId, Vec<FunctionRef>>;

impl<'m> CallGraph<'m> {
    pub fn new(functions: &'m Functions, points_to: &'m PointsTo, models: &'m Models) -> Self {
        let indirect: Vec<IndirectCalls> = (0..functions.len())
            .into_par_iter()
            .map(|index| {
                let body = functions.body(FunctionId(index as u32));
                let calls = body
                    .statements()
                    .filter_map(|(id, statement)| match statement {
                        Statement::Call {
                            callee: Callee::Indirect(_),
                            ..
                        } => Some((id, points_to.call_targets(body.function, id))),
                        _ => None,
                    });
                calls.collect()
            })
            .collect();
        let mut graph = CallGraph {
            functions,
            models,
            points_to,
            indirect,
            callees: Vec::new(),
        };
        graph.callees = functions
            .ids()
            .map(|function| graph.bodies_called(function))
            .collect();
        graph
    }

    /// What the calls through pointers of each function may reach.
    pub fn indirect_calls(&self) -> &[IndirectCalls] {
        &self.indirect
    }

    fn bodies_called(&self, function: FunctionId) -> Vec<u32> {
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
            for target in self.targets(function, id, named, arguments.len()) {
                if let Target::Body(callee) = target {
                    callees.push(callee.0);
                }
            }
        }
        callees.sort_unstable();
        callees.dedup();
        callees
    }

    /// What a call may reach; `named` is the function that is called, if that is known.
    pub fn targets(
        &self,
        function: FunctionId,
        call: StatementId,
        named: Option<FunctionRef>,
        arguments: usize,
    ) -> Vec<Target<'m>> {
        match named {
            Some(name) => self.named(name, arguments),
            None => self.indirect[function.0 as usize]
                .get(&call)
                .into_iter()
                .flatten()
                .flat_map(|name| self.named(*name, arguments))
                .collect(),
        }
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
