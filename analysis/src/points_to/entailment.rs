//! Whether what a function said about pointers follows from what it says now, whatever the rest of the program says.

use super::constraints::{Argument, Constraints, Term, TermId};
use super::names::{Meaning, Names};
use super::solve::{Solver, SolverBody};
use super::standing::{Kinds, Marks, Standing};
use super::wrappers::Wrapper;
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Standing {
    /// Whether what the function said follows from what it says, whatever others say.
    pub(super) fn follows_locally(
        &mut self,
        index: usize,
        before: &Arc<Constraints>,
        now: &Arc<Constraints>,
    ) -> bool {
        let records = std::mem::take(&mut self.solver.graph.records);
        let mut local = self.local(index, now, before);
        local.graph.records = records;
        local.solve();
        let escaped = local.escaped();
        let kinds = Kinds::of_roots(&mut local);
        local.graph.begin_trial();
        let marks = Marks::new(&local);
        let follows = local.try_on_top(0, before)
            && local.graph.has_held(true)
            && marks.hold(&mut local, &kinds, &escaped, true);
        local.graph.end_trial();
        self.solver.graph.records = local.graph.records;
        follows
    }

    /// A solver that knows the function and what it calls, and of those nothing but how they are called.
    fn local(&self, index: usize, now: &Arc<Constraints>, before: &Arc<Constraints>) -> Solver {
        let mut local = Solver::with_records(Default::default(), Arc::default());
        let mut names = Names::default();
        let known = &self.solver.names;
        let function = self.solver.bodies[index].function;
        local.bodies.push(SolverBody::new(function, now.clone()));
        names.wrappers.push(known.wrappers[index].clone());
        names.by_name.insert(function, vec![0]);
        let mut numbers = FxHashMap::from_iter([(index, 0)]);
        for named in now.named_functions().chain(before.named_functions()) {
            if names.meanings.contains_key(&named) {
                continue;
            }
            let bodies = known.meaning(named).bodies.iter().map(|body| {
                *numbers.entry(*body).or_insert_with(|| {
                    let callee = &self.solver.bodies[*body];
                    let stub = Arc::new(callee.constraints.signature());
                    local.bodies.push(SolverBody::new(callee.function, stub));
                    names.wrappers.push(known.wrappers[*body].clone());
                    local.bodies.len() - 1
                })
            });
            let meaning = Meaning {
                bodies: bodies.collect(),
            };
            names.meanings.insert(named, meaning);
            if let Some(body) = known.library.get(&named) {
                let stub = Arc::new(self.solver.bodies[*body].constraints.signature());
                names.library.insert(named, local.bodies.len());
                local.bodies.push(SolverBody::new(named, stub));
                names.wrappers.push(Wrapper::default());
            }
        }
        local.names = Arc::new(names);
        local
    }
}

impl Constraints {
    /// How it is called, and nothing of what it does.
    fn signature(&self) -> Constraints {
        let mut signature = Constraints {
            variadic: self.variadic,
            ..Constraints::default()
        };
        let mut unknowns = 0..;
        let mut port = |argument: &Argument| Argument {
            value: argument.value.map(|_| {
                let id = signature.terms.len() as u32;
                signature.terms.extend(unknowns.next().map(Term::Unknown));
                TermId(id)
            }),
            ..argument.clone()
        };
        let formals: Vec<Argument> = self.formals.iter().map(&mut port).collect();
        let result = self.result.as_ref().map(port);
        signature.formals = formals;
        signature.result = result;
        signature
    }
}
