//! The part of a program that a run consists of: as long as it stays the same, so does what the run showed.

use super::mentioned::{Mentioned, records_in};
use super::program::{Meaning, Program};
use crate::ir::{Body, FunctionRef, GlobalRef, RecordLayout, RecordRef, Ty};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Functions with everything that running them depends on. Nothing in it says where a text stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    functions: BTreeMap<FunctionRef, Arc<Body>>,
    /// Functions that are mentioned and that the program does not have one body for.
    outside: BTreeMap<FunctionRef, Outside>,
    variables: BTreeMap<GlobalRef, Variable>,
    /// What gives those variables their first values.
    initialisers: Vec<Arc<Body>>,
    records: BTreeMap<RecordRef, Arc<RecordLayout>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Outside {
    /// There are several bodies.
    is_ambiguous: bool,
    declared: Option<Ty>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Variable {
    ty: Option<Ty>,
    is_defined: bool,
    is_undefined: bool,
}

impl Part {
    /// The part with exactly these functions.
    pub fn with(program: &Program, functions: &BTreeSet<FunctionRef>) -> Part {
        Collector::new(program).collect(functions.iter().copied(), false)
    }

    /// The part with everything that can be reached from these functions.
    pub fn reachable_from(
        program: &Program,
        functions: impl IntoIterator<Item = FunctionRef>,
    ) -> Part {
        Collector::new(program).collect(functions, true)
    }

    /// The functions, by the names of their bodies.
    pub fn functions(&self) -> impl Iterator<Item = &Arc<Body>> {
        self.functions.values()
    }

    /// The same part of a program as it is now.
    pub fn again(&self, program: &Program) -> Part {
        let names: BTreeSet<FunctionRef> = self.functions.keys().copied().collect();
        Part::with(program, &names)
    }
}

struct Collector<'p> {
    program: &'p Program,
    part: Part,
    /// Initialisers that are not in the part, by the variables that they give values to.
    open: Vec<(Vec<GlobalRef>, &'p Arc<Body>)>,
    types: Vec<Ty>,
    found: Vec<RecordRef>,
}

impl<'p> Collector<'p> {
    fn new(program: &'p Program) -> Collector<'p> {
        let initialisers = program.initialisers.iter();
        Collector {
            program,
            part: Part {
                functions: BTreeMap::new(),
                outside: BTreeMap::new(),
                variables: BTreeMap::new(),
                initialisers: Vec::new(),
                records: BTreeMap::new(),
            },
            open: initialisers.map(|body| (body.stored(), body)).collect(),
            types: Vec::new(),
            found: Vec::new(),
        }
    }

    fn collect(mut self, functions: impl IntoIterator<Item = FunctionRef>, all: bool) -> Part {
        let mut work: Vec<FunctionRef> = functions.into_iter().collect();
        loop {
            while let Some(name) = work.pop() {
                if let Meaning::Body(body) = self.program.function(name)
                    && self
                        .part
                        .functions
                        .insert(body.function, body.clone())
                        .is_none()
                {
                    let mentioned = self.add(body);
                    work.extend(mentioned.into_iter().filter(|_| all));
                }
            }
            let variables = &self.part.variables;
            let is_wanted = |(stored, _): &(Vec<GlobalRef>, &Arc<Body>)| {
                stored.iter().any(|it| variables.contains_key(it))
            };
            let wanted: Vec<_> = self.open.extract_if(.., |it| is_wanted(it)).collect();
            if wanted.is_empty() {
                break;
            }
            for (_, body) in wanted {
                self.part.initialisers.push(body.clone());
                let mentioned = self.add(body);
                work.extend(mentioned.into_iter().filter(|_| all));
            }
        }
        self.add_records();
        // In an order that does not depend on how they were found.
        let kept = &self.part.initialisers;
        let in_order = self.program.initialisers.iter();
        let in_order = in_order.filter(|body| kept.iter().any(|it| Arc::ptr_eq(it, body)));
        self.part.initialisers = in_order.cloned().collect();
        self.part
    }

    /// Adds what a body mentions, except other functions' bodies: these are returned.
    fn add(&mut self, body: &Body) -> Vec<FunctionRef> {
        let mentioned = Mentioned::of(body);
        for global in &mentioned.globals {
            let ty = self.program.global(*global);
            self.types.extend(ty.cloned());
            let variable = Variable {
                ty: ty.cloned(),
                is_defined: self.program.is_defined(*global),
                is_undefined: self.program.is_undefined(*global),
            };
            self.part.variables.insert(*global, variable);
        }
        for function in &mentioned.functions {
            let is_ambiguous = match self.program.function(*function) {
                Meaning::Body(_) => continue,
                Meaning::Ambiguous => true,
                Meaning::External => false,
            };
            let declared = self.program.declaration(*function).cloned();
            self.types.extend(declared.clone());
            let outside = Outside {
                is_ambiguous,
                declared,
            };
            self.part.outside.insert(*function, outside);
        }
        self.types.extend(mentioned.types);
        self.found.extend(mentioned.records);
        mentioned.functions.into_iter().collect()
    }

    fn add_records(&mut self) {
        for ty in &self.types {
            records_in(ty, &mut self.found);
        }
        let mut seen = FxHashSet::default();
        while let Some(record) = self.found.pop() {
            if seen.insert(record)
                && let Some(layout) = self.program.layout(record)
            {
                for field in &layout.fields {
                    records_in(&field.ty, &mut self.found);
                }
                self.part.records.insert(record, layout.clone());
            }
        }
    }
}
