//! Puts the constraints of all functions together and solves them.

use super::constraints::{
    Argument, Call, CalleeTerm, Constraints, Effects, Flow, Priority, Term, TermId,
};
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
    let mut solver = Solver::new(functions, resolve);
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
    function: FunctionRef,
    constraints: Arc<Constraints>,
    /// The node of each term.
    nodes: Vec<NodeId>,
    /// The value of the variable arguments.
    extra: Option<NodeId>,
}

/// What a function's name means to a caller.
#[derive(Clone)]
struct Meaning {
    bodies: Vec<usize>,
    has_body: bool,
}

pub(super) struct Solver<'a> {
    graph: Graph,
    bodies: Vec<SolverBody>,
    /// Where the bodies of the program end and those of library functions begin.
    by_name: FxHashMap<FunctionRef, Vec<usize>>,
    resolve: &'a dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    meanings: FxHashMap<FunctionRef, Meaning>,
    library: FxHashMap<FunctionRef, usize>,
    globals: FxHashMap<GlobalRef, NodeId>,
    library_objects: FxHashMap<Ustr, NodeId>,
    /// Functions whose address is taken, as the graph numbers them, with their cells.
    addressed: Vec<FunctionRef>,
    function_cells: FxHashMap<FunctionRef, NodeId>,
    objects: Vec<(NodeId, Object)>,
    /// Values that somebody outside the program or another thread gets.
    shared: Vec<NodeId>,
    indirect_calls: FxHashMap<(FunctionRef, StatementId), (NodeId, usize)>,
    /// What callers can rely on, for each function of the program.
    wrappers: Vec<Wrapper>,
}

impl<'a> Solver<'a> {
    fn new(
        functions: &'a [(FunctionRef, Arc<Constraints>)],
        resolve: &'a dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    ) -> Solver<'a> {
        let mut records = Records::new(functions.iter().map(|(_, constraints)| &**constraints));
        let mut bodies = Vec::with_capacity(functions.len());
        let mut by_name: FxHashMap<FunctionRef, Vec<usize>> = FxHashMap::default();
        for (index, (function, constraints)) in functions.iter().enumerate() {
            by_name.entry(*function).or_default().push(index);
            bodies.push(SolverBody::new(*function, constraints.clone()));
        }
        overlay_arguments(functions, &by_name, resolve, &mut records);
        let mut solver = Solver {
            graph: Graph::new(records),
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

    fn meaning(&mut self, function: FunctionRef) -> Meaning {
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
        for term in &constraints.terms {
            let node = self.node(self.bodies[index].function, *term, &nodes);
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

    fn node(&mut self, function: FunctionRef, term: Term, nodes: &[NodeId]) -> NodeId {
        let at = |id: TermId| nodes[id.0 as usize];
        match term {
            Term::Register(_) | Term::Result | Term::Unknown(_) => self.graph.value(),
            Term::Content(term) | Term::Target(term) => self.graph.target(at(term)),
            Term::Address(cell) => {
                let value = self.graph.value();
                self.graph.set_target(value, at(cell));
                value
            }
            Term::Memory(local) => self.object(Object::Local(function, local)),
            Term::Heap(site) => self.object(Object::Heap(function, site)),
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

    fn object(&mut self, object: Object) -> NodeId {
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
        for call in &constraints.calls {
            self.call(index, call);
        }
        self.link_all();
    }

    fn effects(&mut self, effects: &Effects, nodes: &[NodeId]) {
        let at = |id: TermId| nodes[id.0 as usize];
        for (left, right) in &effects.equal {
            self.graph.unite(at(*left), at(*right));
        }
        for (left, right) in &effects.equal_if_pointer {
            self.graph.unite_if_pointer(at(*left), at(*right));
        }
        for (function, arguments) in &effects.callbacks {
            let cell = self.graph.target(at(*function));
            self.call_cell(cell, arguments, None, nodes);
        }
        self.shared.extend(effects.shared.iter().map(|id| at(*id)));
    }

    fn call(&mut self, index: usize, call: &Call) {
        let nodes = std::mem::take(&mut self.bodies[index].nodes);
        match call.callee {
            CalleeTerm::Direct(function) => {
                let meaning = self.meaning(function);
                let model = call
                    .model
                    .as_ref()
                    .filter(|model| !meaning.has_body || model.priority != Priority::Fallback);
                if let Some(model) = model {
                    self.effects(&model.effects, &nodes);
                }
                let replaced = model.is_some_and(|model| model.priority == Priority::Replaces);
                self.bodies[index].nodes = nodes;
                if meaning.has_body && !replaced {
                    let arguments = self.actuals(index, &call.arguments);
                    let result = self.actual(index, call.result.as_ref());
                    for body in meaning.bodies {
                        self.direct_call(index, call.site, body, &arguments, result);
                    }
                } else if model.is_none() {
                    self.unknown_call(index, call);
                }
            }
            CalleeTerm::Indirect(value) => {
                let cell = self.graph.target(nodes[value.0 as usize]);
                self.call_cell(cell, &call.arguments, call.result.as_ref(), &nodes);
                self.bodies[index].nodes = nodes;
                let key = (self.bodies[index].function, call.site);
                self.indirect_calls
                    .insert(key, (cell, call.arguments.len()));
            }
        }
    }

    /// A call of a function that only hands pointers on keeps its callers apart.
    fn direct_call(
        &mut self,
        caller: usize,
        site: StatementId,
        body: usize,
        arguments: &[Option<(NodeId, Flow)>],
        result: Option<(NodeId, Flow)>,
    ) {
        let wrapper = self.wrappers[body].clone();
        let linked: Vec<Option<(NodeId, Flow)>> = arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                argument.filter(|_| wrapper.handed_on.get(index) != Some(&true))
            })
            .collect();
        let (Some(wrapped), Some((value, flow))) = (&wrapper.result, result) else {
            return self.link(body, &linked, result);
        };
        self.link(body, &linked, None);
        if wrapped.fresh {
            let cell = self.object(Object::Heap(self.bodies[caller].function, site));
            let content = self.graph.target(cell);
            let pointed = self.graph.target(value);
            self.graph.unite(pointed, cell);
            for formal in &wrapped.contents {
                if let Some(Some((argument, _))) = arguments.get(*formal) {
                    let old = self.graph.target(*argument);
                    let old = self.graph.target(old);
                    self.graph.unite(content, old);
                }
            }
        }
        for formal in &wrapped.returned {
            if let Some(Some((argument, argument_flow))) = arguments.get(*formal) {
                self.flows(value, *argument, flow.min(*argument_flow));
            }
        }
    }

    /// Nobody knows what the function does with what it gets.
    fn unknown_call(&mut self, index: usize, call: &Call) {
        let nodes = &self.bodies[index].nodes;
        let values = call.arguments.iter().chain(call.result.as_ref());
        let values = values.filter_map(|argument| argument.value);
        let values = values.map(|value| nodes[value.0 as usize]);
        self.shared.extend(values);
    }

    /// A call of whatever function the cell is.
    fn call_cell(
        &mut self,
        cell: NodeId,
        arguments: &[Argument],
        result: Option<&Argument>,
        nodes: &[NodeId],
    ) {
        let signature = self.graph.add_signature(cell, arguments.len());
        let (formals, own_result) = self.graph.signatures[signature as usize].clone();
        let with_formals = arguments.iter().zip(formals);
        for (argument, formal) in with_formals.chain(result.map(|result| (result, own_result))) {
            if let Some(value) = argument.value {
                self.flows(nodes[value.0 as usize], formal, argument.flow);
            }
        }
    }

    fn flows(&mut self, left: NodeId, right: NodeId, flow: Flow) {
        match flow {
            Flow::Always => self.graph.unite(left, right),
            Flow::Perhaps => self.graph.unite_if_pointer(left, right),
            Flow::Never => {}
        }
    }

    fn actuals(&self, index: usize, arguments: &[Argument]) -> Vec<Option<(NodeId, Flow)>> {
        arguments
            .iter()
            .map(|argument| self.actual(index, Some(argument)))
            .collect()
    }

    fn actual(&self, index: usize, argument: Option<&Argument>) -> Option<(NodeId, Flow)> {
        let argument = argument?;
        let value = argument.value?;
        Some((self.bodies[index].nodes[value.0 as usize], argument.flow))
    }

    /// Arguments become formals, and the result comes back.
    fn link(
        &mut self,
        body: usize,
        arguments: &[Option<(NodeId, Flow)>],
        result: Option<(NodeId, Flow)>,
    ) {
        let constraints = self.bodies[body].constraints.clone();
        let formals = self.actuals(body, &constraints.formals);
        for (position, argument) in arguments.iter().enumerate() {
            let Some((actual, flow)) = *argument else {
                continue;
            };
            match formals.get(position) {
                Some(Some((formal, formal_flow))) => {
                    self.flows(actual, *formal, flow.min(*formal_flow));
                }
                Some(None) => {}
                None => match (self.bodies[body].extra, flow) {
                    (Some(extra), Flow::Always) => self.graph.offer(extra, actual),
                    (Some(extra), _) => self.flows(extra, actual, flow),
                    (None, _) => {}
                },
            }
        }
        let own = self.actual(body, constraints.result.as_ref());
        if let (Some((actual, flow)), Some((own, own_flow))) = (result, own) {
            self.flows(actual, own, flow.min(own_flow));
        }
    }

    /// Links the functions that turned up where something is called.
    fn link_all(&mut self) {
        while let Some((function, signature)) = self.graph.links.pop() {
            let function = self.addressed[function as usize];
            let (formals, result) = self.graph.signatures[signature as usize].clone();
            let arguments: Vec<Option<(NodeId, Flow)>> = formals
                .iter()
                .map(|formal| Some((*formal, Flow::Always)))
                .collect();
            let bodies = self.bodies_of(function);
            if bodies.is_empty() {
                self.shared.extend(formals);
                self.shared.push(result);
            }
            for body in bodies {
                if self.bodies[body].accepts(arguments.len()) {
                    self.link(body, &arguments, Some((result, Flow::Always)));
                }
            }
        }
    }

    /// The bodies that run when a function is called through a pointer.
    fn bodies_of(&mut self, function: FunctionRef) -> Vec<usize> {
        let meaning = self.meaning(function);
        if meaning.has_body {
            return meaning.bodies;
        }
        self.library.get(&function).copied().into_iter().collect()
    }

    fn finish(mut self) -> PointsTo {
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
                .map_or(&[][..], |detail| detail.functions.as_slice());
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
        PointsTo::new(Solved {
            graph,
            functions: functions.collect(),
            globals: self.globals,
            library_objects: self.library_objects.into_values().collect(),
            function_cells: self.function_cells,
            addressed,
            objects: self.objects,
            shared: self.shared,
            call_targets,
        })
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
    fn accepts(&self, arguments: usize) -> bool {
        let formals = self.constraints.formals.len();
        arguments == formals || (self.constraints.variadic && arguments > formals)
    }
}

/// An argument that points to one record, where the function expects another, is a conversion.
fn overlay_arguments(
    functions: &[(FunctionRef, Arc<Constraints>)],
    by_name: &FxHashMap<FunctionRef, Vec<usize>>,
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    records: &mut Records,
) {
    for (_, constraints) in functions {
        for call in &constraints.calls {
            let CalleeTerm::Direct(function) = call.callee else {
                continue;
            };
            if call
                .arguments
                .iter()
                .all(|argument| argument.record.is_none())
            {
                continue;
            }
            let bodies = resolve(function);
            for body in bodies.iter().filter_map(|body| by_name.get(body)).flatten() {
                let formals = &functions[*body].1.formals;
                for (argument, formal) in call.arguments.iter().zip(formals) {
                    if let (Some(one), Some(other)) = (argument.record, formal.record) {
                        records.overlay(one, other);
                    }
                }
            }
        }
    }
}
