//! A group of functions whose constraints are solved by themselves, reduced to what others have to do with.
//!
//! It stays what it is until one of its functions says something else, so that an edit solves one group and puts it together
//! with the others (`joining.rs`).

use super::constraints::{Constraints, Term};
use super::graph::NodeId;
use super::reduction::{Reduced, Reduction};
use super::solution::Object;
use super::solve::{Solver, SolverBody};
use super::standing::Kinds;
use crate::ir::{FunctionRef, GlobalRef, StatementId};
use std::ops::Range;
use std::sync::Arc;
use ustr::Ustr;

/// How many functions are a group: solving one should take less time than putting all together. Two of three are nobody's.
pub(super) const FUNCTIONS: usize = if cfg!(test) { 2 } else { 768 };

pub(super) struct Group {
    /// What its functions say.
    said: Vec<Arc<Constraints>>,
    pub graph: Reduced,
    pub bodies: Vec<GroupBody>,
    pub called: Vec<Called>,
    pub globals: Vec<(GlobalRef, NodeId)>,
    pub library_objects: Vec<(Ustr, NodeId)>,
    /// Functions whose address is taken, as the graph numbers them.
    pub addressed: Vec<(FunctionRef, NodeId)>,
    /// Without those that others may mention, too.
    pub objects: Vec<(NodeId, Object)>,
    pub shared: Vec<NodeId>,
    pub indirect_calls: Vec<((FunctionRef, StatementId), (NodeId, usize))>,
}

pub(super) struct GroupBody {
    /// The node of each term; what it points to if it is a value that nobody else has to do with, and `NONE` if that is nothing.
    pub nodes: Arc<Vec<NodeId>>,
    pub extra: Option<NodeId>,
}

/// A function outside that is called.
pub(super) struct Called {
    pub position: usize,
    /// What goes in and comes out.
    pub ports: Vec<NodeId>,
    pub extra: Option<NodeId>,
}

impl Group {
    /// Solves what some functions of a program say.
    pub fn new(program: &mut Solver, positions: Range<usize>) -> Group {
        let own = positions.len();
        let bodies =
            positions.map(|position| (position, program.bodies[position].constraints.clone()));
        let bodies: Vec<(usize, Arc<Constraints>)> = bodies.collect();
        let local = program.local(&bodies, None);
        let mut solver = local.solver;
        solver.graph.records = std::mem::take(&mut program.graph.records);
        solver.solve();
        let group = Group::of(&mut solver, own, &local.positions);
        program.graph.records = solver.graph.records;
        group
    }

    /// Whether it is what these functions say.
    pub fn is_of(&self, bodies: &[SolverBody]) -> bool {
        let pairs = self.said.iter().zip(bodies);
        let is_said = |(said, body): (&Arc<Constraints>, &SolverBody)| {
            Arc::ptr_eq(said, &body.constraints) || *said == body.constraints
        };
        self.said.len() == bodies.len() && { pairs }.all(is_said)
    }

    fn of(solver: &mut Solver, own: usize, positions: &[usize]) -> Group {
        let kinds = Kinds::of_roots(solver);
        let interface = interface(solver);
        let reduction = Reduction::new(&mut solver.graph, interface, &kinds);
        let graph = &mut solver.graph;
        let reduced = reduction.reduced(graph);
        let mut kept = |node: NodeId| reduction.node(graph, node);
        let mut bodies = Vec::new();
        let mut called = Vec::new();
        for (number, body) in solver.bodies.iter().enumerate() {
            let extra = body.extra.map(&mut kept);
            if number < own {
                let nodes = body.nodes.iter().map(|node| kept(*node)).collect();
                let nodes = Arc::new(nodes);
                bodies.push(GroupBody { nodes, extra });
            } else {
                let ports = body.constraints.ports();
                called.push(Called {
                    position: positions[number],
                    ports: ports.map(|port| kept(body.node(port))).collect(),
                    extra,
                });
            }
        }
        let own_objects = solver
            .objects
            .iter()
            .filter(|(_, object)| !matches!(object, Object::Global(_) | Object::Function(_)));
        let mut objects: Vec<(NodeId, Object)> = own_objects
            .map(|(cell, object)| (kept(*cell), *object))
            .collect();
        objects.sort_unstable();
        objects.dedup();
        let mut shared: Vec<NodeId> = solver.shared.iter().map(|value| kept(*value)).collect();
        shared.sort_unstable();
        shared.dedup();
        let said = solver.bodies[..own].iter();
        let mut globals: Vec<(GlobalRef, NodeId)> = Vec::new();
        globals.extend(solver.globals.iter().map(|(key, cell)| (*key, kept(*cell))));
        globals.sort_unstable_by_key(|(_, cell)| *cell);
        let library = solver.library_objects.iter();
        let addressed = solver.addressed.iter();
        let calls = solver.indirect_calls.iter();
        Group {
            said: said.map(|body| body.constraints.clone()).collect(),
            graph: reduced,
            library_objects: library.map(|(key, cell)| (*key, kept(*cell))).collect(),
            addressed: addressed
                .map(|function| (*function, kept(solver.function_cells[function])))
                .collect(),
            indirect_calls: calls
                .map(|(call, (cell, count))| (*call, (kept(*cell), *count)))
                .collect(),
            bodies,
            called,
            globals,
            objects,
            shared,
        }
    }
}

/// The nodes that others have to do with: what has a name everywhere, what goes in and out of functions, and what other versions of the
/// same functions share with these.
fn interface(solver: &Solver) -> Vec<NodeId> {
    let named = solver
        .globals
        .values()
        .chain(solver.library_objects.values());
    let named = named.chain(solver.function_cells.values());
    let mut interface: Vec<NodeId> = named.chain(&solver.shared).copied().collect();
    for body in &solver.bodies {
        interface.extend(body.extra);
        interface.extend(body.constraints.ports().map(|port| body.node(port)));
        let terms = body.constraints.terms.iter().zip(body.nodes.iter());
        let own = terms.filter(|(term, _)| matches!(term, Term::Memory(_) | Term::Variadic));
        interface.extend(own.map(|(_, node)| *node));
    }
    interface
}
