//! Arguments become formals and results come back: calls of functions, of pointers, of libraries.

use super::constraints::{Argument, Call, CalleeTerm, Effects, Flow, Priority, TermId};
use super::graph::NodeId;
use super::solution::Object;
use super::solve::Solver;
use super::wrappers::Wrapper;
use smallvec::SmallVec;

/// The values that go into a call. Few calls have more arguments.
type Passed = SmallVec<[Option<(NodeId, Flow)>; 6]>;

impl Solver {
    pub(super) fn call(&mut self, index: usize, call: &Call) {
        let nodes = self.bodies[index].nodes.clone();
        match call.callee {
            CalleeTerm::Direct(function) => {
                let names = self.names.clone();
                let meaning = names.meaning(function);
                let has_body = meaning.has_body();
                let model = { call.model.as_ref() }
                    .filter(|model| !has_body || model.priority != Priority::Fallback);
                if let Some(model) = model {
                    self.effects(&model.effects, &nodes);
                }
                let replaced = model.is_some_and(|model| model.priority == Priority::Replaces);
                if has_body && !replaced {
                    let arguments = self.actuals(index, &call.arguments);
                    let result = self.actual(index, call.result.as_ref());
                    for body in &meaning.bodies {
                        self.direct_call(*body, &names.wrappers[*body], &arguments, result);
                    }
                } else if model.is_none() {
                    self.unknown_call(index, call);
                }
            }
            CalleeTerm::Indirect(value) => {
                let cell = self.graph.target(nodes[value.0 as usize]);
                self.call_cell(cell, &call.arguments, call.result.as_ref(), &nodes);
                let key = (self.bodies[index].function, call.site);
                self.indirect_calls
                    .insert(key, (cell, call.arguments.len()));
            }
        }
    }

    /// A call of a function that only hands pointers on keeps its callers apart.
    fn direct_call(
        &mut self,
        body: usize,
        wrapper: &Wrapper,
        arguments: &[Option<(NodeId, Flow)>],
        result: Option<(NodeId, Flow)>,
    ) {
        let linked: Passed = arguments
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
            let cell = self.object(Object::Heap);
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

    fn actuals(&self, index: usize, arguments: &[Argument]) -> Passed {
        arguments
            .iter()
            .map(|argument| self.actual(index, Some(argument)))
            .collect()
    }

    fn actual(&self, index: usize, argument: Option<&Argument>) -> Option<(NodeId, Flow)> {
        let argument = argument?;
        let value = argument.value?;
        Some((self.bodies[index].node(value), argument.flow))
    }

    /// Arguments become formals, and the result comes back.
    fn link(
        &mut self,
        body: usize,
        arguments: &[Option<(NodeId, Flow)>],
        result: Option<(NodeId, Flow)>,
    ) {
        let constraints = self.bodies[body].constraints.clone();
        for (position, argument) in arguments.iter().enumerate() {
            let Some((actual, flow)) = *argument else {
                continue;
            };
            match constraints.formals.get(position) {
                Some(formal) => {
                    if let Some((formal, formal_flow)) = self.actual(body, Some(formal)) {
                        self.flows(actual, formal, flow.min(formal_flow));
                    }
                }
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
    pub(super) fn link_all(&mut self) {
        while let Some((function, signature)) = self.graph.links.pop() {
            let function = self.addressed[function as usize];
            let (formals, result) = self.graph.signatures[signature as usize].clone();
            let arguments: Passed = formals
                .iter()
                .map(|formal| Some((*formal, Flow::Always)))
                .collect();
            let names = self.names.clone();
            let bodies = names.bodies_of(function);
            if bodies.is_empty() {
                self.shared.extend(formals);
                self.shared.push(result);
            }
            for body in bodies {
                if self.bodies[*body].accepts(arguments.len()) {
                    self.link(*body, &arguments, Some((result, Flow::Always)));
                }
            }
        }
    }

    pub(super) fn effects(&mut self, effects: &Effects, nodes: &[NodeId]) {
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
}
