//! An access in one of its function's contexts.

use super::looks::KnownLooks;
use super::moments::{Moments, When};
use super::overlap::Described;
use super::points::{BoundLock, HeldLocks, PointOfAccess};
use super::protection::{Accessed, Protection};
use super::references::Owners;
use super::sole_locks::{Pointers, SoleLocks};
use crate::accesses::{Access, Facts};
use crate::callgraph::{CallGraph, FunctionId};
use crate::dataflow::Fixed;
use crate::ir::{AccessKind, Body, GlobalRef, Landmark, RecordRef, StatementId};
use crate::locksets::Mode;
use crate::ownership::Owned;
use crate::points_to::Class;
use crate::references::Last;
use crate::stop::Aside;
use crate::symexec::{Index, Path, Root, Step, Targets, Value};
use crate::threads::{Binder, Context, ContextId, Contexts, Held, RootId, is_unique};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
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
    pub at: Option<Landmark>,
}

/// What pairing needs to know of a sighting. Sightings that agree on it are paired once.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// What there is to say about an access in whatever context.
pub struct Seen<'a> {
    access: &'a Access,
    pub(super) function: FunctionId,
    /// Its place, if there is one.
    place: Option<&'a Path>,
    /// The place as the thread calls it that it belongs to.
    named: Option<&'a Path>,
    pub(super) points: PointOfAccess<'a>,
    body: &'a Body,
    /// What its name depends on; `None` if its circumstances depend on more than what a glance shows.
    dependence: Option<Dependence>,
    pub kind: Kind,
}

impl Seen<'_> {
    pub fn statement(&self) -> StatementId {
        self.access.statement
    }

    /// The formal that a glance depends on beside the points of the access, if it depends on one; `None` if on more.
    pub fn formal(&self) -> Option<Option<u32>> {
        match self.dependence? {
            _ if self.access.privacy.is_some() => None,
            Dependence::Nothing => Some(None),
            Dependence::Formal(index) => Some(Some(index)),
            Dependence::Everything => None,
        }
    }
}

/// What tells the circumstances of an access apart, at little cost: where it is the same, they are equal.
#[derive(PartialEq, Eq)]
pub struct Glance {
    when: u32,
    locks: u32,
    held_somewhere: Fixed<BTreeSet<Vec<Step>>>,
    owned: Option<Owned>,
    /// What the context says about the place.
    bound: Bound,
}

impl Glance {
    /// Whether another one of the same access is the same at whatever moment.
    pub fn differs_in_time_only(&self, other: &Glance) -> bool {
        self.locks == other.locks
            && self.held_somewhere == other.held_somewhere
            && self.owned == other.owned
            && self.bound == other.bound
    }
}

#[derive(PartialEq, Eq)]
enum Bound {
    /// Nothing.
    Alone,
    /// The one formal that it starts from.
    Formal(Value),
    Whole(Option<Path>),
}

/// How much of a context the name of a place depends on.
#[derive(Clone, Copy)]
enum Dependence {
    Nothing,
    Formal(u32),
    Everything,
}

impl Dependence {
    fn of(place: Option<&Path>) -> Dependence {
        let Some(place) = place else {
            return Dependence::Nothing;
        };
        let is_chosen = |step: &Step| matches!(step, Step::Index(Index::Entry(_)));
        if place.steps.iter().any(is_chosen) {
            return Dependence::Everything;
        }
        match place.root {
            Root::Formal(index) => Dependence::Formal(index),
            // Its name is that of the function, too.
            Root::Local(_) => Dependence::Everything,
            _ => Dependence::Nothing,
        }
    }
}

/// What a character has of its access.
pub struct Kind {
    writes: bool,
    atomic: bool,
    relative: Option<Path>,
    /// What the place leads to through pointers is reached in no other way.
    owns: bool,
    /// More than what the name stands for may be touched.
    stretches: bool,
    unordered: bool,
}

/// What a character has of its context.
pub struct Circumstances {
    when: Arc<When>,
    locks: Arc<HeldLocks>,
    absolute: Option<Path>,
    owned: Option<Owned>,
    last: Option<Last>,
    given_up: bool,
    held_somewhere: Fixed<BTreeSet<Vec<Step>>>,
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
    pub arrays: Arc<FxHashSet<GlobalRef>>,
    /// Memory of objects whose address is made known without order: what was done to them before is not
    /// certainly done for those who find them.
    pub unordered: Arc<FxHashSet<Class>>,
    /// Counters that give each number to one taker.
    pub counters: FxHashSet<Class>,
    /// For each reference count, the threads that ever give up a reference.
    pub owners: Arc<Owners>,
    pub moments: Moments<'s>,
    pub facts: &'s Facts,
    pub contexts: &'s Contexts,
    pub(super) known: Aside<KnownLooks>,
    pub(super) sole_locks: SoleLocks,
}

/// A context of a function, and the threads that come there.
pub type ContextOf<'c> = (ContextId, &'c Context, &'c BTreeSet<RootId>);

impl Surroundings<'_> {
    /// What there is to say about an access in whatever context.
    pub fn seen<'a>(&'a self, access: &'a Access, function: FunctionId) -> Seen<'a> {
        let place = match &access.place {
            Targets::Exactly(path) => Some(path),
            Targets::OneOf(_) | Targets::Unknown => None,
        };
        let stretched = |path: &Path| match access.stretches {
            true => with_neighbours(path.clone()),
            false => path.clone(),
        };
        let named = access.own_element.as_ref().or(place);
        let is_plain = access.references.is_idle();
        Seen {
            access,
            function,
            place,
            named,
            body: self.graph.functions.body(function),
            dependence: is_plain.then(|| Dependence::of(named)),
            points: self
                .known
                .points
                .of(function, &self.facts[function.0 as usize], self.contexts)
                .of_access(access),
            kind: Kind {
                writes: access.kind != AccessKind::Read,
                atomic: access.atomic,
                relative: place.map(stretched),
                owns: self.pointers().has_many_objects(access.cell.class),
                stretches: access.stretches,
                unordered: self.unordered.contains(&access.cell.class),
            },
        }
    }

    /// Describes an access in a context.
    pub fn character(
        &self,
        access: &Access,
        function: FunctionId,
        context: ContextOf<'_>,
    ) -> Character {
        let seen = self.seen(access, function);
        self.described(&seen.kind, self.circumstances(&seen, context))
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

    /// A lock behind a pointer that can only point to one variable is that variable.
    pub(super) fn sole_lock(&self, function: FunctionId, lock: &Path) -> Option<Path> {
        self.sole_locks.find(function, lock, self.pointers())
    }

    fn pointers(&self) -> Pointers<'_> {
        Pointers {
            points_to: self.graph.points_to(),
            functions: self.graph.functions,
            arrays: &self.arrays,
        }
    }

    fn binder<'c>(&'c self, function: FunctionId, context: &'c Context) -> Binder<'c> {
        context.binder(self.graph.functions.body(function))
    }

    /// Whether two contexts of a function give the same names for everybody to these locks and places.
    pub(super) fn are_named_alike<'l>(
        &self,
        function: FunctionId,
        contexts: [&Context; 2],
        mut paths: impl Iterator<Item = &'l Path>,
    ) -> bool {
        let [one, other] = contexts.map(|context| self.binder(function, context));
        paths.all(|path| one.path(path) == other.path(path))
    }

    /// Describes an access as if it held these locks.
    pub fn character_holding(
        &self,
        access: &Access,
        function: FunctionId,
        context: ContextOf<'_>,
        held: BTreeMap<Path, Held>,
    ) -> Character {
        let seen = self.seen(access, function);
        let circumstances = Circumstances {
            locks: self
                .known
                .points
                .shared(self.bound_locks(function, context.1, held)),
            ..self.circumstances(&seen, context)
        };
        self.described(&seen.kind, circumstances)
    }

    /// Looks at what a context makes of an access. `None` if that is not so simple.
    pub(super) fn glance(&self, seen: &Seen<'_>, id: ContextId) -> Option<Glance> {
        let context_of = self.contexts.nth(seen.function, id.0 as usize)?;
        let context = context_of.1;
        if !context.last.is_empty() || !context.given_up.is_empty() {
            return None;
        }
        let binder = context.binder(seen.body);
        let bound = match seen.dependence? {
            Dependence::Nothing => Bound::Alone,
            Dependence::Formal(index) => match context.bindings.get(index as usize) {
                Some(value) => Bound::Formal(value.clone()),
                None => Bound::Alone,
            },
            Dependence::Everything => Bound::Whole(seen.named.and_then(|path| binder.path(path))),
        };
        let privacy = seen.access.privacy.as_ref();
        Some(Glance {
            when: self.when(seen, context_of).number(),
            locks: self.locks(seen, id, context).number(),
            held_somewhere: context.held_somewhere.clone(),
            owned: privacy.and_then(|privacy| context.owned(privacy, &binder)),
            bound,
        })
    }

    fn when<'a>(&self, seen: &Seen<'a>, context_of: ContextOf<'_>) -> &'a Arc<When> {
        let find = || self.moments.at(seen.function, context_of, seen.access);
        seen.points.moment(context_of.0, find)
    }

    fn locks<'a>(&self, seen: &Seen<'a>, id: ContextId, context: &Context) -> &'a Arc<HeldLocks> {
        seen.points.held(&self.known.points, id, || {
            let held = held_locks(seen.access, seen.function, context);
            self.bound_locks(seen.function, context, held)
        })
    }

    /// What a context makes of an access.
    pub fn circumstances(&self, seen: &Seen<'_>, context_of: ContextOf<'_>) -> Circumstances {
        let (id, context, _) = context_of;
        let access = seen.access;
        let binder = context.binder(seen.body);
        let absolute = seen.named.and_then(|path| binder.path(path));
        let absolute = match access.stretches {
            true => absolute.map(with_neighbours),
            false => absolute,
        };
        let privacy = access.privacy.as_ref();
        Circumstances {
            absolute,
            locks: self.locks(seen, id, context).clone(),
            held_somewhere: context.held_somewhere.clone(),
            when: self.when(seen, context_of).clone(),
            owned: privacy.and_then(|privacy| context.owned(privacy, &binder)),
            last: seen
                .place
                .and_then(|place| context.last_reference(&access.references, place)),
            given_up: seen
                .place
                .is_some_and(|place| context.has_given_up(&access.references, place)),
        }
    }

    /// Describes an access of a kind in its circumstances.
    pub fn described(&self, kind: &Kind, circumstances: Circumstances) -> Character {
        let absolute = circumstances.absolute;
        let relative = kind.relative.as_ref();
        let accessed = |path| Accessed {
            path,
            owns: kind.owns,
            stretches: kind.stretches,
        };
        let mut protection = Protection::default();
        let mut held_somewhere = BTreeSet::clone(&circumstances.held_somewhere);
        for lock in &circumstances.locks.locks {
            if let Some(relative) = relative {
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
        if !held_somewhere.is_empty() {
            let shape = relative.and_then(Path::shape);
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
        }
        let last = circumstances.last;
        let others = last
            .filter(|last| last.acquires)
            .and_then(|last| self.owners.get(&last.count));
        Character {
            writes: kind.writes,
            atomic: kind.atomic,
            absolute,
            relative: kind.relative.clone(),
            protection,
            held_somewhere,
            when: circumstances.when,
            owned: circumstances.owned,
            unordered: kind.unordered,
            had_last: last.is_some(),
            others: others.cloned(),
            given_up: circumstances.given_up,
        }
    }
}

/// The place with the elements beside it.
fn with_neighbours(place: Path) -> Path {
    match place.split_last() {
        Some((array, Step::Index(_))) => array.then(Step::Index(Index::Any)),
        _ => place,
    }
}
