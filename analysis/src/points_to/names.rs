//! Which functions the names in a program mean, and what their callers can rely on.

use super::constraints::Constraints;
use super::handled_calls::HandledCalls;
use super::solve::Resolve;
use super::wrappers::{Wrapper, other_wrappers, wrappers};
use crate::ir::FunctionRef;
use crate::stop;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Functions by name. Most edits of a body leave all of it as it is.
#[derive(Clone, Default)]
pub(super) struct Names {
    /// The bodies of the program, by their positions.
    pub by_name: FxHashMap<FunctionRef, Vec<usize>>,
    /// Of every function that is named somewhere.
    pub meanings: FxHashMap<FunctionRef, Meaning>,
    /// Library functions that are named as values; their bodies come behind those of the program.
    pub library: FxHashMap<FunctionRef, usize>,
    /// What callers can rely on, for each function of the program.
    pub wrappers: Vec<Wrapper>,
    /// Made when an edit first asks for them. They say what functions they are of, so that copies share them.
    calls: Arc<Mutex<HandledCalls>>,
}

/// What a function's name means to a caller.
#[derive(Clone, Default)]
pub(super) struct Meaning {
    pub bodies: Vec<usize>,
}

impl Meaning {
    pub fn has_body(&self) -> bool {
        !self.bodies.is_empty()
    }
}

static UNKNOWN: Meaning = Meaning { bodies: Vec::new() };

impl Names {
    pub fn new(functions: &[(FunctionRef, Arc<Constraints>)], resolve: Resolve<'_>) -> Names {
        let mut names = Names::default();
        for (index, (function, _)) in functions.iter().enumerate() {
            names.by_name.entry(*function).or_default().push(index);
        }
        for (_, constraints) in functions {
            names.learn(constraints, resolve);
        }
        names.wrappers = names.wrappers_of(functions.iter().map(|function| &function.1));
        names
    }

    /// What callers can rely on, if functions say this.
    pub fn wrappers_of<'c>(
        &self,
        functions: impl Iterator<Item = &'c Arc<Constraints>>,
    ) -> Vec<Wrapper> {
        let functions: Vec<&Arc<Constraints>> = functions.collect();
        wrappers(&functions, &|function| &self.meaning(function).bodies)
    }

    /// What callers can rely on that is different after these functions were edited, by position.
    pub fn other_wrappers(
        &self,
        functions: &[Arc<Constraints>],
        edited: &[usize],
    ) -> Vec<(usize, Wrapper)> {
        let functions: Vec<&Arc<Constraints>> = functions.iter().collect();
        let bodies = |function| &self.meaning(function).bodies[..];
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.update(&functions, &bodies);
        let around = calls.around(edited);
        other_wrappers(&functions, &bodies, &self.wrappers, &around)
    }

    /// Finds out what the functions mean that somebody names.
    pub fn learn(&mut self, constraints: &Constraints, resolve: Resolve<'_>) {
        stop::ask();
        for function in constraints.named_functions() {
            if self.meanings.contains_key(&function) {
                continue;
            }
            let bodies = resolve(function);
            let bodies = bodies.iter().filter_map(|body| self.by_name.get(body));
            let bodies = bodies.flatten().copied().collect();
            self.meanings.insert(function, Meaning { bodies });
        }
    }

    /// Whether it is known what all functions mean that somebody names.
    pub fn know(&self, constraints: &Constraints) -> bool {
        let mut named = constraints.named_functions();
        named.all(|function| self.meanings.contains_key(&function))
    }

    pub fn meaning(&self, function: FunctionRef) -> &Meaning {
        self.meanings.get(&function).unwrap_or(&UNKNOWN)
    }

    /// The bodies that run when a function is called through a pointer.
    pub fn bodies_of(&self, function: FunctionRef) -> &[usize] {
        let bodies = &self.meaning(function).bodies;
        match self.library.get(&function) {
            Some(library) if bodies.is_empty() => std::slice::from_ref(library),
            _ => bodies,
        }
    }
}
