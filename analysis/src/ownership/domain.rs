//! The lattice of what others may know.

use super::objects::can_be_private;
use crate::dataflow::{Domain, Shared};
use crate::ir::BlockId;
use crate::symexec::{Path, Root, Step, mentions_definition};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Which objects others may know at one point of a function. A local, an allocation of this activation and
/// what a formal leads to are unknown to others until they are published; what formals lead to only if it was
/// so at the entry.
///
/// Joining unites, because an object may be known if it is on any path.
/// What else keeps an object from others: besides that it was taken out of a container, joining intersects,
/// because it must have been on every path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sharing {
    /// It is asked for all objects that a pointer may point to, at every step: a hash is quicker to find than a place
    /// in an order of names.
    published: Shared<FxHashSet<Path>>,
    /// The objects that hold an object's address: who knows one of them knows it too.
    holders: Shared<FxHashMap<Path, BTreeSet<Path>>>,
    /// What is more than one pointer away from a formal may be known.
    distant: bool,
    /// Objects without a name of their own that belong to this thread.
    owned: BTreeMap<Path, Owned>,
    /// Objects that are not there, because the pointer to them is null; until the next call.
    absent: BTreeSet<Path>,
}

/// Why an object belongs to a thread: nobody else has ever known it, or this thread has taken it out of the
/// place where others find it, while it held these locks.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Owned {
    Fresh,
    Taken(BTreeSet<Path>),
}

impl Owned {
    /// What holds if either may be the reason.
    pub fn or(&self, other: &Owned) -> Owned {
        match (self, other) {
            (Owned::Fresh, other) | (other, Owned::Fresh) => other.clone(),
            (Owned::Taken(mine), Owned::Taken(theirs)) => Owned::Taken(mine & theirs),
        }
    }
}

/// Why an object belongs to a thread, and what must belong to it at the function's entry for that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Privacy {
    pub owned: Owned,
    pub conditions: BTreeSet<Path>,
}

/// An object whose address lies in more objects than this is as good as known.
const MOST_HOLDERS: usize = 8;

impl Sharing {
    /// Why others do not know the object here; `None` if they may.
    pub fn privacy(&self, object: &Path) -> Option<Privacy> {
        let mut owned = Owned::Fresh;
        let mut conditions = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = vec![object];
        while let Some(object) = pending.pop() {
            if !seen.insert(object) {
                continue;
            }
            if let Some(reason) = self.owned.get(object) {
                owned = owned.or(reason);
            } else if !can_be_private(object) || self.is_published(object) {
                return None;
            } else if matches!(object.root, Root::Formal(_)) {
                conditions.insert(object.clone());
            }
            pending.extend(self.holders.get(object).into_iter().flatten());
        }
        Some(Privacy { owned, conditions })
    }

    fn is_published(&self, object: &Path) -> bool {
        let pointers = |path: &Path| {
            let steps = path.steps.iter();
            steps.filter(|step| **step == Step::Deref).count()
        };
        if self.distant && pointers(object) > 1 {
            return true;
        }
        // What an object that is known leads to is known.
        let leads_there =
            |known: &Path| known.root == object.root && object.steps.starts_with(&known.steps);
        self.published.contains(object)
            || (pointers(object) > 1 && self.published.iter().any(leads_there))
    }

    /// The object is new.
    pub(super) fn create(&mut self, object: &Path) {
        // An older one of this name may hold addresses, and nobody will see who gets to know it.
        self.publish_held_by(object);
        self.forget(object);
        self.owned.remove(object);
    }

    /// Nobody knows the object, and nothing holds its address. What is not there is not taken out, which would copy the rest.
    fn forget(&mut self, object: &Path) {
        if self.published.contains(object) {
            self.published.remove(object);
        }
        self.forget_holders(object);
    }

    fn forget_holders(&mut self, object: &Path) {
        if self.holders.contains_key(object) {
            self.holders.remove(object);
        }
    }

    /// The pointer to the object is null.
    pub(super) fn miss(&mut self, object: &Path) {
        self.absent.insert(object.clone());
    }

    pub(super) fn is_absent(&self, object: &Path) -> bool {
        self.absent.contains(object)
    }

    /// Time passes, in which others may write pointers that were null.
    pub(super) fn wait(&mut self) {
        self.absent.clear();
    }

    /// The object belongs to this thread from here on.
    pub(super) fn own(&mut self, object: &Path, owned: Owned) {
        self.forget(object);
        self.absent.remove(object);
        self.owned.insert(object.clone(), owned);
    }

    /// Whoever held this lock has given it back since: it has no object any more that was taken out before.
    pub(super) fn outlast(&mut self, lock: &Path) {
        for owned in self.owned.values_mut() {
            if let Owned::Taken(locks) = owned {
                locks.insert(lock.clone());
            }
        }
    }

    pub(super) fn publish(&mut self, object: &Path) {
        let was_owned = self.owned.remove(object).is_some();
        let is_news = can_be_private(object) && !self.published.contains(object);
        if is_news {
            self.published.insert(object.clone());
        }
        if was_owned || is_news {
            self.forget_holders(object);
            self.publish_held_by(object);
        }
    }

    /// What an object holds becomes known.
    pub(super) fn publish_held_by(&mut self, holder: &Path) {
        let held: Vec<Path> = self
            .holders
            .iter()
            .filter(|(_, holders)| holders.contains(holder))
            .map(|(object, _)| object.clone())
            .collect();
        for object in held {
            self.publish(&object);
        }
    }

    /// The address of an object is put into another one.
    pub(super) fn put(&mut self, object: &Path, holder: &Path) {
        let is_private = |object: &Path| {
            let is_owned = self.owned.contains_key(object);
            is_owned || (can_be_private(object) && !self.is_published(object))
        };
        if object == holder || !is_private(object) {
            return;
        }
        let is_known = !is_private(holder);
        let known = self.holders.get(object);
        if known.is_none_or(|holders| !holders.contains(holder)) {
            let holders = self.holders.entry(object.clone()).or_default();
            holders.insert(holder.clone());
        }
        let known = self.holders.get(object);
        if is_known || known.is_some_and(|holders| holders.len() > MOST_HOLDERS) {
            self.publish(object);
        }
    }

    pub(super) fn publish_distant(&mut self) {
        self.distant = true;
    }

    /// Whether some object has the address of this one.
    pub(super) fn is_held(&self, object: &Path) -> bool {
        self.holders.contains_key(object) || self.published.contains(object)
    }

    /// Control goes back to a loop's head: names that were given in these blocks will be given anew.
    pub(super) fn forget_definitions(&mut self, is_repeated: &dyn Fn(BlockId) -> bool) {
        let is_stale = |path: &Path| mentions_definition(path, is_repeated);
        let holders = self.holders.values().flatten();
        let stale: BTreeSet<Path> = holders.filter(|path| is_stale(path)).cloned().collect();
        for holder in &stale {
            self.publish_held_by(holder);
        }
        if self.published.iter().any(is_stale) {
            self.published.retain(|path| !is_stale(path));
        }
        if self.holders.keys().any(is_stale) {
            self.holders.retain(|path, _| !is_stale(path));
        }
        self.owned.retain(|path, _| !is_stale(path));
        self.absent.retain(|path| !is_stale(path));
    }

    /// What callers can understand of it.
    pub(super) fn published(&self) -> impl Iterator<Item = &Path> {
        self.published.iter()
    }

    /// Objects, each with one that holds its address.
    pub(super) fn held(&self) -> impl Iterator<Item = (&Path, &Path)> {
        let held = self.holders.iter();
        held.flat_map(|(object, holders)| holders.iter().map(move |holder| (object, holder)))
    }

    pub(super) fn is_distant(&self) -> bool {
        self.distant
    }
}

impl Domain for Sharing {
    fn join(&mut self, other: &Sharing) -> bool {
        if self == other {
            return false;
        }
        let before = self.clone();
        self.distant |= other.distant;
        // Where an object is not there, it belongs to whomever one likes.
        self.owned
            .retain(|object, _| other.owned.contains_key(object) || other.absent.contains(object));
        for (object, owned) in &mut self.owned {
            if let Some(theirs) = other.owned.get(object) {
                *owned = owned.or(theirs);
            }
        }
        for (object, owned) in &other.owned {
            if self.absent.contains(object) {
                self.owned.insert(object.clone(), owned.clone());
            }
        }
        self.absent = &self.absent & &other.absent;
        let mut held: Vec<(&Path, &BTreeSet<Path>)> = other.holders.iter().collect();
        held.sort_unstable_by_key(|(object, _)| *object);
        for (object, holders) in held {
            for holder in holders {
                self.put(object, holder);
            }
        }
        // In whichever order: what becomes known is what these objects lead to.
        for object in other.published.iter() {
            self.publish(object);
        }
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::LocalId;

    fn object(number: u32) -> Path {
        match number {
            0 | 1 => Path::new(Root::Formal(number)).then(Step::Deref),
            2 => Path::new(Root::Formal(0))
                .then(Step::Deref)
                .then(Step::Bytes(8))
                .then(Step::Deref),
            6 => Path::new(Root::Somewhere).then(Step::Deref),
            _ => Path::new(Root::Local(LocalId(number))),
        }
    }

    /// What random histories over six objects lead to.
    fn samples() -> Vec<Sharing> {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = move |bound: u32| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 40) as u32 % bound
        };
        (0..24)
            .map(|_| {
                let mut sharing = Sharing::default();
                for _ in 0..next(6) {
                    match next(9) {
                        0 | 1 => sharing.publish(&object(next(6))),
                        2..=5 => sharing.put(&object(next(6)), &object(next(6))),
                        6 => sharing.create(&object(3 + next(3))),
                        7 => sharing.own(&object(6), Owned::Taken(BTreeSet::from([object(0)]))),
                        _ => sharing.publish_distant(),
                    }
                }
                sharing
            })
            .collect()
    }

    fn joined(left: &Sharing, right: &Sharing) -> Sharing {
        let mut result = left.clone();
        result.join(right);
        result
    }

    /// The same answers for all objects.
    fn answers(sharing: &Sharing) -> Vec<Option<Privacy>> {
        let objects = (0..7).map(object);
        objects.map(|object| sharing.privacy(&object)).collect()
    }

    #[test]
    fn joining_obeys_the_laws_of_a_semilattice() {
        for left in samples() {
            assert_eq!(joined(&left, &left), left);
            for right in samples() {
                let there = joined(&left, &right);
                assert_eq!(answers(&there), answers(&joined(&right, &left)));
                assert_eq!(answers(&joined(&there, &right)), answers(&there));
                for third in samples() {
                    let one = joined(&there, &third);
                    let other = joined(&left, &joined(&right, &third));
                    assert_eq!(answers(&one), answers(&other));
                }
            }
        }
    }

    #[test]
    fn joining_knows_no_less_than_either() {
        for left in samples() {
            for right in samples() {
                let both = answers(&joined(&left, &right));
                for (joined, alone) in both.iter().zip(answers(&left)) {
                    match (joined, alone) {
                        (Some(joined), Some(alone)) => {
                            assert!(joined.conditions.is_superset(&alone.conditions));
                        }
                        (Some(_), None) => panic!("an object became private by joining"),
                        (None, _) => {}
                    }
                }
            }
        }
    }

    fn fresh_if(conditions: &[Path]) -> Privacy {
        Privacy {
            owned: Owned::Fresh,
            conditions: conditions.iter().cloned().collect(),
        }
    }

    #[test]
    fn what_was_taken_where_it_is_there_is_owned() {
        let job = object(6);
        let mut one = Sharing::default();
        one.own(&job, Owned::Taken(BTreeSet::new()));
        let mut other = Sharing::default();
        other.miss(&job);
        other.join(&one);
        assert!(other.privacy(&job).is_some());
    }

    #[test]
    fn what_was_taken_on_one_path_only_is_not_owned() {
        let job = object(6);
        let mut one = Sharing::default();
        one.own(&job, Owned::Taken(BTreeSet::new()));
        assert!(one.privacy(&job).is_some());
        one.join(&Sharing::default());
        assert_eq!(one.privacy(&job), None);
    }

    #[test]
    fn what_a_published_object_holds_is_published() {
        let (node, list) = (object(3), object(4));
        let mut sharing = Sharing::default();
        sharing.put(&node, &list);
        assert_eq!(sharing.privacy(&node), Some(fresh_if(&[])));
        sharing.publish(&list);
        assert_eq!(sharing.privacy(&node), None);
    }

    #[test]
    fn an_object_in_an_argument_is_as_unknown_as_the_argument() {
        let (made, argument) = (object(3), object(0));
        let mut sharing = Sharing::default();
        sharing.put(&made, &argument);
        assert_eq!(
            sharing.privacy(&made),
            Some(fresh_if(std::slice::from_ref(&argument)))
        );
        sharing.publish(&argument);
        assert_eq!(sharing.privacy(&made), None);
    }

    #[test]
    fn a_new_object_of_an_old_name_is_unknown() {
        let node = object(3);
        let mut sharing = Sharing::default();
        sharing.publish(&node);
        sharing.create(&node);
        assert_eq!(sharing.privacy(&node), Some(fresh_if(&[])));
    }
}
