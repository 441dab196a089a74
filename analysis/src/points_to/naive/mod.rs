//! A slow twin of the solver: rules over lists of facts, applied until nothing changes.
//!
//! Tests compare the classes of both. Only the questions about records and about allocation
//! functions have the same answers from the same code.

mod facts;

use super::constraints::{
    Argument, CalleeTerm, Constraints, Effects, Flow, Priority, Term, TermId,
};
use super::names::Names;
use super::records::Records;
use super::solve::{record_uses, solved};
use super::wrappers::{Wrapper, wrappers};
use crate::ir::{FunctionRef, GlobalRef};
use facts::{Facts, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ustr::Ustr;

/// Two terms about which the solver and its slow twin disagree, in words; for tests.
#[doc(hidden)]
pub fn disagreement(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
) -> Option<String> {
    let mut fast = solved(functions, resolve);
    let slow = classes(functions, resolve);
    let (mut to_slow, mut to_fast) = (BTreeMap::new(), BTreeMap::new());
    for (index, (function, constraints)) in functions.iter().enumerate() {
        for (position, term) in constraints.terms.iter().enumerate() {
            let fast = fast.graph.find(fast.bodies[index].nodes[position]);
            let slow = slow[index][position];
            let here = format!("{term:?} of {} (term {position})", function.name);
            let (known_slow, there) = to_slow.entry(fast).or_insert((slow, here.clone()));
            if *known_slow != slow {
                return Some(format!("the solver alone unites {here} with {there}"));
            }
            let (known_fast, there) = to_fast.entry(slow).or_insert((fast, here.clone()));
            if *known_fast != fast {
                return Some(format!("the solver keeps {here} apart from {there}"));
            }
        }
    }
    None
}

/// The class of every term of every function, by any numbers.
fn classes(
    functions: &[(FunctionRef, Arc<Constraints>)],
    resolve: &dyn Fn(FunctionRef) -> Vec<FunctionRef>,
) -> Vec<Vec<usize>> {
    let mut program = {
        let uses = record_uses(functions, &Names::new(functions, resolve));
        Program::new(functions, resolve, Records::new(&uses))
    };
    program.read();
    while program.facts.apply_rules() | program.link_calls() {}
    let nodes = program.nodes.iter().take(functions.len());
    nodes
        .map(|nodes| {
            nodes
                .iter()
                .map(|node| program.facts.class[*node])
                .collect()
        })
        .collect()
}

struct Program<'a> {
    facts: Facts,
    bodies: Vec<(FunctionRef, Arc<Constraints>)>,
    own: usize,
    resolve: &'a dyn Fn(FunctionRef) -> Vec<FunctionRef>,
    nodes: Vec<Vec<Node>>,
    extra: Vec<Node>,
    globals: BTreeMap<GlobalRef, Node>,
    library: BTreeMap<Ustr, Node>,
    functions: BTreeMap<FunctionRef, Node>,
    wrappers: Vec<Wrapper>,
    /// Calls of cells: what is called, the arguments, the result.
    calls: Vec<(Node, Vec<Node>, Node)>,
    linked: BTreeSet<(FunctionRef, usize)>,
}

impl<'a> Program<'a> {
    fn new(
        functions: &[(FunctionRef, Arc<Constraints>)],
        resolve: &'a dyn Fn(FunctionRef) -> Vec<FunctionRef>,
        records: Records,
    ) -> Program<'a> {
        let mut program = Program {
            facts: Facts {
                records,
                ..Facts::default()
            },
            bodies: functions.to_vec(),
            own: functions.len(),
            resolve,
            nodes: Vec::new(),
            extra: Vec::new(),
            globals: BTreeMap::new(),
            library: BTreeMap::new(),
            functions: BTreeMap::new(),
            wrappers: Vec::new(),
            calls: Vec::new(),
            linked: BTreeSet::new(),
        };
        for (_, constraints) in functions {
            for (function, library) in &constraints.library {
                let own = program.own;
                let known = program.bodies[own..].iter().any(|body| body.0 == *function);
                if !known && program.bodies_of(*function).is_empty() {
                    program.bodies.push((*function, library.clone()));
                }
            }
        }
        let own: Vec<&Arc<Constraints>> = functions.iter().map(|function| &function.1).collect();
        let named = own.iter().flat_map(|said| said.named_functions());
        let bodies: BTreeMap<FunctionRef, Vec<usize>> = named
            .map(|function| (function, program.bodies_of(function)))
            .collect();
        program.wrappers = wrappers(&own, &|function| match bodies.get(&function) {
            Some(bodies) => &bodies[..],
            None => &[],
        });
        program
    }

    fn bodies_of(&self, function: FunctionRef) -> Vec<usize> {
        let mut found = Vec::new();
        for name in (self.resolve)(function) {
            let own = self.bodies[..self.own].iter().enumerate();
            found.extend(own.filter(|body| body.1.0 == name).map(|body| body.0));
        }
        found
    }

    fn read(&mut self) {
        for index in 0..self.bodies.len() {
            let constraints = self.bodies[index].1.clone();
            let mut nodes: Vec<Node> = Vec::new();
            for term in &constraints.terms {
                let node = self.term(*term, &nodes);
                nodes.push(node);
            }
            let variadic = constraints
                .terms
                .iter()
                .position(|term| *term == Term::Variadic);
            let extra = match variadic {
                Some(position) => self.facts.target(nodes[position]),
                None => self.facts.node(false),
            };
            self.nodes.push(nodes);
            self.extra.push(extra);
        }
        for index in 0..self.bodies.len() {
            self.read_body(index);
        }
    }

    fn term(&mut self, term: Term, nodes: &[Node]) -> Node {
        let at = |id: TermId| nodes[id.0 as usize];
        let facts = &mut self.facts;
        match term {
            Term::Register(_) | Term::Result | Term::Unknown(_) => facts.node(false),
            Term::Content(term) | Term::Target(term) => facts.target(at(term)),
            Term::Address(cell) | Term::Pointer(cell, _) => {
                let value = facts.node(false);
                facts.targets.push((value, at(cell)));
                value
            }
            Term::Memory(_) | Term::Heap(_) | Term::String(_) | Term::Variadic => facts.cell(),
            Term::Global(global) => *self.globals.entry(global).or_insert_with(|| facts.cell()),
            Term::Library(name) => *self.library.entry(name).or_insert_with(|| facts.cell()),
            Term::Function(name) => *self.functions.entry(name).or_insert_with(|| facts.cell()),
            Term::Field(term, label) => {
                let label = facts.records.label(label);
                facts.field(at(term), label)
            }
        }
    }

    fn read_body(&mut self, index: usize) {
        let constraints = self.bodies[index].1.clone();
        let nodes = self.nodes[index].clone();
        let at = |id: TermId| nodes[id.0 as usize];
        let facts = &mut self.facts;
        for (left, right) in &constraints.equal {
            facts.unite(at(*left), at(*right));
        }
        let pairs = constraints.equal_if_pointer.iter();
        facts
            .equal_if_pointer
            .extend(pairs.map(|pair| (at(pair.0), at(pair.1))));
        facts
            .shifted
            .extend(constraints.shifted.iter().map(|id| at(*id)));
        facts
            .spread
            .extend(constraints.spread.iter().map(|id| at(*id)));
        facts
            .taken
            .extend(constraints.taken.iter().map(|id| at(*id)));
        let collapsed = constraints.collapsed.iter();
        facts
            .collapsed
            .extend(collapsed.map(|(id, record)| (at(*id), *record)));
        let leaves = constraints.union_leaves.iter();
        facts
            .leaves
            .extend(leaves.map(|(id, union, bytes)| (at(*id), *union, *bytes)));
        for (id, record) in &constraints.first_words {
            if facts.records.has_layout(*record) {
                facts.first_words.push((at(*id), *record));
            } else {
                facts.collapsed.push((at(*id), *record));
            }
        }
        for container in &constraints.containers {
            let mut cell = at(container.inner);
            for label in container.path.iter().rev() {
                let label = facts.records.label(*label);
                cell = facts.container(cell, label);
            }
            facts.unite(cell, at(container.outer));
        }
        self.effects(&constraints.effects, &nodes);
        for call in &constraints.calls {
            match call.callee {
                CalleeTerm::Indirect(value) => {
                    let cell = self.facts.target(at(value));
                    self.call_cell(cell, &call.arguments, call.result.as_ref(), &nodes);
                }
                CalleeTerm::Direct(function) => {
                    let bodies = self.bodies_of(function);
                    let model = call.model.as_ref();
                    let model = model
                        .filter(|model| bodies.is_empty() || model.priority != Priority::Fallback);
                    if let Some(model) = model {
                        self.effects(&model.effects, &nodes);
                    }
                    if model.is_some_and(|model| model.priority == Priority::Replaces) {
                        continue;
                    }
                    for body in bodies {
                        self.direct_call(body, &call.arguments, call.result.as_ref(), &nodes);
                    }
                }
            }
        }
    }

    fn effects(&mut self, effects: &Effects, nodes: &[Node]) {
        let at = |id: TermId| nodes[id.0 as usize];
        for (left, right) in &effects.equal {
            self.facts.unite(at(*left), at(*right));
        }
        for (left, right) in &effects.equal_if_pointer {
            self.facts.equal_if_pointer.push((at(*left), at(*right)));
        }
        for (function, arguments) in &effects.callbacks {
            let cell = self.facts.target(at(*function));
            self.call_cell(cell, arguments, None, nodes);
        }
    }

    fn call_cell(
        &mut self,
        cell: Node,
        arguments: &[Argument],
        result: Option<&Argument>,
        nodes: &[Node],
    ) {
        let formals: Vec<Node> = arguments.iter().map(|_| self.facts.node(false)).collect();
        let own = self.facts.node(false);
        let pairs = arguments.iter().zip(&formals);
        for (argument, formal) in pairs.chain(result.map(|result| (result, &own))) {
            if let Some(value) = argument.value {
                self.facts
                    .flows(nodes[value.0 as usize], *formal, argument.flow);
            }
        }
        self.calls.push((cell, formals, own));
    }

    fn direct_call(
        &mut self,
        body: usize,
        arguments: &[Argument],
        result: Option<&Argument>,
        nodes: &[Node],
    ) {
        let wrapper = self.wrappers[body].clone();
        let actual = |argument: &Argument| {
            let value = argument.value?;
            Some((nodes[value.0 as usize], argument.flow))
        };
        let actuals: Vec<Option<(Node, Flow)>> = arguments.iter().map(actual).collect();
        let linked: Vec<Option<(Node, Flow)>> = actuals
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                argument.filter(|_| wrapper.handed_on.get(index) != Some(&true))
            })
            .collect();
        let result = result.and_then(actual);
        let (Some(wrapped), Some((value, flow))) = (&wrapper.result, result) else {
            return self.link(body, &linked, result);
        };
        self.link(body, &linked, None);
        if wrapped.fresh {
            let pointed = self.facts.target(value);
            let content = self.facts.target(pointed);
            for formal in &wrapped.contents {
                if let Some(Some((argument, _))) = actuals.get(*formal) {
                    let old = self.facts.target(*argument);
                    let old = self.facts.target(old);
                    self.facts.unite(content, old);
                }
            }
        }
        for formal in &wrapped.returned {
            if let Some(Some((argument, its_flow))) = actuals.get(*formal) {
                self.facts.flows(value, *argument, flow.min(*its_flow));
            }
        }
    }

    fn link(
        &mut self,
        body: usize,
        arguments: &[Option<(Node, Flow)>],
        result: Option<(Node, Flow)>,
    ) {
        let constraints = self.bodies[body].1.clone();
        let nodes = self.nodes[body].clone();
        for (position, argument) in arguments.iter().enumerate() {
            let Some((actual, flow)) = *argument else {
                continue;
            };
            match constraints.formals.get(position) {
                Some(formal) => {
                    if let Some(value) = formal.value {
                        let flow = flow.min(formal.flow);
                        self.facts.flows(actual, nodes[value.0 as usize], flow);
                    }
                }
                None if !constraints.variadic => {}
                None if flow == Flow::Always => self.facts.offers.push((self.extra[body], actual)),
                None => self.facts.flows(self.extra[body], actual, flow),
            }
        }
        let own = constraints.result.as_ref();
        if let (Some((actual, flow)), Some(own)) = (result, own)
            && let Some(value) = own.value
        {
            let flow = flow.min(own.flow);
            self.facts.flows(actual, nodes[value.0 as usize], flow);
        }
    }

    /// Calls of one class with one number of arguments are one call, of every function there.
    fn link_calls(&mut self) -> bool {
        let mut changed = false;
        for (index, (cell, formals, result)) in self.calls.clone().into_iter().enumerate() {
            for (other, its_formals, its_result) in self.calls.clone() {
                if self.facts.same(cell, other) && formals.len() == its_formals.len() {
                    for (one, its) in formals.iter().zip(&its_formals) {
                        changed |= self.facts.unite(*one, *its);
                    }
                    changed |= self.facts.unite(result, its_result);
                }
            }
            for (function, node) in self.functions.clone() {
                if !self.facts.same(node, cell) || !self.linked.insert((function, index)) {
                    continue;
                }
                changed = true;
                let mut bodies = self.bodies_of(function);
                if bodies.is_empty() {
                    let library = (self.own..self.bodies.len()).collect::<Vec<usize>>();
                    bodies = library;
                    bodies.retain(|body| self.bodies[*body].0 == function);
                }
                for body in bodies {
                    let constraints = &self.bodies[body].1;
                    let expected = constraints.formals.len();
                    if formals.len() == expected
                        || (constraints.variadic && formals.len() > expected)
                    {
                        let arguments: Vec<Option<(Node, Flow)>> = formals
                            .iter()
                            .map(|node| Some((*node, Flow::Always)))
                            .collect();
                        self.link(body, &arguments, Some((result, Flow::Always)));
                    }
                }
            }
        }
        changed
    }
}
