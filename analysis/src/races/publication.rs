//! Objects whose address becomes known without order: who finds them need not find what was done to them
//! before.

use super::location::Location;
use super::pairing::Race;
use super::search::FoundRaces;
use super::sighting::{Character, Sighting};
use crate::accesses::{Access, Facts};
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::ir::{AccessKind, Callee, Operand, Statement, StatementId};
use crate::models::{Action, Atomic, AtomicOperation, Order, Ordering, Root, Step, Value};
use crate::points_to::{Class, PointsTo};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The memory of objects whose address is stored by an access that races, or handed over by an atomic
/// operation that orders nothing.
#[derive(Clone, Default)]
pub(super) struct Published {
    objects: Arc<BTreeSet<Class>>,
    /// With all that is inside of them.
    pub memory: Arc<FxHashSet<Class>>,
}

impl Published {
    /// `before` is what was published when classes had the same parts.
    pub fn new(
        points_to: &PointsTo,
        found: &FoundRaces,
        relaxed: &RelaxedByFunction,
        before: Option<&Published>,
    ) -> Published {
        let racing = found.values().flat_map(|found| &found.published);
        let relaxed = relaxed.values().flat_map(|classes| classes.iter());
        let objects: BTreeSet<Class> = racing.chain(relaxed).copied().collect();
        if let Some(before) = before.filter(|before| *before.objects == objects) {
            return before.clone();
        }
        let mut memory = FxHashSet::default();
        for class in &objects {
            if !memory.contains(class) {
                memory.extend(points_to.parts(*class));
            }
        }
        Published {
            objects: Arc::new(objects),
            memory: Arc::new(memory),
        }
    }
}

/// The locations that somebody may access by memory of which only one of two programs says that its address is made known without order.
pub(super) fn difference(
    points_to: &PointsTo,
    before: &FxHashSet<Class>,
    now: &FxHashSet<Class>,
) -> BTreeSet<Class> {
    let mut found = BTreeSet::new();
    if std::ptr::eq(before, now) {
        return found;
    }
    for class in before.symmetric_difference(now) {
        // Who accesses a whole object accesses its parts.
        if found.insert(*class) {
            found.extend(points_to.parts(*class));
        }
    }
    found
}

/// The objects whose address is stored by an access of these races.
pub(super) fn published<'r>(
    graph: &CallGraph<'_>,
    facts: &Facts,
    races: impl Iterator<Item = &'r Race>,
) -> Vec<Class> {
    let mut found = BTreeSet::new();
    for pair in races.flat_map(|race| &race.pairs) {
        for side in [pair.first, pair.second] {
            let access = &facts[side.function.0 as usize].accesses[side.access as usize];
            let body = graph.functions.body(side.function);
            let writes = access.kind != AccessKind::Read;
            let statement = body.statement(access.statement);
            if writes && matches!(statement, Statement::Store { ty, .. } if ty.pointee().is_some())
            {
                found.extend(graph.points_to().deref(access.cell.class));
            }
        }
    }
    found.into_iter().collect()
}

/// The objects whose address the atomic operations of each function hand over without order.
pub(super) type RelaxedByFunction = BTreeMap<FunctionId, Arc<[Class]>>;

/// Of all functions, or after an edit of which only these have other facts and pointers than before.
pub(super) fn relaxed_by_function(
    graph: &CallGraph<'_>,
    facts: &Facts,
    before: Option<(&RelaxedByFunction, &[FunctionId])>,
) -> RelaxedByFunction {
    let in_function = |function: FunctionId| {
        let accesses = facts[function.0 as usize].accesses.iter();
        let atomic = accesses.filter(|access| access.atomic);
        let found: BTreeSet<Class> = atomic
            .filter_map(|access| relaxed(graph, function, access))
            .collect();
        found
    };
    let (mut all, changed) = match before {
        Some((known, changed)) => (known.clone(), changed.to_vec()),
        None => (RelaxedByFunction::new(), graph.functions.ids().collect()),
    };
    for function in changed {
        let found = in_function(function);
        match found.is_empty() {
            true => all.remove(&function),
            false => all.insert(function, found.into_iter().collect()),
        };
    }
    all
}

/// The objects whose address a relaxed atomic operation stores, or loads without any lock, where no fence of
/// the function makes up for it.
fn relaxed(graph: &CallGraph<'_>, function: FunctionId, access: &Access) -> Option<Class> {
    let body = graph.functions.body(function);
    let Statement::Call {
        target, arguments, ..
    } = body.statement(access.statement)
    else {
        return None;
    };
    let name = body.function;
    let points_to = graph.points_to();
    // What a value of the model points to.
    let pointee = |value: &Value| {
        let class = match value.root {
            Root::Argument(index) => points_to.pointee(name, arguments.get(usize::from(index))?)?,
            Root::Result => points_to.pointee(name, &Operand::Local((*target)?))?,
            _ => return None,
        };
        value.path.iter().try_fold(class, |class, step| match step {
            Step::Dereference => points_to.deref(class),
            Step::Element => Some(class),
            Step::Member(record, name) => points_to.field(class, *record, *name),
            Step::Field(_) => None,
        })
    };
    let atomic = atomic(graph, function, access.statement)?;
    if order(atomic, arguments) != Some(Ordering::Relaxed) {
        return None;
    }
    let class = match atomic.operation {
        AtomicOperation::Load if access.locks.held().next().is_none() => {
            pointee(atomic.out.as_ref().unwrap_or(&Value::result()))
        }
        AtomicOperation::Store | AtomicOperation::Exchange => pointee(atomic.value.as_ref()?),
        _ => None,
    };
    let has_fence = |id: StatementId| {
        self::atomic(graph, function, id)
            .is_some_and(|atomic| atomic.operation == AtomicOperation::Fence)
    };
    class.filter(|_| !body.statements().any(|(id, _)| has_fence(id)))
}

/// What a statement does atomically, if it is a call of such a library function.
fn atomic<'m>(graph: &CallGraph<'m>, function: FunctionId, id: StatementId) -> Option<&'m Atomic> {
    let Statement::Call {
        callee: Callee::Direct(name),
        arguments,
        ..
    } = graph.functions.body(function).statement(id)
    else {
        return None;
    };
    let targets = graph.targets(function, id, Some(*name), arguments.len());
    targets.into_iter().find_map(|target| match target {
        Target::Model(model) => model
            .effects
            .iter()
            .find_map(|effect| match &effect.action {
                Action::Atomic(atomic) => Some(atomic),
                _ => None,
            }),
        Target::Body(_) => None,
    })
}

/// The order of an atomic operation, if the program's text says it.
fn order(atomic: &Atomic, arguments: &[Operand]) -> Option<Ordering> {
    match atomic.order {
        Order::Fixed(order) => Some(order),
        Order::Argument(index) => match arguments.get(usize::from(index))? {
            Operand::Integer(value) => Some(match value {
                0 => Ordering::Relaxed,
                1 => Ordering::Consume,
                2 => Ordering::Acquire,
                3 => Ordering::Release,
                4 => Ordering::AcquireRelease,
                _ => Ordering::SequentiallyConsistent,
            }),
            _ => None,
        },
    }
}

/// Whether it may make a difference to the pairs of a location that addresses are made known without order.
pub(super) fn may_matter(location: &Location) -> bool {
    let mut groups = location.groups.iter();
    !location.around.is_empty() || groups.any(|(character, _)| character.owned.is_some())
}

/// The location as it is if addresses of objects in this memory are made known without order. `None` if that makes no
/// difference to its pairs.
pub(super) fn without_order(
    location: &Location,
    facts: &Facts,
    unordered: &FxHashSet<Class>,
    turn: &dyn Fn(Sighting) -> usize,
) -> Option<Location> {
    let is_unordered = |sighting: &Sighting| {
        let accesses = &facts[sighting.function.0 as usize].accesses;
        unordered.contains(&accesses[sighting.access as usize].cell.class)
    };
    let mut is_other = false;
    let mut groups = Vec::with_capacity(location.groups.len());
    for (character, sightings) in &location.groups {
        let (spoilt, rest): (Vec<Sighting>, Vec<Sighting>) =
            sightings.iter().copied().partition(is_unordered);
        is_other |= !spoilt.is_empty() && (character.owned.is_some() || !rest.is_empty());
        if !spoilt.is_empty() {
            let mut character = Character::clone(character);
            character.unordered = true;
            groups.push((Arc::new(character), spoilt));
        }
        if !rest.is_empty() {
            groups.push((character.clone(), rest));
        }
    }
    // Groups stand in the order in which they were first seen: one context of all accesses after the other.
    let first_seen = |sightings: &[Sighting]| {
        let first = sightings.first();
        first.map(|it| (turn(*it), it.function, it.access))
    };
    groups.sort_by_cached_key(|(_, sightings)| first_seen(sightings));
    is_other.then(|| Location {
        groups,
        around: location.around.clone(),
        is_often: location.is_often,
    })
}
