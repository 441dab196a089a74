//! Whether two places, as everybody knows them, may be the same memory.

use crate::ir::{BinaryOperator, RecordRef};
use crate::points_to::Class;
use crate::symexec::{Index, Path, Root, Site, Step};
use ustr::Ustr;

/// How sure it is that two accesses touch the same memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Likeness {
    /// They are kept apart by nothing but the hope that pointers to them are.
    PointsTo,
    /// The same member of some object.
    SameMember,
    /// The same path from the same object.
    SamePath,
    /// The same variable.
    SameVariable,
}

/// A place as both sides of a pair describe it.
#[derive(Clone, Copy)]
pub struct Described<'p> {
    /// The name that everybody knows.
    pub absolute: Option<&'p Path>,
    /// The name in the function's own terms.
    pub relative: Option<&'p Path>,
}

/// What else tells memory apart.
#[derive(Clone, Copy)]
pub struct Memory<'d> {
    /// Says whether what a thread has for itself is never given to a second one.
    pub is_given_once: &'d dyn Fn(Site) -> bool,
    /// Says whether the counter in this memory gives each number to one taker.
    pub gives_once: &'d dyn Fn(Class) -> bool,
    /// Says whether two members of a record are parts of one storage unit.
    pub share_storage: &'d dyn Fn(RecordRef, Ustr, Ustr) -> bool,
}

/// How alike two places are that lie in the same class of memory; `None` if they are certainly different.
pub fn likeness(left: Described<'_>, right: Described<'_>, memory: Memory<'_>) -> Option<Likeness> {
    // Each thread has locals and thread-local variables of its own.
    let is_own = |place: Described<'_>| {
        let path = place.absolute.or(place.relative);
        path.is_some_and(|path| {
            let is_private = match path.root {
                Root::Frame(..) | Root::Local(_) => true,
                Root::Global(global) => global.thread_local,
                _ => false,
            };
            is_private && !path.steps.contains(&Step::Deref)
        })
    };
    if is_own(left) && is_own(right) {
        return None;
    }
    let fields = match (left.relative, right.relative) {
        (Some(left), Some(right)) => {
            left.last_field().is_some() && left.last_field() == right.last_field()
        }
        _ => false,
    };
    let otherwise = if fields {
        Likeness::SameMember
    } else {
        Likeness::PointsTo
    };
    let (Some(left), Some(right)) = (left.absolute, right.absolute) else {
        return Some(otherwise);
    };
    match compare_roots(left, right, memory) {
        Roots::Different => None,
        Roots::Unknown => Some(otherwise),
        Roots::Same => compare_steps(left, right, otherwise, memory),
    }
}

enum Roots {
    Same,
    Different,
    Unknown,
}

fn compare_roots(left: &Path, right: &Path, memory: Memory<'_>) -> Roots {
    // Behind a pointer, a path says nothing about other paths.
    let is_fixed = |path: &Path| !path.steps.contains(&Step::Deref);
    match (left.root, right.root) {
        (Root::Global(left), Root::Global(right)) if left == right => Roots::Same,
        (Root::Frame(function, variable), Root::ForeignFrame(other, variable_there))
        | (Root::ForeignFrame(function, variable), Root::Frame(other, variable_there))
        | (Root::ForeignFrame(function, variable), Root::ForeignFrame(other, variable_there))
            if (function, variable) == (other, variable_there) =>
        {
            Roots::Same
        }
        (Root::Heap(left), Root::Heap(right)) if left == right => Roots::Same,
        (Root::PerThread(mine), Root::PerThread(theirs)) if mine == theirs => {
            if is_fixed(left) && is_fixed(right) && (memory.is_given_once)(mine) {
                Roots::Different
            } else {
                Roots::Same
            }
        }
        (Root::PerThread(_) | Root::Given(_), _) | (_, Root::PerThread(_) | Root::Given(_)) => {
            Roots::Unknown
        }
        _ if !is_fixed(left) || !is_fixed(right) => Roots::Unknown,
        // One object may have a name for each call that handed it up.
        (Root::Heap(left), Root::Heap(right)) => {
            let both_allocate = left.part == 0 && right.part == 0;
            if both_allocate || left.function == right.function {
                Roots::Different
            } else {
                Roots::Unknown
            }
        }
        _ => Roots::Different,
    }
}

fn compare_steps(
    left: &Path,
    right: &Path,
    otherwise: Likeness,
    memory: Memory<'_>,
) -> Option<Likeness> {
    // Bytes away from a member may be another member, or the whole.
    let counts_bytes = |path: &Path| path.steps.iter().any(|step| matches!(step, Step::Bytes(_)));
    if counts_bytes(left) || counts_bytes(right) {
        return Some(otherwise);
    }
    let mut is_certain = true;
    for (mine, theirs) in left.steps.iter().zip(&right.steps) {
        match (mine, theirs) {
            (
                Step::Field { record, name },
                Step::Field {
                    record: other,
                    name: there,
                },
            ) => {
                if record == other
                    && name != there
                    && !record.is_union()
                    && !(memory.share_storage)(*record, *name, *there)
                {
                    return if is_certain || !crosses_pointer(left, right) {
                        None
                    } else {
                        Some(otherwise)
                    };
                }
                if record != other || (name != there && record.is_union()) {
                    return Some(otherwise);
                }
            }
            (Step::Index(Index::Constant(mine)), Step::Index(Index::Constant(theirs))) => {
                if mine != theirs {
                    return if crosses_pointer(left, right) {
                        Some(otherwise)
                    } else {
                        None
                    };
                }
            }
            (Step::Index(Index::Entry(mine)), Step::Index(Index::Entry(theirs)))
                if mine == theirs && is_own_number(mine, memory) =>
            {
                // Two threads have two numbers.
                if !crosses_pointer(left, right) {
                    return None;
                }
                is_certain = false;
            }
            (Step::Index(_), Step::Index(_)) => is_certain = false,
            (mine, theirs) if mine == theirs => {}
            _ => return Some(otherwise),
        }
    }
    if crosses_pointer(left, right) || matches!(left.root, Root::Heap(_)) {
        return Some(Likeness::SamePath);
    }
    Some(if is_certain {
        Likeness::SameVariable
    } else {
        Likeness::SamePath
    })
}

fn crosses_pointer(left: &Path, right: &Path) -> bool {
    left.steps.contains(&Step::Deref) || right.steps.contains(&Step::Deref)
}

fn is_own_number(path: &Path, memory: Memory<'_>) -> bool {
    // Adding the same to different numbers makes different numbers.
    let keeps_apart = |step: &Step| {
        matches!(
            step,
            Step::Computed(BinaryOperator::Add | BinaryOperator::Subtract, _)
        )
    };
    let is_own = match path.root {
        Root::PerThread(site) => (memory.is_given_once)(site),
        Root::Ticket(counter) => (memory.gives_once)(counter),
        _ => false,
    };
    is_own && path.steps.iter().all(keeps_apart)
}
