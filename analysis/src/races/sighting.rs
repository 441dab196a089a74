//! An access in one of its function's contexts.

use super::moments::{Moments, When};
use super::overlap::Described;
use super::protection::{Accessed, Protection};
use super::references::Owners;
use crate::accesses::Access;
use crate::callgraph::{CallGraph, FunctionId};
use crate::ir::{AccessKind, GlobalRef, LocalId, Operand, Place, RecordRef, StatementId};
use crate::locksets::Mode;
use crate::ownership::Owned;
use crate::points_to::{Class, Object, PointsTo};
use crate::symexec::{Definition, Index, Path, Root, Step, Targets};
use crate::threads::{Binder, Context, ContextId, Held, RootId, is_unique};
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where an access was seen: which one, and in which context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Sighting {
    pub function: FunctionId,
    /// The number of the access among the function's.
    pub access: u32,
    pub context: ContextId,
}

/// A lock that is held at an access, as its function calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedLock {
    pub path: Path,
    pub mode: Mode,
    pub by: FunctionId,
    pub at: Option<StatementId>,
}

/// What pairing needs to know of a sighting. Sightings that agree on it are paired once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Character {
    pub writes: bool,
    pub atomic: bool,
    pub absolute: Option<Path>,
    pub relative: Option<Path>,
    pub protection: Protection,
    /// Locks that are held in objects that are not known to be the same, by the way from the object to them.
    pub held_somewhere: BTreeSet<Vec<Step>>,
    pub when: Arc<When>,
    /// Nobody else knows the object, and why.
    pub owned: Option<Owned>,
    /// The object's address is made known without order, so that who finds it may still see it as it was before.
    pub unordered: bool,
    /// The thread had the last reference to the object.
    pub had_last: bool,
    /// Then, the threads that gave up theirs before.
    pub others: Option<Arc<BTreeSet<RootId>>>,
    /// The thread may have no reference to the object any more.
    pub given_up: bool,
}

impl Character {
    /// Why nobody else knows the object, if whoever gets to know it finds it as its owner leaves it.
    pub fn owned_in_order(&self) -> Option<&Owned> {
        self.owned.as_ref().filter(|_| !self.unordered)
    }

    pub fn place(&self) -> Described<'_> {
        Described {
            absolute: self.absolute.as_ref(),
            relative: self.relative.as_ref(),
        }
    }
}

/// The locks held at an access in a context, each under all its names.
pub fn held_locks(
    access: &Access,
    function: FunctionId,
    context: &Context,
) -> BTreeMap<Path, Held> {
    context.held_at(&access.locks, function)
}

/// What is known besides the facts of single functions.
pub struct Surroundings<'s> {
    pub graph: &'s CallGraph<'s>,
    /// Variables that are arrays: a pointer to one of them may be to any element.
    pub arrays: FxHashSet<GlobalRef>,
    /// Memory of objects whose address is made known without order: what was done to them before is not
    /// certainly done for those who find them.
    pub unordered: FxHashSet<Class>,
    /// Counters that give each number to one taker.
    pub counters: FxHashSet<Class>,
    /// For each reference count, the threads that ever give up a reference.
    pub owners: Owners,
    pub moments: Moments<'s>,
    pub locks: LocksAtPoints,
}

/// A lock that is held somewhere, under the names by which it is compared.
pub struct BoundLock {
    /// As the function calls it.
    path: Path,
    /// As everybody does.
    everywhere: Option<Path>,
    /// A name that means the same lock for everybody.
    unique: Option<Path>,
    mode: Mode,
}

/// The locks of points of functions, in each of their contexts: many accesses share them.
#[derive(Default)]
pub struct LocksAtPoints(
    DashMap<(FunctionId, ContextId, usize), Arc<Vec<BoundLock>>, FxBuildHasher>,
);

/// A context of a function, and the threads that come there.
pub type ContextOf<'c> = (ContextId, &'c Context, &'c BTreeSet<RootId>);

impl Surroundings<'_> {
    /// Describes an access in a context.
    pub fn character(
        &self,
        access: &Access,
        function: FunctionId,
        context: ContextOf<'_>,
    ) -> Character {
        // The facts keep the locksets alive, so that an address stands for one of them.
        let point = (function, context.0, Arc::as_ptr(&access.locks) as usize);
        let known = self.locks.0.get(&point).map(|known| known.clone());
        let held = known.unwrap_or_else(|| {
            let held = held_locks(access, function, context.1);
            let bound = Arc::new(self.bound_locks(function, context.1, held));
            self.locks.0.insert(point, bound.clone());
            bound
        });
        self.character_with(access, function, context, &held)
    }

    fn bound_locks(
        &self,
        function: FunctionId,
        context: &Context,
        held: BTreeMap<Path, Held>,
    ) -> Vec<BoundLock> {
        let binder = self.binder(function, context);
        held.into_iter()
            .map(|(path, held)| {
                let everywhere = binder.path(&path);
                let unique = everywhere.clone().filter(is_unique);
                BoundLock {
                    unique: unique.or_else(|| self.sole_lock(function, &path)),
                    everywhere,
                    mode: held.mode,
                    path,
                }
            })
            .collect()
    }

    fn binder<'c>(&self, function: FunctionId, context: &'c Context) -> Binder<'c> {
        context.binder(self.graph.functions.body(function).function)
    }

    /// Describes an access as if it held these locks.
    pub fn character_holding(
        &self,
        access: &Access,
        function: FunctionId,
        context: ContextOf<'_>,
        held: BTreeMap<Path, Held>,
    ) -> Character {
        let bound = self.bound_locks(function, context.1, held);
        self.character_with(access, function, context, &bound)
    }

    fn character_with(
        &self,
        access: &Access,
        function: FunctionId,
        context_of: ContextOf<'_>,
        held: &[BoundLock],
    ) -> Character {
        let (_, context, _) = context_of;
        let binder = self.binder(function, context);
        let relative = match &access.place {
            Targets::Exactly(path) => Some(path.clone()),
            Targets::OneOf(_) | Targets::Unknown => None,
        };
        let named = access.own_element.as_ref().or(relative.as_ref());
        let absolute = named.and_then(|path| binder.path(path));
        let (relative, absolute) = if access.stretches {
            (relative.map(with_neighbours), absolute.map(with_neighbours))
        } else {
            (relative, absolute)
        };
        let owns = self.has_many_objects(access.cell.class);
        let accessed = |path| Accessed {
            path,
            owns,
            stretches: access.stretches,
        };
        let mut protection = Protection::default();
        let mut held_somewhere = context.held_somewhere.clone();
        for lock in held {
            if let Some(relative) = &relative {
                protection.relate(&lock.path, &accessed(relative), lock.mode);
                if let (Some(lock_there), Some(place)) = (&lock.everywhere, &absolute) {
                    protection.relate(lock_there, &accessed(place), lock.mode);
                }
            }
            match &lock.unique {
                Some(name) => protection.name(name.clone(), lock.mode),
                None => held_somewhere.extend(lock.path.shape()),
            }
        }
        // A lock in the same kind of object as the place is either that object's, or it is not its lock.
        let shape = relative.as_ref().and_then(Path::shape);
        let shape = shape.or_else(|| absolute.as_ref().and_then(Path::shape));
        let own: Vec<Step> = shape.unwrap_or_default();
        let record = |step: &Step| match step {
            Step::Field { record, .. } => Some(*record),
            _ => None,
        };
        let records: BTreeSet<RecordRef> = own.iter().filter_map(record).collect();
        held_somewhere.retain(|shape| {
            let mut within = shape.iter().filter_map(record);
            !within.any(|record| records.contains(&record))
        });
        let place = match &access.place {
            Targets::Exactly(place) => Some(place),
            Targets::OneOf(_) | Targets::Unknown => None,
        };
        let last = place.and_then(|place| context.last_reference(&access.references, place));
        let others = last
            .filter(|last| last.acquires)
            .and_then(|last| self.owners.get(&last.count));
        let given_up = place.is_some_and(|place| context.has_given_up(&access.references, place));
        Character {
            writes: access.kind != AccessKind::Read,
            atomic: access.atomic,
            absolute,
            relative,
            protection,
            held_somewhere,
            when: self.moments.at(function, context_of, access),
            owned: access
                .privacy
                .as_ref()
                .and_then(|privacy| context.owned(privacy, &binder)),
            unordered: self.unordered.contains(&access.cell.class),
            had_last: last.is_some(),
            others: others.cloned(),
            given_up,
        }
    }

    /// Whether the objects of a class are of a kind of which a program makes many, each for one owner.
    fn has_many_objects(&self, class: Class) -> bool {
        let objects = self.graph.points_to().objects(class);
        !objects.is_empty()
            && objects.iter().all(|object| match object {
                Object::Heap(..) => true,
                Object::Global(global) => self.arrays.contains(global),
                _ => false,
            })
    }

    /// A lock behind a pointer that can only point to one variable is that variable.
    fn sole_lock(&self, function: FunctionId, lock: &Path) -> Option<Path> {
        let at = lock.steps.iter().rposition(|step| *step == Step::Deref)?;
        let rest = &lock.steps[at + 1..];
        if rest.iter().any(|step| !matches!(step, Step::Field { .. })) {
            return None;
        }
        let class = self.pointed_to(function, lock, at)?;
        match self.graph.points_to().objects(class) {
            [Object::Global(global)] if !self.arrays.contains(global) => {
                Some(Path::new(Root::Global(*global)).extended(rest))
            }
            _ => None,
        }
    }

    /// The memory that the `at`-th step of a path, a dereference, leads to.
    fn pointed_to(&self, function: FunctionId, path: &Path, at: usize) -> Option<Class> {
        let points_to: &PointsTo = self.graph.points_to();
        let body = self.graph.functions.body(function);
        let name = body.function;
        let register = |local: LocalId| points_to.pointee(name, &Operand::Local(local));
        let (mut class, done) = match path.root {
            Root::Formal(index) => (register(LocalId(index))?, 1),
            Root::Value(Definition::Merge(_, local)) => (register(local)?, 1),
            Root::Value(Definition::Statement(id)) => (register(body.statement(id).target()?)?, 1),
            Root::Global(global) => (points_to.place(name, &Place::global(global))?, 0),
            Root::Local(local) => (points_to.place(name, &Place::local(local))?, 0),
            _ => return None,
        };
        for step in &path.steps[done..=at] {
            class = match step {
                Step::Deref => points_to.deref(class)?,
                Step::Field { record, name } => points_to.field(class, *record, *name)?,
                Step::Index(_) => class,
                Step::Bytes(_) | Step::Computed(..) => return None,
            };
        }
        Some(class)
    }
}

/// The place with the elements beside it.
fn with_neighbours(place: Path) -> Path {
    match place.split_last() {
        Some((array, Step::Index(_))) => array.then(Step::Index(Index::Any)),
        _ => place,
    }
}
