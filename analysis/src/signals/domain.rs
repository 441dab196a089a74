//! The lattice of signals.

use super::barriers::Phase;
use crate::dataflow::{Domain, Shared};
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
    pub(super) passed: BTreeMap<Path, Passed>,
    /// Variables that a relaxed load has seen set: a fence makes that count.
    pub(super) seen: BTreeMap<Path, Class>,
    /// Variables that were not set yet when this thread looked, and the locks that it looked under: nobody
    /// can have set them as long as one of these is held without a break.
    pub(super) unset: BTreeMap<Path, Locks>,
    /// Signals that this thread may have posted; the path is missing where the object has no exact name.
    pub(super) posted: BTreeSet<Posted>,
    /// More was posted than is listed.
    pub(super) posted_any: bool,
    /// A fence may have been passed from which later stores publish.
    pub fenced: bool,
    /// Such a fence was passed for certain.
    pub(super) certainly_fenced: bool,
    /// A lock may have been given up for a while to wait for a condition.
    pub slept: bool,
    pub phase: Phase,
    /// Tokens that this thread has taken and not given away.
    pub(super) tokens: BTreeSet<u32>,
    /// Tokens that it may have given away, be it that it has taken them again.
    pub(super) given: BTreeSet<u32>,
    /// Variables that this thread has changed from zero to something else in one step.
    pub(super) won: BTreeSet<Path>,
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
pub(super) const MOST_PASSED: usize = 24;

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
        if !self.unset.is_empty() {
            self.unset.clear();
        }
    }

    pub fn post(&mut self, targets: &Targets, class: Class) {
        let path = match targets {
            Targets::Exactly(path) => Some(path.clone()),
            Targets::OneOf(_) | Targets::Unknown => None,
        };
        self.posted.insert(Posted { class, path });
        self.limit_posted();
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
        if !self.has_names() {
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

impl Signals {
    /// What was passed once is passed for ever, so the earlier way is as good, if it is certain to order.
    pub(super) fn also_passed(&mut self, more: &BTreeMap<Path, Passed>) {
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

    pub(super) fn limit_posted(&mut self) {
        self.posted_any |= self.posted.len() > MOST_POSTED;
        if self.posted_any {
            self.posted.clear();
        }
    }

    /// Whether it says anything of an object that is known by a name.
    fn has_names(&self) -> bool {
        let mut posted = self.posted.iter();
        !self.passed.is_empty()
            || !self.seen.is_empty()
            || !self.unset.is_empty()
            || !self.won.is_empty()
            || posted.any(|posted| posted.path.is_some())
            || self.phase.barriers().next().is_some()
    }
}

/// Whether two names of memory of one class may mean the same object: only variables have one name.
pub fn may_be_same(left: &Path, right: &Path) -> bool {
    left == right
        || [left, right]
            .iter()
            .any(|path| path.steps.contains(&Step::Deref))
}
