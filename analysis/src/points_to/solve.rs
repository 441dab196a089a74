//! Puts the constraints of all functions together and solves them.

use super::constraints::{CalleeTerm, Constraints, Term, TermId};
use super::graph::{Graph, NodeId};
use super::records::Records;
use super::solution::{Object, PointsTo, Solved, SolvedFunction};
use super::wrappers::{Wrapper, wrappers};
use crate::ir::{FunctionRef, GlobalRef, StatementId};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use ustr::Ustr;

/// Solves the constraints of a program. `resolve` says which bodies a named function means; none
/// if the program has no body for it.
pub fn solve(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
) -> PointsTo {
    PointsTo::new(solved(functions, resolve, None))
}

/// The same for a program that was edited: members keep their numbers, so that the results can be aligned.
pub fn solve_again(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    before: &PointsTo,
) -> PointsTo {
    PointsTo::new(solved(functions, resolve, Some(&before.records)))
}

/// The classes as the solver leaves them.
pub(super) fn solved(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    before: Option<&Records>,
) -> Solved {
    let mut solver = Solver::new(functions, resolve);
    if let Some(before) = before {
        solver.graph.records.number_like(before);
    }
    for index in 0..solver.bodies.len() {
        solver.instantiate(index);
    }
    for index in 0..solver.bodies.len() {
        solver.apply(index);
    }
    solver.link_all();
    solver.finish()
}

/// A function with its nodes.
pub(super) struct SolverBody {
    pub(super) function: FunctionRef,
    pub(super) constraints: Arc<Constraints>,
    /// The node of each term.
    pub(super) nodes: Vec<NodeId>,
    /// The value of the variable arguments.
    pub(super) extra: Option<NodeId>,
}

/// What a function's name means to a caller.
#[derive(Clone)]
pub(super) struct Meaning {
    pub(super) bodies: Vec<usize>,
    pub(super) has_body: bool,
}

pub(super) struct Solver<'a> {
    pub(super) graph: Graph,
    pub(super) bodies: Vec<SolverBody>,
    /// Where the bodies of the program end and those of library functions begin.
    pub(super) by_name: FxHashMap<FunctionRef, Vec<usize>>,
    pub(super) resolve: &'a dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    pub(super) meanings: FxHashMap<FunctionRef, Meaning>,
    pub(super) library: FxHashMap<FunctionRef, usize>,
    pub(super) globals: FxHashMap<GlobalRef, NodeId>,
    pub(super) library_objects: FxHashMap<Ustr, NodeId>,
    /// Functions whose address is taken, as the graph numbers them, with their cells.
    pub(super) addressed: Vec<FunctionRef>,
    pub(super) function_cells: FxHashMap<FunctionRef, NodeId>,
    pub(super) objects: Vec<(NodeId, Object)>,
    /// Values that somebody outside the program or another thread gets.
    pub(super) shared: Vec<NodeId>,
    pub(super) indirect_calls: FxHashMap<(FunctionRef, StatementId), (NodeId, usize)>,
    /// What callers can rely on, for each function of the program.
    pub(super) wrappers: Vec<Wrapper>,
}

impl<'a> Solver<'a> {
    fn new(
        functions: &'a [(FunctionRef, Arc<Constraints>)],
        resolve: &'a dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    ) -> Solver<'a> {
        let mut bodies = Vec::with_capacity(functions.len());
        let mut by_name: FxHashMap<FunctionRef, Vec<usize>> = FxHashMap::default();
        for (index, (function, constraints)) in functions.iter().enumerate() {
            by_name.entry(*function).or_default().push(index);
            bodies.push(SolverBody::new(*function, constraints.clone()));
        }
        let mut solver = Solver {
            graph: Graph::new(program_records(functions, resolve)),
            bodies,
            by_name,
            resolve,
            meanings: FxHashMap::default(),
            library: FxHashMap::default(),
            globals: FxHashMap::default(),
            library_objects: FxHashMap::default(),
            addressed: Vec::new(),
            function_cells: FxHashMap::default(),
            objects: Vec::new(),
            shared: Vec::new(),
            indirect_calls: FxHashMap::default(),
            wrappers: Vec::new(),
        };
        let constraints: Vec<&Arc<Constraints>> = functions.iter().map(|one| &one.1).collect();
        solver.wrappers = wrappers(&constraints, &mut |function| {
            solver.meaning(function).bodies
        });
        for (_, constraints) in functions {
            for (function, library) in &constraints.library {
                if !solver.library.contains_key(function) && !solver.meaning(*function).has_body {
                    let index = solver.bodies.len();
                    solver.library.insert(*function, index);
                    solver
                        .bodies
                        .push(SolverBody::new(*function, library.clone()));
                }
            }
        }
        solver
    }

    pub(super) fn meaning(&mut self, function: FunctionRef) -> Meaning {
        if let Some(known) = self.meanings.get(&function) {
            return known.clone();
        }
        let bodies: Vec<usize> = (self.resolve)(function)
            .iter()
            .filter_map(|body| self.by_name.get(body))
            .flatten()
            .copied()
            .collect();
        let meaning = Meaning {
            has_body: !bodies.is_empty(),
            bodies,
        };
        self.meanings.insert(function, meaning.clone());
        meaning
    }

    fn instantiate(&mut self, index: usize) {
        let constraints = self.bodies[index].constraints.clone();
        let mut nodes = Vec::with_capacity(constraints.terms.len());
        for (term, number) in constraints.terms.iter().zip(0..) {
            let node = self.node(self.bodies[index].function, *term, number, &nodes);
            nodes.push(node);
        }
        if constraints.variadic {
            let variadic = constraints.terms.iter().position(|t| *t == Term::Variadic);
            self.bodies[index].extra = Some(match variadic {
                Some(position) => self.graph.target(nodes[position]),
                None => self.graph.value(),
            });
        }
        self.bodies[index].nodes = nodes;
        self.graph.run();
    }

    /// `number` is the term's own; `nodes` are those of the terms in front of it.
    fn node(&mut self, function: FunctionRef, term: Term, number: u32, nodes: &[NodeId]) -> NodeId {
        let at = |id: TermId| nodes[id.0 as usize];
        match term {
            Term::Register(_) | Term::Result | Term::Unknown(_) => self.graph.value(),
            Term::Content(term) | Term::Target(term) => self.graph.target(at(term)),
            Term::Address(cell) => {
                let value = self.graph.value();
                self.graph.set_target(value, at(cell));
                value
            }
            Term::Memory(_) => self.object(Object::Local(function, number)),
            Term::Heap(_) => self.object(Object::Heap(function, number)),
            Term::String(_) => self.object(Object::String),
            Term::Variadic => self.graph.cell(),
            Term::Global(global) => match self.globals.get(&global) {
                Some(cell) => *cell,
                None => {
                    let cell = self.object(Object::Global(global));
                    self.globals.insert(global, cell);
                    cell
                }
            },
            Term::Library(name) => {
                let graph = &mut self.graph;
                let known = self.library_objects.entry(name);
                *known.or_insert_with(|| graph.cell())
            }
            Term::Function(named) => self.function_cell(named),
            Term::Field(term, label) => {
                let label = self.graph.records.label(label);
                let field = self.graph.field(at(term), label);
                self.graph.run();
                field
            }
        }
    }

    pub(super) fn object(&mut self, object: Object) -> NodeId {
        let cell = self.graph.cell();
        self.objects.push((cell, object));
        cell
    }

    fn function_cell(&mut self, function: FunctionRef) -> NodeId {
        if let Some(known) = self.function_cells.get(&function) {
            return *known;
        }
        let cell = self.object(Object::Function(function));
        self.graph.add_function(cell, self.addressed.len() as u32);
        self.addressed.push(function);
        self.function_cells.insert(function, cell);
        cell
    }

    fn apply(&mut self, index: usize) {
        let constraints = self.bodies[index].constraints.clone();
        let nodes = std::mem::take(&mut self.bodies[index].nodes);
        let at = |id: TermId| nodes[id.0 as usize];
        for (left, right) in &constraints.equal {
            self.graph.unite(at(*left), at(*right));
        }
        for (left, right) in &constraints.equal_if_pointer {
            self.graph.unite_if_pointer(at(*left), at(*right));
        }
        for cell in &constraints.shifted {
            self.graph.shift(at(*cell));
        }
        for (cell, record) in &constraints.collapsed {
            self.graph.collapse(at(*cell), *record);
        }
        for cell in &constraints.spread {
            self.graph.spread(at(*cell));
        }
        for (cell, union, bytes) in &constraints.union_leaves {
            self.graph.union_leaf(at(*cell), *union, *bytes);
        }
        for value in &constraints.taken {
            self.graph.take(at(*value));
        }
        for (cell, record) in &constraints.first_words {
            self.graph.first_word(at(*cell), *record);
        }
        for container in &constraints.containers {
            let mut cell = at(container.inner);
            for label in container.path.iter().rev() {
                let label = self.graph.records.label(*label);
                cell = self.graph.container(cell, label);
            }
            self.graph.unite(cell, at(container.outer));
        }
        self.effects(&constraints.effects, &nodes);
        self.bodies[index].nodes = nodes;
        let numbers = constraints.terms.len() as u32..;
        for (call, number) in constraints.calls.iter().zip(numbers) {
            self.call(index, call, number);
        }
        self.link_all();
    }

    fn finish(mut self) -> Solved {
        let addressed: Vec<(Vec<FunctionRef>, Vec<usize>)> = self
            .addressed
            .clone()
            .into_iter()
            .map(|function| {
                let meaning = self.meaning(function);
                if meaning.has_body {
                    let names = meaning
                        .bodies
                        .iter()
                        .map(|body| self.bodies[*body].function);
                    (names.collect(), meaning.bodies)
                } else {
                    (vec![function], self.bodies_of(function))
                }
            })
            .collect();
        let arities = |bodies: &[usize], count: usize| {
            bodies.is_empty() || bodies.iter().any(|body| self.bodies[*body].accepts(count))
        };
        let mut call_targets = FxHashMap::default();
        let mut graph = self.graph;
        for (key, (cell, count)) in &self.indirect_calls {
            let functions = graph
                .detail_of(*cell)
                .map_or(&[][..], |detail| detail.rare().functions.as_slice());
            let fitting = functions
                .iter()
                .map(|function| &addressed[*function as usize]);
            let mut targets: Vec<FunctionRef> = fitting
                .filter(|(_, bodies)| arities(bodies, *count))
                .flat_map(|(names, _)| names.iter().copied())
                .collect();
            targets.sort_unstable();
            targets.dedup();
            call_targets.insert(*key, targets);
        }
        let functions = self.bodies.into_iter().map(|body| SolvedFunction {
            function: body.function,
            constraints: body.constraints,
            nodes: body.nodes,
        });
        let addressed = addressed.into_iter().map(|(names, _)| names).collect();
        Solved {
            graph,
            functions: functions.collect(),
            globals: self.globals,
            library_objects: self.library_objects.into_values().collect(),
            function_cells: self.function_cells,
            addressed,
            objects: self.objects,
            shared: self.shared,
            call_targets,
        }
    }
}

impl SolverBody {
    fn new(function: FunctionRef, constraints: Arc<Constraints>) -> SolverBody {
        SolverBody {
            function,
            constraints,
            nodes: Vec::new(),
            extra: None,
        }
    }

    /// Whether a call with so many arguments can be one of this function.
    pub(super) fn accepts(&self, arguments: usize) -> bool {
        let formals = self.constraints.formals.len();
        arguments == formals || (self.constraints.variadic && arguments > formals)
    }
}

/// The records of the program. An argument that points to one record, where the function expects
/// another, is a conversion.
pub(super) fn program_records(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
) -> Records {
    let mut records = Records::new(functions.iter().map(|(_, constraints)| &**constraints));
    let mut by_name: FxHashMap<FunctionRef, Vec<&Constraints>> = FxHashMap::default();
    for (function, constraints) in functions {
        by_name.entry(*function).or_default().push(constraints);
    }
    for (_, constraints) in functions {
        for call in &constraints.calls {
            let CalleeTerm::Direct(function) = call.callee else {
                continue;
            };
            let mut arguments = call.arguments.iter();
            if arguments.all(|argument| argument.record.is_none()) {
                continue;
            }
            let bodies = resolve(function);
            for body in bodies.iter().filter_map(|body| by_name.get(body)).flatten() {
                for (argument, formal) in call.arguments.iter().zip(&body.formals) {
                    if let (Some(one), Some(other)) = (argument.record, formal.record) {
                        records.overlay(one, other);
                    }
                }
            }
        }
    }
    records
}
