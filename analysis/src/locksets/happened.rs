//! What happened to locks, as it is kept, and what can be asked of it without changing it.

use super::release::Release;
use crate::ir::{GlobalRef, Landmark};
use crate::symexec::Path;
use std::collections::{BTreeMap, BTreeSet};

/// What a lockset says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Happened {
    /// L⁺: certainly taken, and not released again.
    pub(super) held: BTreeMap<Path, Hold>,
    /// L⁻: possibly released although it was not taken here. One that is then taken again on every path is in
    /// L⁺ as well.
    pub(super) released: BTreeMap<Path, Release>,
    /// A lock was released that has no name: any of them may be gone.
    pub(super) released_any: bool,
    /// Locks behind pointers that were released, and the variables among which they may be.
    pub(super) among: BTreeMap<Path, BTreeSet<GlobalRef>>,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    pub mode: Mode,
    /// How often, for locks that one thread can take several times.
    pub count: u32,
    /// The statement of this function that took it, or one of them; `None` if somebody else did.
    pub taken: Option<Landmark>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Mode {
    /// Together with other holders that only read.
    Shared,
    /// Alone.
    Exclusive,
}

/// Of more locks than this that are held at once the rest is taken not to be held, and of more that were released any
/// is taken to be: what is known at each place would otherwise grow with the square of a function's length.
pub const MOST_LOCKS: usize = 256;

impl Hold {
    /// What is certain if it is held in either way.
    pub(super) fn joined(self, other: Hold) -> Hold {
        Hold {
            mode: self.mode.min(other.mode),
            count: self.count.min(other.count),
            taken: self.taken.min(other.taken),
        }
    }
}

impl Happened {
    pub(super) fn count(&self, path: &Path) -> u32 {
        self.held.get(path).map_or(0, |hold| hold.count)
    }

    /// Whether there are so many locks that some may have been left out.
    pub fn is_full(&self) -> bool {
        self.held.len() >= MOST_LOCKS || self.released.len() >= MOST_LOCKS
    }

    /// Whether it can be noted that this lock is held.
    pub(super) fn has_room_for(&self, path: &Path) -> bool {
        self.held.len() < MOST_LOCKS || self.held.contains_key(path)
    }

    /// Notes that these are held.
    pub(super) fn hold_besides(&mut self, locks: Vec<(Path, Hold)>) {
        for (path, hold) in locks {
            if self.has_room_for(&path) {
                self.held.insert(path, hold);
            }
        }
    }

    /// Notes that a caller's hold of this lock may be lost.
    pub(super) fn list_release(&mut self, path: Path, release: Release) {
        if self.released.len() < MOST_LOCKS || self.released.contains_key(&path) {
            self.released.insert(path, release);
        } else {
            self.released_any = true;
        }
    }

    /// Whether joining the other into it would change nothing.
    pub(super) fn says_all_of(&self, other: &Happened) -> bool {
        let knows_release = |(path, theirs): (&Path, &Release)| {
            self.released.get(path).is_some_and(|mine| {
                let mut joined = *mine;
                joined.join(Some(*theirs), 0);
                joined == *mine && self.knows_variables(path, other.among.get(path))
            })
        };
        let keeps_release = |(path, mine): (&Path, &Release)| {
            let mut joined = *mine;
            joined.join(None, other.count(path));
            other.released.contains_key(path) || joined == *mine
        };
        let keeps_hold = |(path, mine): (&Path, &Hold)| {
            let theirs = other.held.get(path);
            theirs.is_some_and(|theirs| mine.joined(*theirs) == *mine)
        };
        (self.released_any || !other.released_any)
            && self.held.iter().all(keeps_hold)
            && other.released.iter().all(knows_release)
            && self.released.iter().all(keeps_release)
    }

    /// Whether a released lock can be all of these variables, or anything.
    fn knows_variables(&self, path: &Path, among: Option<&BTreeSet<GlobalRef>>) -> bool {
        match (self.among.get(path), among) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(theirs)) => theirs.is_subset(mine),
        }
    }
}
