//! The solver as it stands when it has finished, and edits that leave everything as it stands.
//!
//! After an edit a function says other things about pointers. All stays as it is for everybody else if
//!
//! 1. what the function says now holds in the solution of before: so nothing else is united than before; and
//! 2. what it said before follows from what it and those around it say now, whatever the rest of the program says: so nothing is left out.
//!
//! Both are found by trying (`trial.rs`): the first on the solver of the whole program, the second (`entailment.rs`) on one that
//! knows nothing but what the function, or it and those around it, say now. What the function shares with the rest (its formals, its result, its variables in
//! memory) is the same for both versions. Wherever this does not settle it, the program is solved again.

use super::changes::Changes;
use super::constraints::{Constraints, Term};
use super::graph::{Graph, NONE, NodeId};
use super::renaming::SaidAgain;
use super::solution::{CallTargets, FunctionClasses, Object, PointsTo};
use super::solve::{Addressed, Resolve, Solver, SolverBody};
use super::surroundings::Surroundings;
use crate::ir::FunctionRef;
use crate::stop::Stop;
use rustc_hash::FxHashSet;
use std::cell::LazyCell;
use std::sync::Arc;

pub(super) struct Standing {
    pub solver: Solver,
    /// Of each cell its class, of each value the class that it points to.
    pub numbers: Vec<u32>,
    /// The class of strings that have nothing to do with anything else.
    pub lonely: Option<u32>,
    pub addressed: Vec<Addressed>,
    /// By root, whether others can get there.
    pub escaped: Vec<bool>,
    pub kinds: Kinds,
}

/// Which kinds of objects are in the cells of each root.
pub(super) struct Kinds(Vec<u8>);

const HEAP: u8 = 1;
const STRING: u8 = 2;
const OTHER: u8 = 4;

fn kind(object: &Object) -> u8 {
    match object {
        Object::Heap => HEAP,
        Object::String => STRING,
        Object::Global(_) | Object::Local(..) | Object::Function(_) => OTHER,
    }
}

impl Kinds {
    pub fn of_roots(solver: &mut Solver) -> Kinds {
        let mut kinds = vec![0; solver.graph.len()];
        for (cell, object) in &solver.objects {
            let root = solver.graph.find(*cell);
            kinds[root as usize] |= kind(object);
        }
        Kinds(kinds)
    }

    pub fn are_only_strings(&self, root: NodeId) -> bool {
        self.0[root as usize] == STRING
    }

    fn include(&self, root: NodeId, object: &Object) -> bool {
        self.0[root as usize] & kind(object) != 0
    }
}

impl Graph {
    /// Whether a cell has no members, holds no pointer, and is no part of anything.
    pub fn is_bare(&mut self, cell: NodeId) -> bool {
        let root = self.find(cell);
        let content = self.nodes[root as usize].target;
        let content = self.find(content);
        let mut nodes = [root, content].into_iter();
        self.nodes[content as usize].target == NONE && nodes.all(|node| self.is_plain(node))
    }

    /// Whether nothing is known of a node but what it leads to.
    pub fn is_plain(&self, node: NodeId) -> bool {
        let detail = self.known_detail(node);
        detail.is_none_or(|detail| detail.weight() == 0 && detail.rare.is_none())
    }
}

impl PointsTo {
    /// The relation after an edit by which functions say other things that make no difference to anybody else. If they may make
    /// one, the surroundings that are left, in which it can be solved again; `None` if none are. `all` gives what all functions say now.
    pub fn standing_after(
        &self,
        changed: &[SaidAgain<'_>],
        all: &dyn Fn() -> Vec<Arc<Constraints>>,
        resolve: Resolve<'_>,
    ) -> Result<(PointsTo, Changes), Option<Box<Surroundings>>> {
        // What is tried on the solver is undone behind it.
        Stop::unheard(|| self.tried_on_standing(changed, all, resolve))
    }

    fn tried_on_standing(
        &self,
        changed: &[SaidAgain<'_>],
        all: &dyn Fn() -> Vec<Arc<Constraints>>,
        resolve: Resolve<'_>,
    ) -> Result<(PointsTo, Changes), Option<Box<Surroundings>>> {
        let standing = self.standing.as_ref().ok_or(None)?;
        let mut standing = standing.lock().map_err(|_| None)?;
        let uses = standing.in_same_surroundings(self, changed, resolve);
        let uses = uses.ok_or(None)?;
        let wrappers = standing.other_wrappers(changed, all);
        let has_records = uses.come_to_the_same(&self.record_uses);
        if has_records
            && wrappers.is_none()
            && let Some(mut relation) = standing.after(self, changed, all)
        {
            relation.record_uses = uses;
            return Ok((relation, Changes::of_names()));
        }
        let left = standing.surroundings(wrappers, &self.record_uses, uses);
        Err(Some(Box::new(left)))
    }
}

/// What all functions say now, if somebody asks.
type AllSaid<'a> = LazyCell<Vec<Arc<Constraints>>, &'a dyn Fn() -> Vec<Arc<Constraints>>>;

/// What a function's own pointers are, according to a trial that succeeded.
struct Tried {
    classes: FunctionClasses,
    calls: CallTargets,
}

impl Standing {
    pub fn renumber(&mut self, renumber: impl Fn(&mut u32)) {
        self.numbers.iter_mut().for_each(&renumber);
        self.lonely.iter_mut().for_each(&renumber);
    }

    /// The relation if functions say other things in the same surroundings; `None` if these may make a difference to others.
    fn after(
        &mut self,
        known: &PointsTo,
        changed: &[SaidAgain<'_>],
        all: &dyn Fn() -> Vec<Arc<Constraints>>,
    ) -> Option<PointsTo> {
        let all = LazyCell::new(all);
        let mut relation = known.clone();
        for (function, before, now) in changed {
            let tried = self.tried(*function, before, now, &all)?;
            let known_calls = known.call_targets.get(*function);
            if known_calls.is_none() && !tried.calls.is_empty() {
                return None;
            }
            relation
                .functions
                .replace(*function, Arc::new(tried.classes));
            relation
                .call_targets
                .replace(*function, Arc::new(tried.calls));
        }
        Some(relation)
    }

    fn tried(
        &mut self,
        function: FunctionRef,
        before: &Arc<Constraints>,
        now: &Arc<Constraints>,
        all: &AllSaid<'_>,
    ) -> Option<Tried> {
        let index = self.index_of(function)?;
        let alone = [(index, now.clone())];
        if !self.follows_from(&alone, before) {
            // What a function leaves out, one beside it often says.
            let around = self.solver.positions_around(index);
            let others = around.filter(|position| *position != index);
            let others = others.filter_map(|position| Some((position, all.get(position)?.clone())));
            let together: Vec<_> = alone.into_iter().chain(others).collect();
            if !self.follows_from(&together, before) {
                return None;
            }
        }
        self.solver.graph.begin_trial();
        let tried = self.try_function(index, now);
        self.solver.graph.end_trial();
        tried
    }

    /// Tries what a function says now, and finds out what its pointers point to.
    fn try_function(&mut self, index: usize, now: &Arc<Constraints>) -> Option<Tried> {
        let marks = Marks::new(&self.solver);
        let known_calls = std::mem::take(&mut self.solver.indirect_calls);
        let tried = self.solver.try_on_top(index, now);
        let holds = tried
            && self.solver.graph.has_held(false)
            && marks.hold(
                &mut self.solver,
                &self.kinds,
                &self.escaped,
                self.lonely.is_some(),
            );
        let calls = std::mem::replace(&mut self.solver.indirect_calls, known_calls);
        let found = holds.then(|| {
            let nodes = self.solver.bodies.last().map(|body| body.nodes.clone());
            let nodes = nodes.unwrap_or_default();
            let numbers: Vec<u32> = nodes.iter().map(|node| self.number(*node)).collect();
            let classes =
                FunctionClasses::new(now, &(0..).take(nodes.len()).collect::<Vec<_>>(), |node| {
                    numbers[node as usize]
                });
            let calls = calls.into_iter().map(|((_, site), (cell, count))| {
                let targets = self.solver.call_targets(&self.addressed, cell, count);
                (site, targets)
            });
            Tried {
                calls: calls.collect(),
                classes,
            }
        });
        marks.forget(&mut self.solver);
        found
    }

    /// The class of a cell, or the class that a value points to.
    fn number(&mut self, node: NodeId) -> u32 {
        let graph = &mut self.solver.graph;
        let cell = match graph.is_cell(node) {
            true => Some(graph.find(node)),
            false => graph.existing_target(node),
        };
        match cell {
            Some(cell) if graph.stands(cell) => self.numbers[cell as usize],
            // All other new cells would have made the trial fail.
            Some(_) => self.lonely.unwrap_or(NONE),
            None => NONE,
        }
    }
}

impl Solver {
    /// Tries what a function says in place of what its body says; what it shares with others is the same.
    /// Says whether that was possible.
    pub(super) fn try_on_top(&mut self, index: usize, constraints: &Arc<Constraints>) -> bool {
        let Some(nodes) = self.try_terms(index, constraints) else {
            return false;
        };
        let known = &self.bodies[index];
        let variadic = |constraints: &Constraints| {
            let mut terms = constraints.terms.iter();
            terms.position(|term| *term == Term::Variadic)
        };
        let extra = match variadic(constraints) {
            Some(position) => Some(self.graph.target(nodes[position])),
            None => known.extra,
        };
        let known = &self.bodies[index];
        let mut same: Vec<(NodeId, NodeId)> = Vec::new();
        let formals = known.constraints.formals.iter().zip(&constraints.formals);
        let results = known.constraints.result.iter().zip(&constraints.result);
        for (old, new) in formals.chain(results) {
            if let (Some(old), Some(new)) = (old.value, new.value) {
                same.push((known.node(old), nodes[new.0 as usize]));
            }
        }
        same.extend(known.extra.zip(extra));
        let function = known.function;
        for (old, new) in same {
            self.graph.unite(old, new);
        }
        let mut body = SolverBody::new(function, constraints.clone());
        body.nodes = Arc::new(nodes);
        body.extra = extra;
        self.bodies.push(body);
        self.apply(self.bodies.len() - 1);
        true
    }

    /// The nodes of a function's terms; `None` if it mentions something that nobody has mentioned so far.
    fn try_terms(&mut self, index: usize, constraints: &Constraints) -> Option<Vec<NodeId>> {
        let known = &self.bodies[index];
        let nodes = known.nodes.iter();
        let nodes = nodes.map(|node| known.first.saturating_add(*node));
        let terms = known.constraints.terms.iter().zip(nodes);
        let memory = terms
            .clone()
            .filter(|(term, _)| matches!(term, Term::Memory(_)));
        let mut memory = memory.map(|(_, node)| node).collect::<Vec<_>>().into_iter();
        let variadic = { terms }.find(|(term, _)| **term == Term::Variadic);
        let variadic = variadic.map(|(_, node)| node);
        let mut nodes = Vec::with_capacity(constraints.terms.len());
        for term in &constraints.terms {
            let node = match term {
                Term::Memory(_) => memory.next()?,
                Term::Variadic => variadic?,
                Term::Global(global) => *self.globals.get(global)?,
                Term::Function(function) => *self.function_cells.get(function)?,
                Term::Library(name) => *self.library_objects.get(name)?,
                _ => self.node(*term, &nodes),
            };
            nodes.push(node);
        }
        self.graph.run();
        memory.next().is_none().then_some(nodes)
    }
}

/// How much the solver knew before a trial.
pub(super) struct Marks {
    nodes: NodeId,
    bodies: usize,
    objects: usize,
    shared: usize,
}

impl Marks {
    pub fn new(solver: &Solver) -> Marks {
        Marks {
            nodes: solver.graph.len() as NodeId,
            bodies: solver.bodies.len(),
            objects: solver.objects.len(),
            shared: solver.shared.len(),
        }
    }

    fn forget(self, solver: &mut Solver) {
        solver.bodies.truncate(self.bodies);
        solver.objects.truncate(self.objects);
        solver.shared.truncate(self.shared);
    }

    /// Whether there are no other objects than before, others get at nothing else, and no new cell is left.
    pub fn hold(
        &self,
        solver: &mut Solver,
        kinds: &Kinds,
        escaped: &[bool],
        has_lonely_strings: bool,
    ) -> bool {
        let objects = solver.objects[self.objects..].to_vec();
        let mut strings = FxHashSet::default();
        for (cell, object) in objects {
            let root = solver.graph.find(cell);
            if solver.graph.stands(root) {
                if !kinds.include(root, &object) {
                    return false;
                }
            } else if object == Object::String && solver.graph.is_bare(root) && has_lonely_strings {
                strings.insert(root);
            } else {
                return false;
            }
        }
        for node in self.nodes..solver.graph.len() as NodeId {
            let graph = &mut solver.graph;
            if graph.is_cell(node) {
                let root = graph.find(node);
                if !graph.stands(root) && !strings.contains(&root) {
                    return false;
                }
            }
        }
        let shared = solver.shared[self.shared..].to_vec();
        shared.into_iter().all(|value| {
            let graph = &mut solver.graph;
            let root = graph.find(value);
            if graph.stands(root) {
                return escaped[root as usize];
            }
            if graph.known_detail(root).is_some() {
                return false;
            }
            match graph.existing_target(root) {
                Some(target) => graph.stands(target) && escaped[target as usize],
                None => true,
            }
        })
    }
}
