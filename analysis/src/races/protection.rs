//! When a lock that both sides hold is the same lock.

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
    place_root: Option<Root>,
    place: Vec<RelationStep>,
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
    pub fn relate(&mut self, lock: &Path, place: &Path, mode: Mode, owns: bool) {
        for relation in relations(lock, place, owns) {
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

/// The relations of a lock to a place. `owns`: what the place leads to through pointers is reached in no
/// other way.
fn relations(lock: &Path, place: &Path, owns: bool) -> Vec<Relation> {
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
        Root::Formal(_) | Root::Value(_) => lock.steps[..shared].contains(&Step::Deref),
        _ => lock.root == place.root,
    };
    if is_object {
        let rest = &place.steps[shared..];
        // UNSOUND: an object on the heap or in an array that is reached through a pointer in a locked object is
        // taken to be reached from no other object.
        let lock_is_inside = !lock.steps[shared..].contains(&Step::Deref);
        if rest.contains(&Step::Deref) && !(owns && lock_is_inside) {
            return Vec::new();
        }
        let locks = lock_steps(&lock.steps[shared..], &place.steps[shared..]);
        let place = place_steps(rest);
        return locks
            .into_iter()
            .map(|lock| Relation {
                lock_root: None,
                lock,
                place_root: None,
                place: place.clone(),
            })
            .collect();
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
        .filter(|steps| {
            steps
                .iter()
                .any(|step| matches!(step, RelationStep::SameElement(..)))
        })
        .map(|steps| Relation {
            lock_root: Some(lock.root),
            lock: steps,
            place_root: Some(place.root),
            place: place_steps(&place.steps),
        })
        .collect()
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
    let rest = index.steps.strip_prefix(other.steps.as_slice())?;
    let is_computed = rest.iter().all(|step| matches!(step, Step::Computed(..)));
    (index.root == other.root && is_computed).then(|| rest.to_vec())
}
