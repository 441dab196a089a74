//! Which signals order what: who posts each of them, and how.

use super::moments::When;
use super::postings::{Posted, Postings};
use crate::accesses::{Facts, Publishes};
use crate::callgraph::{CallGraph, Functions};
use crate::points_to::Class;
use crate::signals::{Locks, Passed, Way};
use crate::summaries::SyncObjects;
use crate::symexec::Path;
use crate::threads::{Contexts, Moment, RootId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The signals and barriers of a program.
#[derive(Clone, Default)]
pub struct Orders {
    pub(super) signals: BTreeMap<Path, Arc<Signal>>,
    /// The threads that pass each barrier.
    pub(super) barriers: BTreeMap<Path, BTreeSet<RootId>>,
    /// Variables that only one thread can change from zero to something else.
    pub(super) claims: BTreeSet<Path>,
    /// A semaphore of each token.
    pub(super) tokens: BTreeMap<u32, Path>,
    /// Tokens that somebody gives away without having them.
    pub(super) false_tokens: BTreeSet<u32>,
    /// Where signals and claims come from, so that those of some classes can be found again.
    by_class: BTreeMap<Class, Arc<SignalsOfClass>>,
}

/// The signals and claims that one class of memory makes.
#[derive(Default)]
pub(super) struct SignalsOfClass {
    pub signals: Vec<(Path, Arc<Signal>)>,
    pub claims: Vec<Path>,
}

impl PartialEq for Orders {
    fn eq(&self, other: &Orders) -> bool {
        self.signals == other.signals
            && self.barriers == other.barriers
            && self.claims == other.claims
            && self.tokens == other.tokens
            && self.false_tokens == other.false_tokens
    }
}

/// All that is done to set one signal.
#[derive(PartialEq)]
pub(super) struct Signal {
    pub(super) class: Class,
    pub(super) posters: BTreeSet<RootId>,
    /// A library's object, and not a variable.
    pub(super) is_object: bool,
    /// The least that a post publishes to who reads it in acquire order.
    pub(super) publishes: Publishes,
    /// Locks that every post holds alone.
    pub(super) locks: BTreeSet<Path>,
    /// Once set, it stays so.
    pub(super) stays_set: bool,
    /// Claims that whoever posts it has won.
    pub(super) claims: BTreeSet<Path>,
}

/// How two accesses are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum OrderKind {
    /// One comes before a signal that the other one has waited for.
    Signal,
    /// A routine that runs once comes before all that is behind a call of it.
    Once,
    /// A barrier stands between.
    Barrier,
    /// Both have a token that semaphores pass from thread to thread.
    Token,
    /// Both come only where one thread can: to what it has claimed.
    Claim,
}

/// One access in one thread.
#[derive(Clone, Copy)]
pub(super) struct Side<'s> {
    pub when: &'s When,
    pub root: RootId,
}

impl Orders {
    pub fn new(
        graph: &CallGraph<'_>,
        objects: &SyncObjects,
        facts: &Facts,
        contexts: &Contexts,
    ) -> Orders {
        let posted = Posted {
            functions: graph.functions,
            points_to: graph.points_to(),
            objects,
            contexts,
        };
        Postings::find(posted, facts, None).orders()
    }

    /// Has these classes make these signals.
    pub(super) fn set_signals(&mut self, classes: Vec<(Class, SignalsOfClass)>) {
        for (class, signals) in classes {
            match signals.signals.is_empty() && signals.claims.is_empty() {
                true => self.by_class.remove(&class),
                false => self.by_class.insert(class, Arc::new(signals)),
            };
        }
        self.signals.clear();
        self.claims.clear();
        for signals in self.by_class.values() {
            self.claims.extend(signals.claims.iter().cloned());
            self.signals.extend(signals.signals.iter().cloned());
        }
    }

    pub(super) fn token_is(&mut self, token: u32, path: Path) {
        let known = self.tokens.entry(token).or_insert_with(|| path.clone());
        if path < *known {
            *known = path;
        }
    }

    /// What orders two accesses, and by which object.
    pub(super) fn order(
        &self,
        functions: &Functions,
        contexts: &Contexts,
        left: Side<'_>,
        right: Side<'_>,
    ) -> Option<(OrderKind, Path)> {
        if self.is_irrelevant(left.when) && self.is_irrelevant(right.when) {
            return None;
        }
        once(left.when, right.when)
            .or_else(|| self.signal(functions, contexts, left, right))
            .or_else(|| self.signal(functions, contexts, right, left))
            .or_else(|| self.token(left.when, right.when))
            .or_else(|| self.claim(left.when, right.when))
            .or_else(|| self.barrier(left, right))
    }

    fn is_irrelevant(&self, when: &When) -> bool {
        when.once.is_empty()
            && when.signals.passed().next().is_none()
            && when.signals.phase.is_empty()
            && when.signals.tokens().is_empty()
            && when.signals.won().is_empty()
    }

    /// A signal that the second one has waited for and that the first one comes before.
    fn signal(
        &self,
        functions: &Functions,
        contexts: &Contexts,
        first: Side<'_>,
        second: Side<'_>,
    ) -> Option<(OrderKind, Path)> {
        let mut passed = second.when.signals.passed();
        let (path, _) = passed.find(|(path, passed)| {
            let Some(signal) = self.signals.get(*path) else {
                return false;
            };
            signal.is_behind(passed)
                && (signal.comes_later(path, functions, contexts, first)
                    || self.is_posted_by_winner(signal, path, first.when)
                    || signal.is_found_unset(path, first.when))
        })?;
        Some((OrderKind::Signal, path.clone()))
    }

    fn token(&self, left: &When, right: &When) -> Option<(OrderKind, Path)> {
        let both = left.signals.tokens() & right.signals.tokens();
        let token = both.difference(&self.false_tokens).next()?;
        Some((OrderKind::Token, self.tokens.get(token)?.clone()))
    }

    /// Only one thread wins a claim.
    fn claim(&self, left: &When, right: &When) -> Option<(OrderKind, Path)> {
        let both = left.signals.won() & right.signals.won();
        let claim = both.intersection(&self.claims).next()?;
        Some((OrderKind::Claim, claim.clone()))
    }

    /// Whether all that post a signal are the one thread that accesses something, and it has not posted it yet.
    fn is_posted_by_winner(&self, signal: &Signal, path: &Path, access: &When) -> bool {
        let signals = &access.signals;
        let mut claims = signals.won().intersection(&self.claims);
        claims.any(|claim| signal.claims.contains(claim))
            && !signals.may_have_posted(path, signal.class)
            && (signal.publishes != Publishes::UpToAFence || !signals.fenced)
    }

    // UNSOUND: threads that wait at the same barrier are taken to pass it together, each as often as the
    // others.
    fn barrier(&self, left: Side<'_>, right: Side<'_>) -> Option<(OrderKind, Path)> {
        let (mine, theirs) = (&left.when.signals.phase, &right.when.signals.phase);
        let both = mine.barriers().chain(theirs.barriers());
        let takes_part = |barrier: &Path, root: RootId| {
            let threads = self.barriers.get(barrier);
            threads.is_some_and(|threads| threads.contains(&root))
        };
        let shared: BTreeSet<&Path> = both
            .filter(|barrier| takes_part(barrier, left.root) && takes_part(barrier, right.root))
            .collect();
        let between = shared
            .iter()
            .find(|barrier| mine.of(barrier).differ(theirs.of(barrier)));
        if let Some(barrier) = between {
            return Some((OrderKind::Barrier, (**barrier).clone()));
        }
        // UNSOUND: threads that begin with the same function are taken to wait at the same calls of barriers, in
        // the same order.
        let is_known = !mine.has_unnamed() && !theirs.has_unnamed();
        let barrier = shared.first()?;
        (left.root == right.root && is_known && mine.ended_elsewhere(theirs))
            .then(|| (OrderKind::Barrier, (*barrier).clone()))
    }
}

/// A routine that runs once comes before what is behind a call of it, and never runs beside itself.
fn once(left: &When, right: &When) -> Option<(OrderKind, Path)> {
    let is_behind = |control: &Path, other: &When| {
        other.once.contains(control)
            || other.signals.passed().any(|(path, passed)| {
                path == control && passed.ways.iter().all(|way| *way == Way::Once)
            })
    };
    let one = left.once.iter().find(|control| is_behind(control, right));
    let found = one.or_else(|| right.once.iter().find(|control| is_behind(control, left)))?;
    Some((OrderKind::Once, found.clone()))
}

impl Signal {
    /// Whether somebody who has passed the signal is behind a post of it.
    fn is_behind(&self, passed: &Passed) -> bool {
        passed.ways.iter().all(|way| match way {
            Way::Waited => self.is_object,
            Way::Acquired => !self.is_object && self.publishes != Publishes::Nothing,
            Way::Locked(locks) => !self.is_object && self.is_kept_out_by(locks),
            Way::Own => true,
            Way::Once => false,
        })
    }

    /// Whether nobody can post the signal while one of these locks is held.
    fn is_kept_out_by(&self, locks: &Locks) -> bool {
        !self.locks.is_disjoint(&locks.held)
    }

    /// Whether every post of the signal comes after an access.
    fn comes_later(
        &self,
        path: &Path,
        functions: &Functions,
        contexts: &Contexts,
        access: Side<'_>,
    ) -> bool {
        let signals = &access.when.signals;
        let moment = Moment {
            root: access.root,
            threads: &access.when.threads,
        };
        self.posters.iter().all(|&poster| {
            let posts_later = poster == access.root
                && !contexts.root(poster).many
                && !signals.may_have_posted(path, self.class)
                && (self.publishes != Publishes::UpToAFence || !signals.fenced);
            posts_later || contexts.starts_later(functions, moment, poster)
        })
    }

    /// Whether the accessing thread has found the signal unset, and holds a lock since then without which nobody
    /// sets it.
    fn is_found_unset(&self, path: &Path, access: &When) -> bool {
        let mut unset = access.signals.unset();
        self.stays_set && unset.any(|(found, locks)| found == path && self.is_kept_out_by(locks))
    }
}
