//! A program that can be run: bodies by name, the types of its variables, the layouts of its records.
//!
//! Both the concurrent program, as the front end gives it, and the sequential one that the transformation of KISS
//! makes of it have this form. The sequential one calls the functions of [`intrinsics`] where C has no word.

use crate::frontend::layout::DataModel;
use crate::ir::{Body, FunctionRef, GlobalRef, RecordLayout, RecordRef, StatementId, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Functions that only sequential programs call, by their names.
pub mod intrinsics {
    /// `choose(n)` returns any value from 0 to n - 1.
    pub const CHOOSE: &str = "__racelens_choose";
    /// `assume(c)` ends the path in silence when c is zero.
    pub const ASSUME: &str = "__racelens_assume";
    /// Functions that begin so, with the argument's number and the function's name behind it, return whatever a harness
    /// may pass.
    pub const ARGUMENT: &str = "__racelens_argument_";
    /// `fail(code)` is the error that is looked for.
    pub const FAIL: &str = "__racelens_fail";
}

/// Everything that running needs to know; nothing of where the text stands.
#[derive(Clone, Debug)]
pub struct Program {
    pub data_model: DataModel,
    /// Where the first thread begins.
    pub entry: FunctionRef,
    /// Give variables of files their first values, in this order, before `entry` runs. Each runs on its own; what it
    /// makes in its frame, such as a compound literal, stays.
    pub initialisers: Vec<Arc<Body>>,
    bodies: Vec<Arc<Body>>,
    names: FxHashMap<FunctionRef, usize>,
    /// Names that mean several functions, or one whose `static` variables depend on the unit that calls it.
    ambiguous: FxHashSet<FunctionRef>,
    globals: FxHashMap<GlobalRef, Ty>,
    /// Variables that are only declared, so that nobody knows what they hold.
    undefined: FxHashSet<GlobalRef>,
    /// What the program declares about functions, with a body or without.
    declared: FxHashMap<FunctionRef, Ty>,
    layouts: FxHashMap<RecordRef, Arc<RecordLayout>>,
    /// Variables that some file of the program defines; all others belong to libraries.
    defined: FxHashSet<GlobalRef>,
}

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'p> {
    Body(&'p Arc<Body>),
    /// Which one cannot be told.
    Ambiguous,
    /// Known by a model, or not at all.
    External,
}

impl Program {
    pub fn new(data_model: DataModel, entry: FunctionRef) -> Program {
        Program {
            data_model,
            entry,
            initialisers: Vec::new(),
            bodies: Vec::new(),
            names: FxHashMap::default(),
            ambiguous: FxHashSet::default(),
            globals: FxHashMap::default(),
            undefined: FxHashSet::default(),
            declared: FxHashMap::default(),
            layouts: FxHashMap::default(),
            defined: FxHashSet::default(),
        }
    }

    /// Adds a function under the name in its body, with the records and `static` variables that it defines.
    pub fn add_function(&mut self, body: Arc<Body>) {
        self.add_definitions(&body);
        let name = body.function;
        self.bodies.push(body);
        self.add_name(name, self.bodies.len() - 1);
    }

    /// Says that `name` means the same function as `other`.
    pub fn add_alias(&mut self, name: FunctionRef, other: FunctionRef) {
        match self.names.get(&other) {
            Some(&index) => self.add_name(name, index),
            None => self.make_ambiguous(name),
        }
    }

    pub fn make_ambiguous(&mut self, name: FunctionRef) {
        self.ambiguous.insert(name);
    }

    pub fn add_initialiser(&mut self, body: Arc<Body>) {
        self.add_definitions(&body);
        self.initialisers.push(body);
    }

    /// The first type of a variable counts, unless it was incomplete.
    pub fn add_global(&mut self, global: GlobalRef, ty: Ty) {
        let known = self.globals.get(&global);
        let is_better = known.is_none_or(|known| self.size_of(known).is_none_or(|size| size == 0));
        if is_better {
            self.globals.insert(global, ty);
        }
    }

    /// Says that the variable belongs to something outside of the program.
    pub fn make_undefined(&mut self, global: GlobalRef) {
        self.undefined.insert(global);
    }

    pub fn is_undefined(&self, global: GlobalRef) -> bool {
        self.undefined.contains(&global)
    }

    /// Says that the program itself has this variable.
    pub fn define(&mut self, global: GlobalRef) {
        self.defined.insert(global);
    }

    pub fn is_defined(&self, global: GlobalRef) -> bool {
        self.defined.contains(&global)
    }

    /// The first declaration of a function counts.
    pub fn declare(&mut self, function: FunctionRef, ty: Ty) {
        self.declared.entry(function).or_insert(ty);
    }

    pub fn add_layout(&mut self, record: RecordRef, layout: Arc<RecordLayout>) {
        self.layouts.insert(record, layout);
    }

    fn add_definitions(&mut self, body: &Body) {
        for (record, layout) in &body.records {
            self.add_layout(*record, Arc::new(layout.clone()));
        }
        for (global, ty) in &body.static_locals {
            self.add_global(*global, ty.clone());
            self.define(*global);
        }
    }

    fn add_name(&mut self, name: FunctionRef, index: usize) {
        let known = self.names.insert(name, index);
        if known.is_some_and(|known| known != index) {
            self.ambiguous.insert(name);
        }
    }

    pub fn function(&self, name: FunctionRef) -> Meaning<'_> {
        if self.ambiguous.contains(&name) {
            return Meaning::Ambiguous;
        }
        match self.names.get(&name) {
            Some(&index) => Meaning::Body(&self.bodies[index]),
            None => Meaning::External,
        }
    }

    /// Every function with a body once, in the order in which they were added.
    pub fn bodies(&self) -> &[Arc<Body>] {
        &self.bodies
    }

    /// Every name with the number of its body; in no order.
    pub fn names(&self) -> impl Iterator<Item = (FunctionRef, usize)> {
        self.names.iter().map(|(name, index)| (*name, *index))
    }

    pub fn is_ambiguous(&self, name: FunctionRef) -> bool {
        self.ambiguous.contains(&name)
    }

    /// The type of a variable with static storage.
    pub fn global(&self, global: GlobalRef) -> Option<&Ty> {
        self.globals.get(&global)
    }

    /// Every variable with static storage; in no order.
    pub fn globals(&self) -> impl Iterator<Item = (GlobalRef, &Ty)> {
        self.globals.iter().map(|(global, ty)| (*global, ty))
    }

    /// The type that the program declares a function with.
    pub fn declaration(&self, function: FunctionRef) -> Option<&Ty> {
        self.declared.get(&function)
    }

    /// Every declared function; in no order.
    pub fn declarations(&self) -> impl Iterator<Item = (FunctionRef, &Ty)> {
        self.declared.iter().map(|(function, ty)| (*function, ty))
    }

    pub fn layout(&self, record: RecordRef) -> Option<&Arc<RecordLayout>> {
        self.layouts.get(&record)
    }

    /// Every known record; in no order.
    pub fn layouts(&self) -> impl Iterator<Item = (RecordRef, &Arc<RecordLayout>)> {
        self.layouts
            .iter()
            .map(|(record, layout)| (*record, layout))
    }

    /// The bytes of a complete type.
    pub fn size_of(&self, ty: &Ty) -> Option<u64> {
        let extent = self
            .data_model
            .extent(ty, &|record| self.layouts.get(&record).cloned());
        extent.map(|extent| extent.size)
    }
}

/// A sequential program with the way back to the concurrent one.
#[derive(Clone, Debug)]
pub struct SequentialProgram {
    pub program: Program,
    pub scheduling: super::sequential::Scheduling,
    /// Where statements of the sequential program come from; generated code that stands for nothing has no entry.
    pub origins: FxHashMap<(FunctionRef, StatementId), Origin>,
    /// What the argument of `fail` means.
    pub failures: Vec<Failure>,
    /// Statements of the concurrent program by the numbers that the sequential one calls them by.
    pub sites: Vec<Origin>,
}

/// A statement of the concurrent program, and what the generated one does for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    pub function: FunctionRef,
    pub statement: StatementId,
    pub role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The statement itself.
    Itself,
    /// A call of `schedule` in front of it.
    Schedule,
    /// The choice to end the thread in front of it.
    Raise,
    /// A check of the distinguished location in front of it.
    Check,
    /// Puts a thread into `ts`, or calls it at once.
    Start,
}

/// What an error of the sequential program says of the concurrent one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Failure {
    /// Two accesses to the distinguished location.
    Race,
    Assertion(FunctionRef, StatementId),
}
