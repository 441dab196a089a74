//! The lattice of relative locksets.

use crate::dataflow::Domain;
use crate::symexec::{Path, Targets};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What happened to locks since the function's entry.
///
/// Joining intersects what is held, because a lock is held only if every path holds it, and unites
/// what was released, because a lock may be lost if any path released it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lockset {
    /// L⁺: certainly taken, and not released again.
    held: BTreeMap<Path, Hold>,
    /// L⁻: possibly released although it was not taken here, and how often. A lock that is then
    /// taken again is in L⁺ as well.
    released: BTreeMap<Path, u32>,
    /// A lock was released that has no name: any of them may be gone.
    released_any: bool,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    pub mode: Mode,
    /// How often, for locks that one thread can take several times.
    pub count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Mode {
    /// Together with other holders that only read.
    Shared,
    /// Alone.
    Exclusive,
}

impl Lockset {
    pub fn held(&self) -> impl Iterator<Item = (&Path, Hold)> {
        self.held.iter().map(|(path, hold)| (path, *hold))
    }

    /// The locks of which a caller's hold may be lost.
    pub fn released(&self) -> impl Iterator<Item = &Path> {
        self.released
            .keys()
            .filter(|path| !self.held.contains_key(path))
    }

    /// Whether any lock at all may have been released.
    pub fn released_any(&self) -> bool {
        self.released_any
    }

    pub fn holds(&self, path: &Path) -> Option<Hold> {
        self.held.get(path).copied()
    }

    pub fn acquire(&mut self, path: Path, mode: Mode) {
        self.hold(path, Hold { mode, count: 1 });
    }

    pub fn release(&mut self, path: Path) {
        self.lose(&path, 1);
        // Another name may stand for the same lock.
        self.held
            .retain(|known, _| *known == path || !may_be_same(known, &path));
    }

    /// One of these is released, and nobody knows which.
    pub fn release_one_of(&mut self, paths: BTreeSet<Path>) {
        for path in paths {
            self.release(path);
        }
    }

    /// A lock without a name is released.
    pub fn release_unknown(&mut self) {
        self.held.clear();
        self.released_any = true;
    }

    /// What holds behind a call with this effect (RELAY fig. 3): first its releases, then what it
    /// holds at its end.
    pub fn then(&self, callee: &Lockset) -> Lockset {
        let mut after = self.clone();
        if callee.released_any {
            after.release_unknown();
        }
        for (path, times) in &callee.released {
            after.lose(path, *times);
            after
                .held
                .retain(|known, _| known == path || !may_be_same(known, path));
        }
        for (path, hold) in &callee.held {
            after.hold(path.clone(), *hold);
        }
        after
    }

    /// Replaces every lock by what it is for somebody else. What has no exact name there is not
    /// certainly held, and may be anything that is released.
    pub fn rebound(&self, rebind: impl Fn(&Path) -> Targets) -> Lockset {
        let mut bound = Lockset {
            released_any: self.released_any,
            ..Lockset::default()
        };
        for (path, times) in &self.released {
            match rebind(path) {
                Targets::Exactly(path) => *bound.released.entry(path).or_default() += times,
                Targets::OneOf(paths) => bound
                    .released
                    .extend(paths.into_iter().map(|path| (path, *times))),
                Targets::Unknown => bound.released_any = true,
            }
        }
        for (path, hold) in &self.held {
            if let Targets::Exactly(path) = rebind(path) {
                bound.hold(path, *hold);
            }
        }
        bound
    }

    fn hold(&mut self, path: Path, more: Hold) {
        let hold = self.held.entry(path).or_insert(Hold {
            mode: more.mode,
            count: 0,
        });
        hold.count = hold.count.saturating_add(more.count).min(MOST_HOLDS);
        hold.mode = hold.mode.max(more.mode);
    }

    /// Gives up so many holds of this lock, the function's own ones first.
    fn lose(&mut self, path: &Path, times: u32) {
        let own = self.held.get(path).map_or(0, |hold| hold.count);
        match self.held.get_mut(path) {
            Some(hold) if own > times => hold.count -= times,
            _ => {
                self.held.remove(path);
            }
        }
        if times > own {
            let depth = self.released.entry(path.clone()).or_default();
            *depth = depth.saturating_add(times - own).min(MOST_RELEASES);
        }
    }
}

/// A loop that only releases must not count for ever.
const MOST_RELEASES: u32 = 8;
/// Nor one that only acquires.
const MOST_HOLDS: u32 = 8;

/// Whether two names may stand for one lock: an element that is not known, or members of the same
/// name behind different pointers.
fn may_be_same(left: &Path, right: &Path) -> bool {
    if left == right {
        return true;
    }
    let is_fixed = |path: &Path| {
        !path.steps.contains(&crate::symexec::Step::Deref) && !path.has_unknown_index()
    };
    // Two variables, or two constant parts of variables, are different locks.
    if is_fixed(left) && is_fixed(right) {
        return false;
    }
    left.may_overlap(right)
}

impl Domain for Lockset {
    fn join(&mut self, other: &Lockset) -> bool {
        let before = self.clone();
        self.held.retain(|path, _| other.held.contains_key(path));
        for (path, hold) in &mut self.held {
            let theirs = other.held[path];
            hold.mode = hold.mode.min(theirs.mode);
            hold.count = hold.count.min(theirs.count);
        }
        for (path, times) in &other.released {
            let mine = self.released.entry(path.clone()).or_default();
            *mine = (*mine).max(*times);
        }
        self.released_any |= other.released_any;
        *self != before
    }
}

/// `{+m, +p->lock shared, -n}`.
impl fmt::Display for Lockset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (path, hold) in &self.held {
            let mode = if hold.mode == Mode::Shared {
                " shared"
            } else {
                ""
            };
            let count = if hold.count > 1 {
                format!(" ×{}", hold.count)
            } else {
                String::new()
            };
            parts.push(format!("+{path}{mode}{count}"));
        }
        parts.extend(self.released().map(|path| format!("-{path}")));
        if self.released_any {
            parts.push("-any".into());
        }
        write!(f, "{{{}}}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symexec::Root;

    fn lock(index: u32) -> Path {
        Path::new(Root::Formal(index)).then(crate::symexec::Step::Deref)
    }

    /// Locksets of random histories over three locks with fixed names.
    fn samples() -> Vec<Lockset> {
        let mut random = 0x853c_49e6_748f_ea9bu64;
        let mut next = move |bound: u32| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 40) as u32 % bound
        };
        (0..24)
            .map(|_| {
                let mut set = Lockset::default();
                for _ in 0..next(5) {
                    match next(5) {
                        0 | 1 => set.acquire(
                            lock(next(3)),
                            if next(2) == 0 {
                                Mode::Shared
                            } else {
                                Mode::Exclusive
                            },
                        ),
                        2 | 3 => set.release(lock(next(3))),
                        _ if next(4) == 0 => set.release_unknown(),
                        _ => set.release_one_of(BTreeSet::from([lock(0), lock(1)])),
                    }
                }
                set
            })
            .collect()
    }

    fn joined(left: &Lockset, right: &Lockset) -> Lockset {
        let mut result = left.clone();
        result.join(right);
        result
    }

    #[test]
    fn joining_obeys_the_laws_of_a_semilattice() {
        for left in samples() {
            assert_eq!(joined(&left, &left), left);
            for right in samples() {
                let there = joined(&left, &right);
                assert_eq!(there, joined(&right, &left));
                assert_eq!(joined(&there, &right), there);
                for third in samples() {
                    assert_eq!(
                        joined(&there, &third),
                        joined(&left, &joined(&right, &third))
                    );
                }
            }
        }
    }

    #[test]
    fn a_call_that_does_nothing_changes_nothing() {
        for set in samples() {
            assert_eq!(set.then(&Lockset::default()), set);
            assert_eq!(Lockset::default().then(&set), set);
        }
    }
}
