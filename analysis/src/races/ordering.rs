//! Which signals order what: who posts each of them, and how.

use super::moments::When;
use crate::accesses::{Access, FunctionFacts, PostFact, Publishes};
use crate::callgraph::{CallGraph, FunctionId, Functions};
use crate::ir::AccessKind;
use crate::locksets::{Mode, PointLocks};
use crate::points_to::Class;
use crate::signals::{Locks, Passed, SignalState, Way, may_be_same};
use crate::summaries::SyncObjects;
use crate::symexec::{Path, Step, Targets};
use crate::threads::{Binder, Context, Contexts, Moment, RootId, RootKind};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The signals and barriers of a program.
#[derive(Default, PartialEq)]
pub struct Orders {
    signals: BTreeMap<Path, Signal>,
    /// The threads that pass each barrier.
    barriers: BTreeMap<Path, BTreeSet<RootId>>,
    /// Variables that only one thread can change from zero to something else.
    claims: BTreeSet<Path>,
    /// A semaphore of each token.
    tokens: BTreeMap<u32, Path>,
    /// Tokens that somebody gives away without having them.
    false_tokens: BTreeSet<u32>,
}

/// All that is done to set one signal.
#[derive(PartialEq)]
struct Signal {
    class: Class,
    posters: BTreeSet<RootId>,
    /// A library's object, and not a variable.
    is_object: bool,
    /// The least that a post publishes to who reads it in acquire order.
    publishes: Publishes,
    /// Locks that every post holds alone.
    locks: BTreeSet<Path>,
    /// Once set, it stays so.
    stays_set: bool,
    /// Claims that whoever posts it has won.
    claims: BTreeSet<Path>,
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

/// What sets a signal somewhere.
struct Posting {
    /// Its one name, if it has one.
    path: Option<Path>,
    roots: BTreeSet<RootId>,
    kind: PostingKind,
    locks: BTreeSet<Path>,
    /// Claims that the thread has won by then.
    won: BTreeSet<Path>,
    /// It certainly leaves something else than zero.
    nonzero: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum PostingKind {
    Object {
        starts_unset: bool,
    },
    Set(Publishes),
    /// Back to zero while other threads may run.
    Reset,
}

impl Orders {
    pub fn new(
        graph: &CallGraph<'_>,
        objects: &SyncObjects,
        facts: &[Arc<FunctionFacts>],
        contexts: &Contexts,
    ) -> Orders {
        let mut finder = Finder {
            graph,
            objects,
            contexts,
            postings: FxHashMap::default(),
            orders: Orders::default(),
        };
        for function in graph.functions.ids() {
            finder.function(function, &facts[function.0 as usize]);
        }
        finder.finish()
    }

    /// Whether a function has the same part in the orders of the program with other facts than before.
    pub(super) fn is_same_for(
        graph: &CallGraph<'_>,
        objects: &SyncObjects,
        facts: &FunctionFacts,
        before: &FunctionFacts,
    ) -> bool {
        let stores = |facts: &FunctionFacts| -> Vec<Access> {
            let accesses = facts.accesses.iter();
            accesses
                .filter(|access| !flags_of(graph, objects, access).is_empty())
                .cloned()
                .collect()
        };
        facts.posts == before.posts
            && facts.barriers == before.barriers
            && stores(facts) == stores(before)
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

struct Finder<'f> {
    graph: &'f CallGraph<'f>,
    objects: &'f SyncObjects,
    contexts: &'f Contexts,
    postings: FxHashMap<Class, Vec<Posting>>,
    orders: Orders,
}

impl Finder<'_> {
    fn function(&mut self, function: FunctionId, facts: &FunctionFacts) {
        let name = self.graph.functions.body(function).function;
        let contexts = self.contexts;
        for access in &facts.accesses {
            let classes = flags_of(self.graph, self.objects, access);
            for (_, context, roots) in contexts.of(function).filter(|_| !classes.is_empty()) {
                let place = Place {
                    function,
                    context,
                    roots,
                    binder: context.binder(name),
                };
                self.store(access, &classes, &place);
            }
        }
        if facts.posts.is_empty() && facts.barriers.is_empty() {
            return;
        }
        for (_, context, roots) in contexts.of(function) {
            let place = Place {
                function,
                context,
                roots,
                binder: context.binder(name),
            };
            for post in &facts.posts {
                self.post(post, &place);
            }
            for barrier in &facts.barriers {
                if let Some(path) = place.unique(&barrier.barrier) {
                    self.orders.barriers.entry(path).or_default().extend(roots);
                }
            }
        }
    }

    fn store(&mut self, access: &Access, classes: &[Class], place: &Place<'_>) {
        let is_whole = |class: &Class| *class != access.cell.class;
        let kind = if !access.stored.zero {
            PostingKind::Set(access.stored.publishes)
        } else if self.is_before_all_threads(access, place) {
            return;
        } else {
            PostingKind::Reset
        };
        for class in classes {
            let path = place.unique(&access.place).filter(|_| !is_whole(class));
            let how = How {
                kind,
                nonzero: access.stored.nonzero,
                locks: &access.locks,
                signals: &access.signals,
            };
            self.add(*class, path, how, place);
        }
    }

    fn is_before_all_threads(&self, access: &Access, place: &Place<'_>) -> bool {
        let is_main = |root: &RootId| self.contexts.root(*root).kind == RootKind::Main;
        place.roots.iter().all(is_main) && place.context.threads_at(&access.forks).is_empty()
    }

    fn post(&mut self, post: &PostFact, place: &Place<'_>) {
        let starts_unset = match self.objects.semaphores.first_value(post.class) {
            Some(count) => count == Some(0),
            // What counts nothing begins unset, unless somebody says otherwise.
            None => !post.counts,
        };
        let path = place.unique(&post.object);
        if let Some(token) = self.objects.tokens.of(post.class) {
            let function = place.binder.function;
            let signals = place
                .context
                .signals_at(&post.signals, &post.locks, function);
            if !signals.tokens().contains(&token) {
                self.orders.false_tokens.insert(token);
            }
            if let Some(path) = &path {
                let known = self
                    .orders
                    .tokens
                    .entry(token)
                    .or_insert_with(|| path.clone());
                *known = path.clone().min(known.clone());
            }
        }
        let how = How {
            kind: PostingKind::Object { starts_unset },
            nonzero: false,
            locks: &post.locks,
            signals: &post.signals,
        };
        self.add(post.class, path, how, place);
    }

    fn add(&mut self, class: Class, path: Option<Path>, how: How<'_>, place: &Place<'_>) {
        let held = place.context.held_at(how.locks, place.function);
        let held = held.into_iter();
        let alone = held.filter(|(_, held)| held.mode == Mode::Exclusive);
        let locks = alone.filter_map(|(lock, _)| place.binder.unique(&lock));
        let function = place.binder.function;
        let signals = place.context.signals_at(how.signals, how.locks, function);
        self.postings.entry(class).or_default().push(Posting {
            path,
            roots: place.roots.clone(),
            kind: how.kind,
            locks: locks.collect(),
            won: signals.won().clone(),
            nonzero: how.nonzero,
        });
    }

    fn finish(mut self) -> Orders {
        for (class, postings) in &self.postings {
            let named: BTreeSet<&Path> =
                postings.iter().filter_map(|it| it.path.as_ref()).collect();
            for path in named {
                if is_claim(path, postings) {
                    self.orders.claims.insert(path.clone());
                }
                if let Some(signal) = self.signal(*class, path, postings) {
                    self.orders.signals.insert(path.clone(), signal);
                }
            }
        }
        self.orders
    }

    /// What all postings of one signal have in common; `None` if it is no signal.
    fn signal(&self, class: Class, path: &Path, postings: &[Posting]) -> Option<Signal> {
        let mut signal = Signal {
            class,
            posters: BTreeSet::new(),
            is_object: false,
            publishes: Publishes::Everything,
            locks: BTreeSet::new(),
            stays_set: true,
            claims: BTreeSet::new(),
        };
        let mut is_first = true;
        for posting in postings {
            let other = posting.path.as_ref();
            if !other.is_none_or(|other| may_be_same(other, path)) {
                continue;
            }
            match posting.kind {
                PostingKind::Reset => {
                    signal.stays_set = false;
                    continue;
                }
                PostingKind::Object { starts_unset } => {
                    signal.is_object = true;
                    if !starts_unset {
                        return None;
                    }
                }
                PostingKind::Set(publishes) => signal.publishes = signal.publishes.min(publishes),
            }
            signal.posters.extend(&posting.roots);
            if is_first {
                signal.locks = posting.locks.clone();
                signal.claims = posting.won.clone();
            } else {
                signal.locks = &signal.locks & &posting.locks;
                signal.claims = &signal.claims & &posting.won;
            }
            is_first = false;
        }
        let is_variable = !signal.is_object;
        let is_reached = path.steps.contains(&Step::Deref);
        let orders = signal.publishes != Publishes::Nothing || !signal.locks.is_empty();
        if is_variable && (is_reached || !orders || self.objects.flags.is_set_at_start(path)) {
            return None;
        }
        Some(signal)
    }
}

/// Whether nothing makes a variable zero again.
fn is_claim(path: &Path, postings: &[Posting]) -> bool {
    let mut same = postings.iter().filter(|posting| {
        let other = posting.path.as_ref();
        other.is_none_or(|other| may_be_same(other, path))
    });
    !path.steps.contains(&Step::Deref)
        && same.all(|posting| matches!(posting.kind, PostingKind::Set(_)) && posting.nonzero)
}

/// How something is posted.
struct How<'h> {
    kind: PostingKind,
    nonzero: bool,
    locks: &'h PointLocks,
    signals: &'h SignalState,
}

/// The variables that may publish something and that an access writes to.
fn flags_of(graph: &CallGraph<'_>, objects: &SyncObjects, access: &Access) -> Vec<Class> {
    let flags = &objects.flags;
    if access.kind == AccessKind::Read || flags.is_empty() {
        return Vec::new();
    }
    let class = access.cell.class;
    if !access.cell.whole {
        return Some(class)
            .filter(|class| flags.contains(*class))
            .into_iter()
            .collect();
    }
    // The class is one of its parts.
    let parts = graph.points_to().parts(class).iter().copied();
    parts.filter(|class| flags.contains(*class)).collect()
}

/// A function in one of its contexts.
struct Place<'p> {
    function: FunctionId,
    context: &'p Context,
    roots: &'p BTreeSet<RootId>,
    binder: Binder<'p>,
}

impl Place<'_> {
    fn unique(&self, targets: &Targets) -> Option<Path> {
        match targets {
            Targets::Exactly(path) => self.binder.unique(path),
            Targets::OneOf(_) | Targets::Unknown => None,
        }
    }
}
