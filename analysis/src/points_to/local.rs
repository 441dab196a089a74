//! A solver for some functions of a program by themselves.

use super::constraints::{Argument, Constraints, Term, TermId};
use super::names::{Meaning, Names};
use super::solve::{Solver, SolverBody};
use crate::ir::FunctionRef;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) struct Local {
    pub solver: Solver,
    /// Where the program has the bodies of the solver. Those of the functions come first, those behind them are only called.
    pub positions: Vec<usize>,
}

impl Solver {
    /// A solver that knows what functions of the program say, and of those that they name nothing but how they are called. What somebody
    /// else names can be known in the same way. It has no records.
    pub(super) fn local(
        &self,
        functions: &[(usize, Arc<Constraints>)],
        also_named: Option<&Constraints>,
    ) -> Local {
        let mut local = Stubs {
            program: self,
            solver: Solver::with_records(Default::default(), Arc::default()),
            names: Names::default(),
            numbers: FxHashMap::default(),
            positions: Vec::new(),
        };
        for (position, constraints) in functions {
            local.add(*position, constraints.clone());
        }
        let said = functions.iter().map(|(_, constraints)| &**constraints);
        for constraints in said.chain(also_named) {
            for named in constraints.named_functions() {
                local.name(named);
            }
        }
        local.solver.names = Arc::new(local.names);
        Local {
            solver: local.solver,
            positions: local.positions,
        }
    }
}

struct Stubs<'p> {
    program: &'p Solver,
    solver: Solver,
    names: Names,
    /// Which body of the solver is which body of the program.
    numbers: FxHashMap<usize, usize>,
    positions: Vec<usize>,
}

impl Stubs<'_> {
    fn add(&mut self, position: usize, constraints: Arc<Constraints>) -> usize {
        let number = self.positions.len();
        let function = self.program.bodies[position].function;
        self.solver
            .bodies
            .push(SolverBody::new(function, constraints));
        let wrapper = self.program.names.wrappers.get(position);
        self.names
            .wrappers
            .push(wrapper.cloned().unwrap_or_default());
        self.numbers.insert(position, number);
        self.positions.push(position);
        number
    }

    fn called(&mut self, position: usize) -> usize {
        match self.numbers.get(&position) {
            Some(known) => *known,
            None => {
                let signature = self.program.bodies[position].constraints.signature();
                self.add(position, Arc::new(signature))
            }
        }
    }

    fn name(&mut self, function: FunctionRef) {
        if self.names.meanings.contains_key(&function) {
            return;
        }
        let program = self.program;
        let bodies = program.names.meaning(function).bodies.iter();
        let bodies = bodies.map(|body| self.called(*body)).collect();
        self.names.meanings.insert(function, Meaning { bodies });
        if let Some(body) = program.names.library.get(&function) {
            let number = self.called(*body);
            self.names.library.insert(function, number);
        }
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

    /// The values that go in and come out when it is called.
    pub(super) fn ports(&self) -> impl Iterator<Item = TermId> + '_ {
        let arguments = self.formals.iter().chain(&self.result);
        arguments.filter_map(|argument| argument.value)
    }
}
