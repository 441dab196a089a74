//! The lattice of signals.

use super::barriers::Phase;
use crate::dataflow::{Domain, Shared};
use crate::locksets::Effect;
use crate::points_to::Class;
use crate::symexec::{Path, Step, Targets};
use std::collections::{BTreeMap, BTreeSet};

/// What happened to signals since the function's entry.
///
/// Joining intersects what was waited for, because it must be on every path, and unites what was posted,
/// because it may be on any path.
pub type SignalState = Shared<Signals>;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signals {
    /// Signals that were certainly set when this thread looked, or that it has set itself.
    passed: BTreeMap<Path, Passed>,
    /// Variables that a relaxed load has seen set: a fence makes that count.
    seen: BTreeMap<Path, Class>,
    /// Variables that were not set yet when this thread looked, and the locks that it looked under: nobody
    /// can have set them as long as one of these is held without a break.
    unset: BTreeMap<Path, Locks>,
    /// Signals that this thread may have posted; the path is missing where the object has no exact name.
    posted: BTreeSet<Posted>,
    /// More was posted than is listed.
    posted_any: bool,
    /// A fence may have been passed from which later stores publish.
    pub fenced: bool,
    /// Such a fence was passed for certain.
    certainly_fenced: bool,
    /// A lock may have been given up for a while to wait for a condition.
    pub slept: bool,
    pub phase: Phase,
    /// Tokens that this thread has taken and not given away.
    tokens: BTreeSet<u32>,
    /// Tokens that it may have given away, be it that it has taken them again.
    given: BTreeSet<u32>,
    /// Variables that this thread has changed from zero to something else in one step.
    won: BTreeSet<Path>,
}

/// A signal that a thread has passed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Passed {
    pub class: Class,
    /// The ways in which it may have been passed. All must be ways that order.
    pub ways: BTreeSet<Way>,
}

/// How a thread got behind a signal.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Way {
    /// It waited for a library's object.
    Waited,
    /// It called what runs a routine once.
    Once,
    /// It loaded the variable in acquire order, or put a fence behind the load.
    Acquired,
    /// It loaded the variable under one of these locks.
    Locked(Locks),
    /// It posted the signal itself.
    Own,
}

/// Locks of which one is to keep others out.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct Locks {
    pub held: BTreeSet<Path>,
    /// Besides, those that the function's callers hold.
    pub at_entry: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Posted {
    pub class: Class,
    pub path: Option<Path>,
}

/// More than this are not told apart.
const MOST_POSTED: usize = 24;
/// More are forgotten.
const MOST_PASSED: usize = 24;

impl SignalState {
    /// Whether nothing happened.
    pub fn is_idle(&self) -> bool {
        **self == Signals::default()
    }

    pub fn passed(&self) -> impl Iterator<Item = (&Path, &Passed)> {
        self.passed.iter()
    }

    pub fn tokens(&self) -> &BTreeSet<u32> {
        &self.tokens
    }

    pub fn take(&mut self, token: u32) {
        self.tokens.insert(token);
    }

    pub fn give(&mut self, token: u32) {
        self.tokens.remove(&token);
        self.given.insert(token);
    }

    /// Variables that this thread has changed from zero to something else in one step.
    pub fn won(&self) -> &BTreeSet<Path> {
        &self.won
    }

    pub fn win(&mut self, signal: Path) {
        self.won.insert(signal);
    }

    pub fn unset(&self) -> impl Iterator<Item = (&Path, &Locks)> {
        self.unset.iter()
    }

    /// What this thread may have posted; `None` for what has no exact name.
    pub fn posted(&self) -> impl Iterator<Item = Option<&Path>> {
        let unknown = self.posted_any.then_some(None);
        let known = self.posted.iter().map(|posted| posted.path.as_ref());
        known.chain(unknown)
    }

    /// Whether this thread may have posted the signal.
    pub fn may_have_posted(&self, signal: &Path, class: Class) -> bool {
        self.posted_any
            || self.posted.iter().any(|posted| {
                let path = posted.path.as_ref();
                posted.class == class && path.is_none_or(|path| may_be_same(path, signal))
            })
    }

    /// Whether a release fence has certainly been passed.
    pub fn is_certainly_fenced(&self) -> bool {
        self.certainly_fenced
    }

    pub fn pass(&mut self, signal: Path, class: Class, way: Way) {
        if self.passed.len() < MOST_PASSED || self.passed.contains_key(&signal) {
            let ways = BTreeSet::from([way]);
            self.passed.insert(signal, Passed { class, ways });
        }
    }

    /// What was passed once is passed for ever, so the earlier way is as good, if it is certain to order.
    fn also_passed(&mut self, more: &BTreeMap<Path, Passed>) {
        for (signal, passed) in more {
            let is_locked = |way: &Way| matches!(way, Way::Locked(_));
            let is_certain = match self.passed.get(signal) {
                Some(known) => !known.ways.iter().any(is_locked),
                None => self.passed.len() >= MOST_PASSED,
            };
            if !is_certain {
                self.passed.insert(signal.clone(), passed.clone());
            }
        }
    }

    pub fn see(&mut self, signal: Path, class: Class) {
        if self.seen.len() < MOST_PASSED {
            self.seen.insert(signal, class);
        }
    }

    pub fn find_unset(&mut self, signal: Path, locks: Locks) {
        if self.unset.len() < MOST_PASSED {
            self.unset.insert(signal, locks);
        }
    }

    /// The locks under which variables were looked at may be free now.
    pub fn forget_unset(&mut self) {
        self.unset.clear();
    }

    pub fn post(&mut self, targets: &Targets, class: Class) {
        let path = match targets {
            Targets::Exactly(path) => Some(path.clone()),
            Targets::OneOf(_) | Targets::Unknown => None,
        };
        self.posted.insert(Posted { class, path });
        self.limit_posted();
    }

    fn limit_posted(&mut self) {
        self.posted_any |= self.posted.len() > MOST_POSTED;
        if self.posted_any {
            self.posted.clear();
        }
    }

    /// A barrier was passed.
    pub fn in_phase(phase: Phase) -> SignalState {
        Shared::new(Signals {
            phase,
            ..Signals::default()
        })
    }

    /// Whatever may have happened: nothing is certain.
    pub fn of_anything() -> SignalState {
        Shared::new(Signals {
            posted_any: true,
            fenced: true,
            slept: true,
            phase: Phase::any(),
            ..Signals::default()
        })
    }

    /// A fence: stores behind it publish what is in front of it.
    pub fn release_fence() -> SignalState {
        Shared::new(Signals {
            fenced: true,
            certainly_fenced: true,
            ..Signals::default()
        })
    }

    /// A fence: what relaxed loads in front of it saw set comes before what is behind it.
    pub fn acquire_fence(&mut self) {
        for (signal, class) in std::mem::take(&mut self.seen) {
            self.pass(signal, class, Way::Acquired);
        }
    }

    /// What a thread that is started here knows of signals: its starter has passed them.
    pub fn inherited(&self) -> SignalState {
        Shared::new(Signals {
            passed: self.passed.clone(),
            ..Signals::default()
        })
    }

    /// Whether it depends on what is held at the function's entry.
    pub fn needs_locks_at_entry(&self) -> bool {
        let mut ways = self.passed.values().flat_map(|passed| &passed.ways);
        ways.any(|way| matches!(way, Way::Locked(locks) if locks.at_entry))
            || self.unset.values().any(|locks| locks.at_entry)
    }

    /// The same as it was, told by a function that another one calls: `rebind` says what its places are
    /// there, and `around` which locks are held around the call.
    pub fn rebound(&self, rebind: &dyn Fn(&Path) -> Option<Path>, around: &Locks) -> SignalState {
        if self.is_idle() {
            return self.clone();
        }
        let locks = |locks: &Locks| -> Option<Locks> {
            let mut held: BTreeSet<Path> = locks.held.iter().filter_map(rebind).collect();
            if locks.at_entry {
                held.extend(around.held.iter().cloned());
            }
            let at_entry = locks.at_entry && around.at_entry;
            (at_entry || !held.is_empty()).then_some(Locks { held, at_entry })
        };
        let mut bound = Signals {
            passed: BTreeMap::new(),
            seen: BTreeMap::new(),
            unset: BTreeMap::new(),
            posted: BTreeSet::new(),
            phase: self.phase.rebound(rebind),
            tokens: self.tokens.clone(),
            given: self.given.clone(),
            won: self.won.iter().filter_map(rebind).collect(),
            ..**self
        };
        for (signal, passed) in &self.passed {
            let ways = passed.ways.iter().map(|way| match way {
                Way::Locked(known) => locks(known).map(Way::Locked),
                way => Some(way.clone()),
            });
            if let (Some(signal), Some(ways)) = (rebind(signal), ways.collect()) {
                let class = passed.class;
                bound.passed.insert(signal, Passed { class, ways });
            }
        }
        for (signal, class) in &self.seen {
            bound
                .seen
                .extend(rebind(signal).map(|signal| (signal, *class)));
        }
        for (signal, known) in &self.unset {
            if let (Some(signal), Some(locks)) = (rebind(signal), locks(known)) {
                bound.unset.insert(signal, locks);
            }
        }
        for posted in &self.posted {
            bound.posted.insert(Posted {
                class: posted.class,
                path: posted.path.as_ref().and_then(rebind),
            });
        }
        Shared::new(bound)
    }

    /// What may have been posted, whatever else happened: for calls that may or may not be made.
    pub fn perhaps(&self) -> SignalState {
        let mut perhaps = self.clone();
        perhaps.join(&SignalState::default());
        perhaps
    }
}

/// Whether two names of memory of one class may mean the same object: only variables have one name.
pub fn may_be_same(left: &Path, right: &Path) -> bool {
    left == right
        || [left, right]
            .iter()
            .any(|path| path.steps.contains(&Step::Deref))
}

impl Effect for SignalState {
    fn is_copy_of(&self, other: &SignalState) -> bool {
        self.is_shared_with(other)
    }

    fn then(&self, next: &SignalState) -> SignalState {
        if next.is_idle() {
            return self.clone();
        }
        let mut after = self.clone();
        after.also_passed(&next.passed);
        after.seen.extend(next.seen.clone());
        if next.slept || next.posted_any {
            after.unset.clear();
        }
        for posted in &next.posted {
            let path = posted.path.as_ref();
            after
                .unset
                .retain(|signal, _| path.is_some_and(|path| !may_be_same(path, signal)));
        }
        after.unset.extend(next.unset.clone());
        after.posted.extend(next.posted.iter().cloned());
        after.posted_any |= next.posted_any;
        after.limit_posted();
        after.fenced |= next.fenced;
        after.certainly_fenced |= next.certainly_fenced;
        after.slept |= next.slept;
        after.phase = self.phase.then(&next.phase);
        after.tokens.retain(|token| !next.given.contains(token));
        after.tokens.extend(&next.tokens);
        after.given.extend(&next.given);
        after.won.extend(next.won.iter().cloned());
        after
    }

    fn meet(&mut self, other: &SignalState) {
        self.also_passed(&other.passed);
        self.seen.extend(other.seen.clone());
        self.unset.extend(other.unset.clone());
        if !other.posted_any {
            if self.posted_any {
                self.posted = other.posted.clone();
                self.posted_any = false;
            } else {
                self.posted.retain(|posted| other.posted.contains(posted));
            }
        }
        self.fenced &= other.fenced;
        self.certainly_fenced |= other.certainly_fenced;
        self.slept &= other.slept;
        self.tokens.extend(&other.tokens);
        self.given.retain(|token| other.given.contains(token));
        self.won.extend(other.won.iter().cloned());
    }
}

impl Domain for SignalState {
    fn join(&mut self, other: &SignalState) -> bool {
        if self == other {
            return false;
        }
        let before = self.clone();
        self.passed.retain(|signal, mine| {
            let Some(theirs) = other.passed.get(signal) else {
                return false;
            };
            mine.ways.extend(theirs.ways.iter().cloned());
            mine.class == theirs.class
        });
        self.seen
            .retain(|signal, _| other.seen.contains_key(signal));
        self.unset.retain(|signal, mine| {
            let Some(theirs) = other.unset.get(signal) else {
                return false;
            };
            mine.held.retain(|lock| theirs.held.contains(lock));
            mine.at_entry &= theirs.at_entry;
            mine.at_entry || !mine.held.is_empty()
        });
        self.posted.extend(other.posted.iter().cloned());
        self.posted_any |= other.posted_any;
        self.limit_posted();
        self.fenced |= other.fenced;
        self.certainly_fenced &= other.certainly_fenced;
        self.slept |= other.slept;
        self.phase.join(&other.phase);
        self.tokens.retain(|token| other.tokens.contains(token));
        self.given.extend(&other.given);
        self.won.retain(|signal| other.won.contains(signal));
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symexec::{Root, Step};

    fn signal(index: u32) -> Path {
        Path::new(Root::Formal(index)).then(Step::Deref)
    }

    /// States of random histories over three signals.
    fn samples() -> Vec<SignalState> {
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = move |bound: u32| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 40) as u32 % bound
        };
        let class = Class::for_tests(1);
        (0..24)
            .map(|_| {
                let mut state = SignalState::default();
                for _ in 0..next(6) {
                    let path = signal(next(3));
                    let locks = Locks {
                        held: BTreeSet::from([signal(3 + next(2))]),
                        at_entry: next(2) == 0,
                    };
                    match next(10) {
                        9 => state.win(path),
                        7 => state.take(next(2)),
                        8 => state.give(next(2)),
                        0 => state.pass(path, class, Way::Waited),
                        1 => state.pass(path, class, Way::Locked(locks)),
                        2 => state.see(path, class),
                        3 => state.find_unset(path, locks),
                        4 => state = state.then(&SignalState::release_fence()),
                        5 => state.acquire_fence(),
                        _ => state.post(&Targets::Exactly(path), class),
                    }
                }
                state
            })
            .collect()
    }

    fn joined(left: &SignalState, right: &SignalState) -> SignalState {
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
        for state in samples() {
            assert_eq!(state.then(&SignalState::default()), state);
            assert_eq!(SignalState::default().then(&state), state);
        }
    }

    #[test]
    fn what_a_thread_has_posted_it_does_not_find_unset() {
        let mut looked = SignalState::default();
        looked.find_unset(signal(0), Locks::default());
        let mut posted = SignalState::default();
        posted.post(&Targets::Unknown, Class::for_tests(1));
        assert_eq!(looked.then(&posted).unset().count(), 0);
    }
}
