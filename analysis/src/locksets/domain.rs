//! The lattice of relative locksets.

use super::outcomes::Effect;
use crate::dataflow::Domain;
use crate::ir::{BlockId, GlobalRef, StatementId};
use crate::symexec::{Path, Root, Site, Step, Targets, mentions_definition};
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
    /// Locks behind pointers that were released, and the variables among which they may be.
    among: BTreeMap<Path, BTreeSet<GlobalRef>>,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    pub mode: Mode,
    /// How often, for locks that one thread can take several times.
    pub count: u32,
    /// The statement of this function that took it, or one of them; `None` if somebody else did.
    pub taken: Option<StatementId>,
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

    /// Whether a caller's hold of this lock may be lost.
    pub fn may_release(&self, lock: &Path) -> bool {
        let is_elsewhere = |path: &Path| match lock.root {
            Root::Global(variable) if !lock.steps.contains(&Step::Deref) => {
                let among = self.among.get(path);
                among.is_some_and(|among| !among.contains(&variable))
            }
            _ => false,
        };
        self.released_any
            || self
                .released()
                .any(|path| may_be_same(path, lock) && !is_elsewhere(path))
    }

    /// Whether it releases locks that were not taken here, be it for a while.
    pub fn releases(&self) -> bool {
        self.released_any || !self.released.is_empty()
    }

    /// Whether any lock at all may have been released.
    pub fn released_any(&self) -> bool {
        self.released_any
    }

    pub fn holds(&self, path: &Path) -> Option<Hold> {
        self.held.get(path).copied()
    }

    /// Takes a lock. One that has no exact name is not certainly held.
    pub fn acquire(&mut self, path: Path, mode: Mode, at: StatementId) {
        if is_exact(&path) {
            let taken = Some(at);
            self.hold(
                path,
                Hold {
                    mode,
                    count: 1,
                    taken,
                },
            );
        }
    }

    pub fn release(&mut self, path: Path) {
        self.give_up(&path, 1);
    }

    /// Gives up holds of a lock under all names that may stand for it.
    fn give_up(&mut self, path: &Path, times: u32) {
        let taken = self.held.get(path).map(|hold| hold.taken);
        self.lose(path, times);
        let among = self.among.get(path);
        let is_elsewhere = |known: &Path| match known.root {
            Root::Global(variable) if !known.steps.contains(&Step::Deref) => {
                among.is_some_and(|among| !among.contains(&variable))
            }
            _ => false,
        };
        self.held.retain(|known, hold| {
            known == path
                || is_elsewhere(known)
                || !may_be_same(known, path)
                // What is held twice, taken at different places, is two locks, or one with two holds.
                || taken.is_some_and(|taken| taken != hold.taken)
        });
        if !self.released.contains_key(path) {
            self.among.remove(path);
        }
    }

    /// What was a place before has another name from here on: locks inside have it too.
    pub fn also_named(&mut self, before: &Lockset, place: &Path, name: &Path) {
        let inside: Vec<(Path, Hold)> = before
            .held
            .iter()
            .filter(|(path, _)| path.root == place.root && path.steps.starts_with(&place.steps))
            .map(|(path, hold)| {
                let renamed = name.extended(&path.steps[place.steps.len()..]);
                (renamed, *hold)
            })
            .collect();
        self.held.extend(inside);
    }

    /// One of these is released, and nobody knows which.
    pub fn release_one_of(&mut self, paths: BTreeSet<Path>) {
        for path in paths {
            self.release(path);
        }
    }

    /// A lock behind a pointer is released that is none of the variables but these.
    pub fn release_among(&mut self, path: Path, variables: &[GlobalRef]) {
        let among = variables.iter().copied().collect();
        self.note_variables(&path, Some(&among));
        self.give_up(&path, 1);
    }

    /// Notes the variables that a lock without a better name may be; anything, if it was noted without them.
    fn note_variables(&mut self, path: &Path, among: Option<&BTreeSet<GlobalRef>>) {
        match among {
            Some(among) if !self.released.contains_key(path) => {
                self.among.insert(path.clone(), among.clone());
            }
            Some(among) => {
                if let Some(known) = self.among.get_mut(path) {
                    known.extend(among);
                }
            }
            None => {
                self.among.remove(path);
            }
        }
    }

    fn variables_of(&self, path: &Path) -> Option<Vec<GlobalRef>> {
        let among = self.among.get(path)?;
        Some(among.iter().copied().collect())
    }

    /// A lock without a name is released.
    pub fn release_unknown(&mut self) {
        self.held.clear();
        self.released_any = true;
    }

    /// A lock behind a pointer is released that can only point into memory without a name or into these
    /// variables: other variables are no such lock.
    pub fn release_behind_pointer(&mut self, variables: &[GlobalRef]) {
        self.release(Path::new(Root::Somewhere));
        for variable in variables {
            self.release(Path::new(Root::Global(*variable)));
        }
    }

    /// Replaces every lock by what it is for somebody else. What has no exact name there is not
    /// certainly held, and may be anything that is released.
    pub fn rebound(&self, rebind: impl Fn(&Path) -> Targets) -> Lockset {
        self.rebound_among(rebind, |_| None)
    }

    /// The same, where a lock without a name that is released can only be in some variables.
    pub fn rebound_among(
        &self,
        rebind: impl Fn(&Path) -> Targets,
        variables: impl Fn(&Path) -> Option<Vec<GlobalRef>>,
    ) -> Lockset {
        let mut bound = Lockset {
            released_any: self.released_any,
            ..Lockset::default()
        };
        for (path, times) in &self.released {
            match rebind(path) {
                Targets::Exactly(named) => {
                    // A name that only this function knows tells less than what its pointer may point to.
                    let among = if named.is_known_outside() {
                        None
                    } else {
                        variables(path).map(|variables| variables.into_iter().collect())
                    };
                    let among = among.or_else(|| self.among.get(path).cloned());
                    bound.note_variables(&named, among.as_ref());
                    *bound.released.entry(named).or_default() += times;
                }
                Targets::OneOf(paths) => bound
                    .released
                    .extend(paths.into_iter().map(|path| (path, *times))),
                Targets::Unknown => match variables(path).or_else(|| self.variables_of(path)) {
                    Some(variables) => bound.release_behind_pointer(&variables),
                    None => bound.release_somewhere(path, *times),
                },
            }
        }
        for (path, hold) in &self.held {
            if let Targets::Exactly(path) = rebind(path)
                && is_exact(&path)
            {
                bound.hold(path, *hold);
            }
        }
        bound
    }

    /// A lock is released in an object that has no name any more: where it ends with a member, it can
    /// only be that member of some object.
    fn release_somewhere(&mut self, path: &Path, times: u32) {
        match path.last_field() {
            Some((record, name)) => {
                let somewhere = Path::new(Root::Somewhere).then(Step::Field { record, name });
                self.released.insert(somewhere, times);
            }
            None => self.released_any = true,
        }
    }

    /// What callers can understand of it: a function's own locals are gone when it returns.
    pub fn for_callers(&self) -> Lockset {
        let mut lasting = self.clone();
        lasting.released.retain(|path, _| path.outlives_function());
        lasting.held.retain(|path, _| path.outlives_function());
        lasting
            .rebound(|path| {
                if !path.is_known_outside() {
                    Targets::Unknown
                } else {
                    Targets::Exactly(path.clone())
                }
            })
            .without_places()
    }

    fn without_places(mut self) -> Lockset {
        self.held.values_mut().for_each(|hold| hold.taken = None);
        self
    }

    /// Says which statement took what is held.
    pub fn taken_at(&mut self, statement: StatementId) {
        for hold in self.held.values_mut() {
            hold.taken = Some(statement);
        }
    }

    /// The allocations that names of locks speak of.
    pub fn heap_sites(&self) -> impl Iterator<Item = Site> + '_ {
        let paths = self.held.keys().chain(self.released.keys());
        paths.filter_map(|path| match path.root {
            Root::Heap(site) => Some(site),
            _ => None,
        })
    }

    /// Control goes back to a loop's head: names that were given in these blocks mean something else.
    pub fn forget_definitions(&mut self, is_repeated: &dyn Fn(BlockId) -> bool) {
        self.held
            .retain(|path, _| !mentions_definition(path, is_repeated));
        let stale: Vec<(Path, u32)> = self
            .released
            .iter()
            .filter(|(path, _)| mentions_definition(path, is_repeated))
            .map(|(path, times)| (path.clone(), *times))
            .collect();
        for (path, times) in stale {
            self.released.remove(&path);
            match self.variables_of(&path) {
                Some(variables) => self.release_behind_pointer(&variables),
                None => self.release_somewhere(&path, times),
            }
            self.among.remove(&path);
        }
    }

    fn hold(&mut self, path: Path, more: Hold) {
        let hold = self.held.entry(path).or_insert(Hold {
            mode: more.mode,
            count: 0,
            taken: more.taken,
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

/// Whether a name stands for one lock only.
fn is_exact(path: &Path) -> bool {
    path.root != Root::Somewhere
        && !path
            .steps
            .contains(&Step::Index(crate::symexec::Index::Any))
}

/// Whether two names may stand for one lock: an element that is not known, or members of the same
/// name behind different pointers.
fn may_be_same(left: &Path, right: &Path) -> bool {
    if left == right {
        return true;
    }
    let is_fixed = |path: &Path| {
        !path.steps.contains(&Step::Deref)
            && !path.has_unknown_index()
            && path.root != Root::Somewhere
    };
    // Behind a pointer of which only that is known, there is no variable of another name.
    let is_anywhere = |path: &Path| path.root == Root::Somewhere && path.steps.is_empty();
    if is_anywhere(left) || is_anywhere(right) {
        let is_variable = |path: &Path| {
            matches!(path.root, Root::Global(_) | Root::Local(_))
                && !path.steps.contains(&Step::Deref)
        };
        return !is_variable(left) && !is_variable(right);
    }
    // A lock in a variable of which any part may be meant.
    let is_whole = |path: &Path| matches!(path.root, Root::Global(_)) && path.steps.is_empty();
    if left.root == right.root && (is_whole(left) || is_whole(right)) {
        return left.contains(right) || right.contains(left);
    }
    // Two variables, or two constant parts of variables, are different locks.
    if is_fixed(left) && is_fixed(right) {
        return false;
    }
    left.may_overlap(right)
}

impl Effect for Lockset {
    /// What holds behind a call with this effect (RELAY fig. 3): first its releases, then what it
    /// holds at its end.
    fn then(&self, callee: &Lockset) -> Lockset {
        let mut after = self.clone();
        if callee.released_any {
            after.release_unknown();
        }
        for (path, times) in &callee.released {
            after.note_variables(path, callee.among.get(path));
            after.give_up(path, *times);
        }
        for (path, hold) in &callee.held {
            after.hold(path.clone(), *hold);
        }
        after
    }

    /// Makes it say what both say of the same point: what either knows to be held is held.
    fn meet(&mut self, other: &Lockset) {
        for (path, theirs) in &other.held {
            let mine = self.held.entry(path.clone()).or_insert(*theirs);
            mine.mode = mine.mode.max(theirs.mode);
            mine.count = mine.count.max(theirs.count);
        }
        self.released
            .retain(|path, times| match other.released.get(path) {
                Some(theirs) => {
                    *times = (*times).min(*theirs);
                    true
                }
                None => false,
            });
        self.released_any &= other.released_any;
        let released = &self.released;
        self.among.retain(|path, _| released.contains_key(path));
    }
}

impl Domain for Lockset {
    fn join(&mut self, other: &Lockset) -> bool {
        let before = self.clone();
        self.held.retain(|path, _| other.held.contains_key(path));
        for (path, hold) in &mut self.held {
            let theirs = other.held[path];
            hold.mode = hold.mode.min(theirs.mode);
            hold.count = hold.count.min(theirs.count);
            hold.taken = hold.taken.min(theirs.taken);
        }
        for path in other.released.keys() {
            self.note_variables(path, other.among.get(path));
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

    fn lock(index: u32) -> Path {
        Path::new(Root::Formal(index)).then(Step::Deref)
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
                            StatementId {
                                block: BlockId(0),
                                index: 0,
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
