//! Puts the constraints of all functions together and solves them.

use super::changes::Changes;
use super::constraints::{Constraints, Term, TermId};
use super::escape;
use super::graph::{Graph, NodeId};
use super::joining::{KnownGroups, Placed};
use super::names::Names;
use super::record_uses::RecordUses;
use super::records::Records;
use super::solution::{Object, PointsTo};
use super::surroundings::Surroundings;
use crate::ir::{FunctionRef, GlobalRef, StatementId};
use crate::stop;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use ustr::Ustr;

/// Which bodies a named function means; none if the program has no body for it.
pub type Resolve<'r> = &'r dyn Fn(FunctionRef) -> Vec<FunctionRef>;

/// Solves the constraints of a program.
pub fn solve(functions: &[(FunctionRef, Arc<Constraints>)], resolve: Resolve<'_>) -> PointsTo {
    PointsTo::new(solved(functions, resolve), false)
}

/// The same for a program that will be edited, or was: then members have the numbers that they had before, so that the
/// results can be aligned. What the solver knows stays, so that edits can be tried on it.
pub fn solve_for_edits(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: Resolve<'_>,
    before: Option<&PointsTo>,
) -> PointsTo {
    let records = before.map(|before| &*before.records);
    let mut solver = Solver::new(functions, resolve);
    if let Some(before) = records {
        solver.graph.records.number_like(before);
    }
    solver.solve_in_groups(KnownGroups::default());
    PointsTo::new(solver, true)
}

/// The same where an edit has left these surroundings of the relation before it alone, with the numbers that classes had before.
/// `is_same` tells of which functions the text is the same. `None` if so many numbers have died that it is better to forget them.
pub fn solve_in(
    surroundings: Surroundings,
    functions: &[(FunctionRef, Arc<Constraints>)],
    before: &PointsTo,
    is_same: &dyn Fn(FunctionRef) -> bool,
) -> Option<(PointsTo, Changes)> {
    let (mut solver, known) = surroundings.solver(functions);
    solver.solve_in_groups(known);
    PointsTo::new(solver, true).aligned(before, is_same)
}

/// The classes as the solver leaves them.
pub(super) fn solved(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: Resolve<'_>,
) -> Solver {
    let mut solver = Solver::new(functions, resolve);
    solver.solve();
    solver
}

/// A function with its nodes.
pub(super) struct SolverBody {
    pub(super) function: FunctionRef,
    pub(super) constraints: Arc<Constraints>,
    /// The node of each term, counted from `first`. What a value points to if nobody else has anything to do with the value,
    /// and `NONE` if that is nothing.
    pub(super) nodes: Arc<Vec<NodeId>>,
    pub(super) first: NodeId,
    /// The value of the variable arguments.
    pub(super) extra: Option<NodeId>,
}

/// What calls through a pointer to a function reach: names, and bodies by which to tell how many arguments they take.
pub(super) struct Addressed {
    pub(super) names: Vec<FunctionRef>,
    pub(super) bodies: Vec<usize>,
}

pub(super) struct Solver {
    pub(super) graph: Graph,
    pub(super) bodies: Vec<SolverBody>,
    pub(super) names: Arc<Names>,
    pub(super) record_uses: Arc<RecordUses>,
    pub(super) globals: FxHashMap<GlobalRef, NodeId>,
    pub(super) library_objects: FxHashMap<Ustr, NodeId>,
    /// Functions whose address is taken, as the graph numbers them, with their cells.
    pub(super) addressed: Vec<FunctionRef>,
    pub(super) function_cells: FxHashMap<FunctionRef, NodeId>,
    pub(super) objects: Vec<(NodeId, Object)>,
    /// Values that somebody outside the program or another thread gets.
    pub(super) shared: Vec<NodeId>,
    pub(super) indirect_calls: FxHashMap<(FunctionRef, StatementId), (NodeId, usize)>,
    /// What it was put together from, if it was.
    pub(super) groups: Vec<Placed>,
}

impl Solver {
    pub(super) fn new(
        functions: &[(FunctionRef, Arc<Constraints>)],
        resolve: Resolve<'_>,
    ) -> Solver {
        let mut names = Names::new(functions, resolve);
        let mut bodies: Vec<SolverBody> = Vec::with_capacity(functions.len());
        bodies.extend(functions.iter().map(SolverBody::of));
        for (_, constraints) in functions {
            for named in &constraints.library {
                let function = named.0;
                if !names.library.contains_key(&function) && !names.meaning(function).has_body() {
                    names.library.insert(function, bodies.len());
                    bodies.push(SolverBody::of(named));
                }
            }
        }
        let uses = record_uses(functions, &names);
        Solver {
            bodies,
            names: Arc::new(names),
            ..Solver::with_records(Records::new(&uses), Arc::new(uses))
        }
    }

    pub(super) fn with_records(records: Records, record_uses: Arc<RecordUses>) -> Solver {
        Solver {
            graph: Graph::new(records),
            record_uses,
            bodies: Vec::new(),
            names: Arc::default(),
            globals: FxHashMap::default(),
            library_objects: FxHashMap::default(),
            addressed: Vec::new(),
            function_cells: FxHashMap::default(),
            objects: Vec::new(),
            shared: Vec::new(),
            indirect_calls: FxHashMap::default(),
            groups: Vec::new(),
        }
    }

    pub(super) fn solve(&mut self) {
        let terms = self.bodies.iter().map(|body| body.constraints.terms.len());
        self.graph.reserve(terms.sum());
        for index in 0..self.bodies.len() {
            self.instantiate(index);
        }
        for index in 0..self.bodies.len() {
            self.apply(index);
        }
        self.link_all();
    }

    pub(super) fn instantiate(&mut self, index: usize) {
        stop::ask();
        let constraints = self.bodies[index].constraints.clone();
        let mut nodes = Vec::with_capacity(constraints.terms.len());
        let mut variables = 0;
        for term in &constraints.terms {
            let node = match term {
                Term::Memory(_) => {
                    let variable = Object::Local(self.bodies[index].function, variables);
                    variables += 1;
                    self.object(variable)
                }
                _ => self.node(*term, &nodes),
            };
            nodes.push(node);
        }
        if constraints.variadic {
            let variadic = constraints.terms.iter().position(|t| *t == Term::Variadic);
            self.bodies[index].extra = Some(match variadic {
                Some(position) => self.graph.target(nodes[position]),
                None => self.graph.value(),
            });
        }
        self.bodies[index].nodes = Arc::new(nodes);
        self.graph.run();
    }

    /// The node of a term that is no variable of the function; `nodes` are those of the terms in front of it.
    pub(super) fn node(&mut self, term: Term, nodes: &[NodeId]) -> NodeId {
        let at = |id: TermId| nodes[id.0 as usize];
        match term {
            Term::Register(_) | Term::Result | Term::Unknown(_) => self.graph.value(),
            Term::Content(term) | Term::Target(term) => self.graph.target(at(term)),
            Term::Address(cell) | Term::Pointer(cell, _) => {
                let value = self.graph.value();
                self.graph.set_target(value, at(cell));
                value
            }
            Term::Heap(_) => self.object(Object::Heap),
            Term::String(_) => self.object(Object::String),
            Term::Variadic | Term::Memory(_) => self.graph.cell(),
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

    pub(super) fn apply(&mut self, index: usize) {
        stop::ask();
        let constraints = self.bodies[index].constraints.clone();
        let nodes = self.bodies[index].nodes.clone();
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
        for call in &constraints.calls {
            self.call(index, call);
        }
        self.link_all();
    }

    /// By node, whether somebody outside of the program or another thread can get there.
    pub(super) fn escaped(&mut self) -> Vec<bool> {
        let globals = self.globals.iter();
        let shared_globals = globals.filter(|(global, _)| !global.thread_local);
        let cells = shared_globals.map(|(_, cell)| *cell);
        let library = self.library_objects.values().copied();
        let shared = self.shared.iter().copied();
        let from = cells.chain(library).chain(shared).collect();
        escape::reachable(&mut self.graph, from)
    }

    /// What calls of each function whose address is taken reach.
    pub(super) fn reached_by_address(&self) -> Vec<Addressed> {
        let addressed = self.addressed.iter().map(|function| {
            let meaning = self.names.meaning(*function);
            let names = match meaning.has_body() {
                true => { meaning.bodies.iter() }
                    .map(|body| self.bodies[*body].function)
                    .collect(),
                false => vec![*function],
            };
            Addressed {
                names,
                bodies: self.names.bodies_of(*function).to_vec(),
            }
        });
        addressed.collect()
    }

    /// The functions that a call of a cell with so many arguments may reach, sorted: those that accept so many, and the only one that
    /// the cell may be, which is the one that is called whatever it accepts.
    pub(super) fn call_targets(
        &mut self,
        addressed: &[Addressed],
        cell: NodeId,
        count: usize,
    ) -> Vec<FunctionRef> {
        let detail = self.graph.detail_of(cell);
        let functions = detail.map_or(&[][..], |detail| detail.rare().functions.as_slice());
        let functions = functions
            .iter()
            .map(|function| &addressed[*function as usize]);
        let is_only_one = functions.len() == 1;
        let fitting = functions.filter(|reached| {
            let mut bodies = reached.bodies.iter();
            is_only_one
                || reached.bodies.is_empty()
                || bodies.any(|body| self.bodies[*body].accepts(count))
        });
        let mut targets: Vec<FunctionRef> = fitting
            .flat_map(|reached| reached.names.iter().copied())
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}

impl SolverBody {
    pub(super) fn of((function, constraints): &(FunctionRef, Arc<Constraints>)) -> SolverBody {
        SolverBody::new(*function, constraints.clone())
    }

    pub(super) fn new(function: FunctionRef, constraints: Arc<Constraints>) -> SolverBody {
        SolverBody {
            function,
            constraints,
            nodes: Arc::default(),
            first: 0,
            extra: None,
        }
    }

    /// The node of a term that others have to do with.
    pub(super) fn node(&self, term: TermId) -> NodeId {
        self.first + self.nodes[term.0 as usize]
    }

    /// Whether a call with so many arguments can be one of this function.
    pub(super) fn accepts(&self, arguments: usize) -> bool {
        let formals = self.constraints.formals.len();
        arguments == formals || (self.constraints.variadic && arguments > formals)
    }
}

/// How the program uses records. An argument that points to one record, where the function expects
/// another, is a conversion.
pub(super) fn record_uses(
    functions: &[(FunctionRef, Arc<Constraints>)],
    names: &Names,
) -> RecordUses {
    let formals = |function| {
        let bodies = names.meaning(function).bodies.iter();
        bodies.map(|body| &functions[*body].1.formals[..]).collect()
    };
    RecordUses::new(functions.iter().map(|function| &*function.1), &formals)
}
