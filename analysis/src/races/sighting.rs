//! An access in one of its function's contexts.

use super::overlap::Described;
use super::protection::Protection;
use crate::accesses::Access;
use crate::callgraph::{CallGraph, FunctionId};
use crate::forks::Origin;
use crate::ir::{AccessKind, GlobalRef, LocalId, Operand, Place, RecordRef, StatementId};
use crate::locksets::Mode;
use crate::ownership::Owned;
use crate::points_to::{Class, Object, PointsTo};
use crate::symexec::{Definition, Index, Path, Root, Step, Targets};
use crate::threads::{Binder, Context, ContextId, Held, RootId, Running};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

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
    pub roots: Vec<RootId>,
    /// Threads that the accessing thread may have started by then.
    pub threads: BTreeMap<Origin, Running>,
    /// Nobody else knows the object, and why.
    pub owned: Option<Owned>,
}

impl Character {
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
}

impl Surroundings<'_> {
    /// Describes an access in a context.
    pub fn character(
        &self,
        access: &Access,
        function: FunctionId,
        context: &Context,
        roots: &BTreeSet<RootId>,
    ) -> Character {
        let held = held_locks(access, function, context);
        self.character_holding(access, function, context, roots, held)
    }

    /// Describes an access as if it held these locks.
    pub fn character_holding(
        &self,
        access: &Access,
        function: FunctionId,
        context: &Context,
        roots: &BTreeSet<RootId>,
        held: BTreeMap<Path, Held>,
    ) -> Character {
        let name = self.graph.functions.body(function).function;
        let binder = context.binder(name);
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
        let mut protection = Protection::default();
        let mut held_somewhere = context.held_somewhere.clone();
        for (lock, held) in held {
            let everywhere = binder.path(&lock);
            if let Some(relative) = &relative {
                protection.relate(&lock, relative, held.mode, owns);
                if let (Some(lock), Some(place)) = (&everywhere, &absolute) {
                    protection.relate(lock, place, held.mode, owns);
                }
            }
            if let Some(lock) = everywhere.filter(is_unique) {
                protection.name(lock, held.mode);
            } else if let Some(lock) = self.sole_lock(function, &lock) {
                protection.name(lock, held.mode);
            } else {
                held_somewhere.extend(lock.shape());
            }
        }
        // A lock in the same kind of object as the place is either that object's, or it is not its lock.
        let own: Vec<Step> = relative.as_ref().and_then(Path::shape).unwrap_or_default();
        let record = |step: &Step| match step {
            Step::Field { record, .. } => Some(*record),
            _ => None,
        };
        let records: BTreeSet<RecordRef> = own.iter().filter_map(record).collect();
        held_somewhere.retain(|shape| {
            let mut within = shape.iter().filter_map(record);
            !within.any(|record| records.contains(&record))
        });
        Character {
            writes: access.kind != AccessKind::Read,
            atomic: access.atomic,
            absolute,
            relative,
            protection,
            held_somewhere,
            roots: roots.iter().copied().collect(),
            threads: context.threads_at(&access.forks),
            owned: self.owned(access, context, &binder),
        }
    }

    /// Why nobody but the accessing thread knows the object, if it is so.
    fn owned(&self, access: &Access, context: &Context, binder: &Binder<'_>) -> Option<Owned> {
        let privacy = access.privacy.as_ref()?;
        let is_ordered = !self.unordered.contains(&access.cell.class);
        context
            .owned(privacy, binder)
            .filter(|_| is_ordered)
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

/// Whether a name that everybody knows stands for one lock only.
// UNSOUND: a lock that is named through a pointer in a global variable is taken to be the same lock
// wherever that name is used.
fn is_unique(path: &Path) -> bool {
    let is_single = match path.root {
        Root::Global(_) => true,
        Root::Frame(function, _) | Root::ForeignFrame(function, _) => function.name == "main",
        _ => false,
    };
    is_single && !path.has_unknown_index()
}
