//! Locks behind pointers that can only point to one variable.

use crate::callgraph::{FunctionId, Functions};
use crate::ir::{Body, GlobalRef, LocalId, Operand, Place};
use crate::points_to::{Class, Object, PointsTo};
use crate::shared_list::SharedList;
use crate::symexec::{Definition, Path, Root, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, PoisonError, RwLock};

/// What a lock is found by.
#[derive(Clone, Copy)]
pub(super) struct Pointers<'p> {
    pub points_to: &'p PointsTo,
    pub functions: &'p Functions,
    /// Variables that are arrays: a pointer to one of them may be to any element.
    pub arrays: &'p FxHashSet<GlobalRef>,
}

/// The locks of each function that were asked for. All races that are known were found with these, so that they
/// are kept as long as the races of their functions are.
#[derive(Clone)]
pub(super) struct SoleLocks(SharedList<Arc<OfFunction>>);

/// By what the function calls the lock.
type OfFunction = RwLock<FxHashMap<Path, Option<Path>>>;

impl SoleLocks {
    pub fn new(functions: usize) -> SoleLocks {
        SoleLocks((0..functions).map(|_| Arc::default()).collect())
    }

    /// The same, so that what is found from now on is kept here alone.
    pub fn unshared(&self) -> SoleLocks {
        let functions = self.0.iter().map(|known| {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            Arc::new(RwLock::new(known.clone()))
        });
        SoleLocks(functions.collect())
    }

    /// What is known of all functions but these.
    pub fn without(&self, changed: impl IntoIterator<Item = FunctionId>) -> SoleLocks {
        let mut functions = self.0.clone();
        for function in changed {
            functions.set(function.0 as usize, Arc::default());
        }
        SoleLocks(functions)
    }

    /// The variable that a lock of a function is, if it can be no other one.
    pub fn find(&self, function: FunctionId, lock: &Path, by: Pointers<'_>) -> Option<Path> {
        let known = &self.0[function.0 as usize];
        let found = known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = found.get(lock) {
            return found.clone();
        }
        drop(found);
        let found = by.sole_lock(function, lock);
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(lock.clone(), found.clone());
        found
    }

    /// What a lock of a function was found to be, if somebody has asked.
    pub fn known(&self, function: FunctionId, lock: &Path) -> Option<Option<Path>> {
        let known = self.0[function.0 as usize].read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        known.get(lock).cloned()
    }

    /// Whether all locks of a function that were asked for are what they were.
    pub fn are_right_for(&self, function: FunctionId, now: Pointers<'_>) -> bool {
        let known = self.0[function.0 as usize].read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let mut known = known.iter();
        known.all(|(lock, sole)| now.sole_lock(function, lock) == *sole)
    }
}

impl Pointers<'_> {
    fn sole_lock(self, function: FunctionId, lock: &Path) -> Option<Path> {
        let at = lock.steps.iter().rposition(|step| *step == Step::Deref)?;
        let rest = &lock.steps[at + 1..];
        if rest.iter().any(|step| !matches!(step, Step::Field { .. })) {
            return None;
        }
        let class = self.pointed_to(self.functions.body(function), lock, at)?;
        match self.points_to.objects(class) {
            [Object::Global(global)] if !self.arrays.contains(global) => {
                Some(Path::new(Root::Global(*global)).extended(rest))
            }
            _ => None,
        }
    }

    /// The memory that the `at`-th step of a path, a dereference, leads to.
    fn pointed_to(self, body: &Body, path: &Path, at: usize) -> Option<Class> {
        let name = body.function;
        let register = |local: LocalId| self.points_to.pointee(name, &Operand::Local(local));
        let (mut class, done) = match path.root {
            Root::Formal(index) => (register(LocalId(index))?, 1),
            Root::Value(Definition::Merge(_, local)) => (register(local)?, 1),
            Root::Value(Definition::Statement(id)) => (register(body.statement(id).target()?)?, 1),
            Root::Global(global) => (self.points_to.place(name, &Place::global(global))?, 0),
            Root::Local(local) => (self.points_to.place(name, &Place::local(local))?, 0),
            _ => return None,
        };
        for step in &path.steps[done..=at] {
            class = match step {
                Step::Deref => self.points_to.deref(class)?,
                Step::Field { record, name } => self.points_to.field(class, *record, *name)?,
                Step::Index(_) => class,
                Step::Bytes(_) | Step::Computed(..) => return None,
            };
        }
        Some(class)
    }

    /// Whether the objects of a class are of a kind of which a program makes many, each for one owner.
    pub fn has_many_objects(self, class: Class) -> bool {
        let objects = self.points_to.objects(class);
        !objects.is_empty()
            && objects.iter().all(|object| match object {
                Object::Heap => true,
                Object::Global(global) => self.arrays.contains(global),
                _ => false,
            })
    }
}
