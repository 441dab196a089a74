//! When a lock that both sides hold is the same lock.

use crate::ir::RecordRef;
use crate::locksets::Mode;
use crate::symexec::{Index, Path, Root, Step};
use std::collections::BTreeMap;

/// The locks of one sighting, in the forms in which they can be compared with those of another.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Protection {
    /// Locks by names that mean the same lock for everybody.
    pub absolute: BTreeMap<Path, Mode>,
    /// Locks by the way that leads from the object that is accessed to them: if two accesses touch the same
    /// object, and this is the same way, it is the same lock.
    pub relative: BTreeMap<Relation, Mode>,
}

/// How a lock lies to a place: `p->lock` to `p->x`, or `locks[i]` to `data[i]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Relation {
    /// Where the lock starts, if not at an object that both are in.
    lock_root: Option<Root>,
    lock: Vec<RelationStep>,
    place: Whereabouts,
}

/// What is to be known of two places that overlap, to say that they are reached from the same object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
enum Whereabouts {
    /// This way leads there from the object, or from a variable.
    Way(Option<Root>, Vec<RelationStep>),
    /// The object is such a record, and this way leads to an element in it that the place lies in; if there are
    /// no steps, the place lies somewhere in the record. It does not matter which members lead on from there.
    // UNSOUND: two records of one type are taken to lie apart or to be the same one.
    Inside(RecordRef, Vec<RelationStep>),
    /// The object is such a record, and pointers lead from there to the place.
    Owned(RecordRef),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
enum RelationStep {
    Step(Step),
    /// Some element.
    Element,
    /// The element whose index is that of the n-th one in the place, or computed from it in this way.
    SameElement(usize, Vec<Step>),
}

impl Protection {
    /// Whether one of the locks that both hold keeps them apart. Holders in shared mode do not keep each
    /// other out.
    pub fn common(&self, other: &Protection) -> bool {
        common(&self.absolute, &other.absolute) || common(&self.relative, &other.relative)
    }

    /// Notes how a lock lies to the place.
    pub fn relate(&mut self, lock: &Path, place: &Accessed<'_>, mode: Mode) {
        for relation in relations(lock, place) {
            let known = self.relative.entry(relation).or_insert(mode);
            *known = (*known).max(mode);
        }
    }

    pub fn name(&mut self, lock: Path, mode: Mode) {
        let known = self.absolute.entry(lock).or_insert(mode);
        *known = (*known).max(mode);
    }
}

fn common<K: Ord>(left: &BTreeMap<K, Mode>, right: &BTreeMap<K, Mode>) -> bool {
    left.iter().any(|(lock, mode)| {
        right
            .get(lock)
            .is_some_and(|other| *mode == Mode::Exclusive || *other == Mode::Exclusive)
    })
}

/// A place, and what is known of it besides its name.
pub struct Accessed<'p> {
    pub path: &'p Path,
    /// What the place leads to through pointers is reached in no other way.
    pub owns: bool,
    /// More than what the name stands for may be touched.
    pub stretches: bool,
}

/// The relations of a lock to a place.
fn relations(lock: &Path, accessed: &Accessed<'_>) -> Vec<Relation> {
    let place = accessed.path;
    let mut shared = 0;
    if lock.root == place.root {
        let both = lock.steps.iter().zip(&place.steps);
        // Two unknown elements need not be the same one.
        let is_known = |step: &Step| *step != Step::Index(Index::Any);
        shared = both
            .take_while(|(left, right)| left == right && is_known(left))
            .count();
    }
    // A formal or a value is no object; what it points to is.
    let is_object = match lock.root {
        Root::Formal(_) | Root::Value(_) | Root::Given(_) => {
            lock.steps[..shared].contains(&Step::Deref)
        }
        _ => lock.root == place.root,
    };
    if is_object {
        return relations_in_object(lock, accessed, shared);
    }
    // Different variables: only elements with the same index belong together, and only in arrays that
    // are reached without a pointer.
    let is_fixed =
        |path: &Path| matches!(path.root, Root::Global(_)) && !path.steps.contains(&Step::Deref);
    if !is_fixed(lock) || !is_fixed(place) {
        return Vec::new();
    }
    let locks = lock_steps(&lock.steps, &place.steps);
    locks
        .into_iter()
        .filter_map(|steps| {
            let last = last_element(&steps)?;
            let way = up_to_element(&place.steps, last);
            Some(Relation {
                lock_root: Some(lock.root),
                lock: steps,
                place: Whereabouts::Way(Some(place.root), way),
            })
        })
        .collect()
}

/// The relations of a lock to a place that so many steps lead towards at once.
fn relations_in_object(lock: &Path, accessed: &Accessed<'_>, shared: usize) -> Vec<Relation> {
    let place = accessed.path;
    let mut found = Vec::new();
    // The object that both are in, and those that this one is a member of.
    let in_common = &lock.steps[..shared];
    let pointer = in_common.iter().rposition(|step| *step == Step::Deref);
    for object in pointer.map_or(0, |at| at + 1)..=shared {
        let (to_lock, to_place) = (&lock.steps[object..], &place.steps[object..]);
        let owner = match to_lock.first() {
            Some(Step::Field { record, .. }) => Some(*record),
            _ => None,
        };
        let leads_on = to_place.contains(&Step::Deref);
        // UNSOUND: an object on the heap or in an array that is reached through a pointer in a locked object is
        // taken to be reached from no other object.
        if leads_on && (!accessed.owns || to_lock.contains(&Step::Deref)) {
            continue;
        }
        for steps in lock_steps(to_lock, to_place) {
            let last = last_element(&steps);
            let whereabouts = match owner {
                Some(owner) if leads_on && last.is_none() && !leads_to(to_place, owner) => {
                    Whereabouts::Owned(owner)
                }
                Some(owner) if !leads_on && lies_inside(to_place, accessed.stretches) => {
                    let way = last.map(|last| up_to_element(to_place, last));
                    Whereabouts::Inside(owner, way.unwrap_or_default())
                }
                _ if object == shared => {
                    // What a pointer leads to is owned as a whole.
                    let pointer = to_place.iter().rposition(|step| *step == Step::Deref);
                    let end = pointer.map_or(to_place.len(), |at| at + 1);
                    Whereabouts::Way(None, place_steps(&to_place[..end]))
                }
                _ => continue,
            };
            found.push(Relation {
                lock_root: None,
                lock: steps,
                place: whereabouts,
            });
        }
    }
    found
}

/// Whether these steps stay in the record that they start from.
fn lies_inside(steps: &[Step], stretches: bool) -> bool {
    match steps.first() {
        None => !stretches,
        Some(Step::Field { .. }) => !steps.iter().any(|step| matches!(step, Step::Bytes(_))),
        Some(_) => false,
    }
}

/// Whether pointers lead to a record of this type: another one of the kind that they come from.
fn leads_to(steps: &[Step], wanted: RecordRef) -> bool {
    let pointers = steps.iter().skip_while(|step| **step != Step::Deref);
    pointers
        .into_iter()
        .any(|step| matches!(step, Step::Field { record, .. } if *record == wanted))
}

/// The last of the place's elements that the way to a lock depends on.
fn last_element(lock: &[RelationStep]) -> Option<usize> {
    let positions = lock.iter().filter_map(|step| match step {
        RelationStep::SameElement(position, _) => Some(*position),
        _ => None,
    });
    positions.max()
}

/// The steps up to the element with this number. What lies behind it is in the same element, unless bytes are
/// counted from there.
fn up_to_element(steps: &[Step], number: usize) -> Vec<RelationStep> {
    if steps.iter().any(|step| matches!(step, Step::Bytes(_))) {
        return place_steps(steps);
    }
    let is_element = |step: &Step| matches!(step, Step::Index(_));
    let mut elements = (0..steps.len()).filter(|at| is_element(&steps[*at]));
    let end = elements.nth(number).map_or(steps.len(), |at| at + 1);
    place_steps(&steps[..end])
}

fn place_steps(steps: &[Step]) -> Vec<RelationStep> {
    steps
        .iter()
        .map(|step| match step {
            Step::Index(_) => RelationStep::Element,
            step => RelationStep::Step(step.clone()),
        })
        .collect()
}

/// The steps to a lock, in every way in which its indices can be described.
fn lock_steps(lock: &[Step], place: &[Step]) -> Vec<Vec<RelationStep>> {
    let indices: Vec<&Index> = place
        .iter()
        .filter_map(|step| match step {
            Step::Index(index) => Some(index),
            _ => None,
        })
        .collect();
    let mut ways: Vec<Vec<RelationStep>> = vec![Vec::new()];
    for step in lock {
        let mut choices = Vec::new();
        match step {
            Step::Index(Index::Any) => return Vec::new(),
            Step::Index(index) => {
                let same = indices.iter().enumerate().find_map(|(position, known)| {
                    let rest = computed_from(index, known)?;
                    Some(RelationStep::SameElement(position, rest))
                });
                choices.extend(same);
                if matches!(index, Index::Constant(_)) {
                    choices.push(RelationStep::Step(step.clone()));
                }
            }
            step => choices.push(RelationStep::Step(step.clone())),
        }
        ways = ways
            .iter()
            .flat_map(|way| {
                choices.iter().map(move |choice| {
                    let mut longer = way.clone();
                    longer.push(choice.clone());
                    longer
                })
            })
            .collect();
    }
    ways
}

/// If an index is another one, or follows from it alone: the computation.
fn computed_from(index: &Index, other: &Index) -> Option<Vec<Step>> {
    if index == other {
        return Some(Vec::new());
    }
    let (Index::Entry(index), Index::Entry(other)) = (index, other) else {
        return None;
    };
    index.computed_from(other).map(<[Step]>::to_vec)
}
