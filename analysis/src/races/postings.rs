//! What is done to signals, everywhere in the program.

use super::ordering::{Orders, Signal, SignalsOfClass};
use crate::accesses::{Access, Facts, FunctionFacts, PostFact, Publishes};
use crate::callgraph::{FunctionId, Functions};
use crate::dataflow::Fixed;
use crate::ir::AccessKind;
use crate::locksets::{Mode, PointLocks};
use crate::points_to::{Class, PointsTo};
use crate::signals::{SignalState, may_be_same};
use crate::stop::Stop;
use crate::summaries::SyncObjects;
use crate::symexec::{Path, Step, Targets};
use crate::threads::{Binder, CompanyId, Context, ContextId, Contexts, RootId, RootKind};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What sets a signal somewhere.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Posting {
    /// Its one name, if it has one.
    path: Option<Path>,
    /// The threads that do it.
    company: CompanyId,
    kind: PostingKind,
    locks: BTreeSet<Path>,
    /// Claims that the thread has won by then.
    won: BTreeSet<Path>,
    /// It certainly leaves something else than zero.
    nonzero: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PostingKind {
    Object {
        starts_unset: bool,
    },
    Set(Publishes),
    /// Back to zero while other threads may run.
    Reset,
}

/// Where postings are looked for.
#[derive(Clone, Copy)]
pub(super) struct Posted<'f> {
    pub functions: &'f Functions,
    pub points_to: &'f PointsTo,
    pub objects: &'f SyncObjects,
    pub contexts: &'f Contexts,
}

/// All that is done to signals.
pub(super) struct Postings<'f> {
    posted: Posted<'f>,
    /// Only these signals count, and nothing but signals.
    only: Option<&'f FxHashSet<Class>>,
    /// Each once: it is the same for a signal how often something is done to it.
    by_class: FxHashMap<Class, FxHashSet<Fixed<Posting>>>,
    companies: FxHashMap<CompanyId, &'f BTreeSet<RootId>>,
    orders: Orders,
}

impl<'f> Postings<'f> {
    /// Those of all functions; `only` to some signals, if it says which.
    pub fn find(
        posted: Posted<'f>,
        facts: &Facts,
        only: Option<&'f FxHashSet<Class>>,
    ) -> Postings<'f> {
        let none = || Postings::none(posted, only);
        let functions = (0..facts.len()).into_par_iter();
        let stop = Stop::of_this_thread();
        let found = functions.fold(none, |mut found, index| {
            stop.heard(|| found.function(FunctionId(index as u32), &facts[index]));
            found
        });
        found.reduce(none, Postings::and)
    }

    /// What one function with these facts does.
    pub fn of_function(
        posted: Posted<'f>,
        function: FunctionId,
        facts: &FunctionFacts,
    ) -> Postings<'f> {
        let mut found = Postings::none(posted, None);
        found.function(function, facts);
        found
    }

    /// The signals to which something else is done, or by other threads; `None` if it is not only signals.
    pub fn different_from(&self, other: &Postings<'_>) -> Option<FxHashSet<Class>> {
        if self.orders != other.orders {
            return None;
        }
        let classes = self.by_class.keys().chain(other.by_class.keys());
        let is_different = |class: &&Class| {
            let mine = self.by_class.get(class);
            let theirs = other.by_class.get(class);
            !mine
                .zip(theirs)
                .is_some_and(|(mine, theirs)| self.by_threads(mine) == other.by_threads(theirs))
        };
        Some(classes.filter(is_different).copied().collect())
    }

    /// Postings without the numbers of their companies, which mean nothing.
    fn by_threads<'p>(
        &'p self,
        postings: &'p FxHashSet<Fixed<Posting>>,
    ) -> FxHashSet<(Posting, &'p BTreeSet<RootId>)> {
        let postings = postings.iter();
        postings
            .map(|posting| {
                let nameless = Posting {
                    company: CompanyId::default(),
                    ..Posting::clone(posting)
                };
                (nameless, self.companies[&posting.company])
            })
            .collect()
    }

    fn none(posted: Posted<'f>, only: Option<&'f FxHashSet<Class>>) -> Postings<'f> {
        Postings {
            posted,
            only,
            by_class: FxHashMap::default(),
            companies: FxHashMap::default(),
            orders: Orders::default(),
        }
    }
}

impl<'f> Postings<'f> {
    /// What both have found.
    fn and(mut self, other: Self) -> Self {
        for (class, postings) in other.by_class {
            self.by_class.entry(class).or_default().extend(postings);
        }
        self.companies.extend(other.companies);
        let orders = other.orders;
        for (barrier, roots) in orders.barriers {
            self.orders
                .barriers
                .entry(barrier)
                .or_default()
                .extend(roots);
        }
        for (token, path) in orders.tokens {
            self.orders.token_is(token, path);
        }
        self.orders.false_tokens.extend(orders.false_tokens);
        self
    }

    fn function(&mut self, function: FunctionId, facts: &FunctionFacts) {
        let Posted {
            functions,
            contexts,
            ..
        } = self.posted;
        if contexts.count(function) == 0 {
            return;
        }
        let body = functions.body(function);
        for access in &facts.accesses {
            let classes = self.flags_of(access);
            for (id, context, roots) in contexts.of(function).filter(|_| !classes.is_empty()) {
                let place = Place {
                    function,
                    id,
                    context,
                    roots,
                    binder: context.binder(body),
                };
                self.store(access, &classes, &place);
            }
        }
        let is_wanted = |post: &&PostFact| self.only.is_none_or(|only| only.contains(&post.class));
        let posts: Vec<&PostFact> = facts.posts.iter().filter(is_wanted).collect();
        let barriers = match self.only {
            Some(_) => &[],
            None => &facts.barriers[..],
        };
        if posts.is_empty() && barriers.is_empty() {
            return;
        }
        for (id, context, roots) in contexts.of(function) {
            let place = Place {
                function,
                id,
                context,
                roots,
                binder: context.binder(body),
            };
            for post in &posts {
                self.post(post, &place);
            }
            for barrier in barriers {
                if let Some(path) = place.unique(&barrier.barrier) {
                    self.orders.barriers.entry(path).or_default().extend(roots);
                }
            }
        }
    }

    fn store(&mut self, access: &Access, classes: &[Class], place: &Place<'f>) {
        let is_whole = |class: &Class| *class != access.cell.class;
        let kind = if !access.stored.zero {
            PostingKind::Set(access.stored.publishes)
        } else if self.is_before_all_threads(access, place) {
            return;
        } else {
            PostingKind::Reset
        };
        let how = How {
            kind,
            nonzero: access.stored.nonzero,
            locks: &access.locks,
            signals: &access.signals,
        };
        // Who writes a whole object does the same to all of its members.
        let mut nameless = None;
        for class in classes {
            let posting = match is_whole(class) {
                false => self.posting(place.unique(&access.place), how, place),
                true => {
                    let posting = nameless.get_or_insert_with(|| self.posting(None, how, place));
                    posting.clone()
                }
            };
            self.add(*class, posting, place);
        }
    }

    fn is_before_all_threads(&self, access: &Access, place: &Place<'_>) -> bool {
        let contexts = self.posted.contexts;
        let is_main = |root: &RootId| contexts.root(*root).kind == RootKind::Main;
        place.roots.iter().all(is_main) && place.context.threads_at(&access.forks).is_empty()
    }

    fn post(&mut self, post: &PostFact, place: &Place<'f>) {
        let objects = self.posted.objects;
        let starts_unset = match objects.semaphores.first_value(post.class) {
            Some(count) => count == Some(0),
            // What counts nothing begins unset, unless somebody says otherwise.
            None => !post.counts,
        };
        let path = place.unique(&post.object);
        if let Some(token) = objects.tokens.of(post.class) {
            let body = place.binder.body;
            let signals = place.context.signals_at(&post.signals, &post.locks, body);
            if !signals.tokens().contains(&token) {
                self.orders.false_tokens.insert(token);
            }
            if let Some(path) = &path {
                self.orders.token_is(token, path.clone());
            }
        }
        let how = How {
            kind: PostingKind::Object { starts_unset },
            nonzero: false,
            locks: &post.locks,
            signals: &post.signals,
        };
        let posting = self.posting(path, how, place);
        self.add(post.class, posting, place);
    }

    fn posting(&self, path: Option<Path>, how: How<'_>, place: &Place<'f>) -> Fixed<Posting> {
        let held = place.context.held_at(how.locks, place.function);
        let held = held.into_iter();
        let alone = held.filter(|(_, held)| held.mode == Mode::Exclusive);
        let locks = alone.filter_map(|(lock, _)| place.binder.unique(&lock));
        Fixed::new(Posting {
            path,
            company: self.posted.contexts.company(place.function, place.id),
            kind: how.kind,
            locks: locks.collect(),
            won: place.context.won_at(how.signals, place.binder.body),
            nonzero: how.nonzero,
        })
    }

    fn add(&mut self, class: Class, posting: Fixed<Posting>, place: &Place<'f>) {
        self.companies.insert(posting.company, place.roots);
        self.by_class.entry(class).or_default().insert(posting);
    }

    /// The signals that they make.
    pub fn orders(mut self) -> Orders {
        let signals = self.by_class.iter();
        let signals: Vec<(Class, SignalsOfClass)> = signals
            .map(|(class, postings)| (*class, self.signals_of(*class, postings)))
            .collect();
        self.orders.set_signals(signals);
        self.orders
    }

    /// The orders of before with the signals that the only classes make that were looked for.
    pub fn orders_in(&self, before: &Orders) -> Orders {
        let classes = self.only.into_iter().flatten();
        let none = FxHashSet::default();
        let signals: Vec<(Class, SignalsOfClass)> = classes
            .map(|class| {
                let postings = self.by_class.get(class).unwrap_or(&none);
                (*class, self.signals_of(*class, postings))
            })
            .collect();
        let mut orders = before.clone();
        orders.set_signals(signals);
        orders
    }

    fn signals_of(&self, class: Class, postings: &FxHashSet<Fixed<Posting>>) -> SignalsOfClass {
        let named: BTreeSet<&Path> = postings.iter().filter_map(|it| it.path.as_ref()).collect();
        let mut found = SignalsOfClass::default();
        for path in named {
            if is_claim(path, postings) {
                found.claims.push(path.clone());
            }
            if let Some(signal) = self.signal(class, path, postings) {
                found.signals.push((path.clone(), Arc::new(signal)));
            }
        }
        found
    }

    /// The variables that may publish something and that an access writes to.
    fn flags_of(&self, access: &Access) -> Vec<Class> {
        let objects = self.posted.objects;
        let flags = &objects.flags;
        if access.kind == AccessKind::Read || flags.is_empty() {
            return Vec::new();
        }
        let class = access.cell.class;
        let is_wanted = |class: &Class| self.only.is_none_or(|only| only.contains(class));
        let mut found = match access.cell.whole {
            true => flags_in(self.posted.points_to, objects, class),
            false if is_wanted(&class) && flags.contains(class) => vec![class],
            false => Vec::new(),
        };
        found.retain(is_wanted);
        found
    }

    /// What all postings of one signal have in common; `None` if it is no signal.
    fn signal(
        &self,
        class: Class,
        path: &Path,
        postings: &FxHashSet<Fixed<Posting>>,
    ) -> Option<Signal> {
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
            signal.posters.extend(self.companies[&posting.company]);
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
        if is_variable && (is_reached || !orders || self.posted.objects.flags.is_set_at_start(path))
        {
            return None;
        }
        Some(signal)
    }
}

/// Whether nothing makes a variable zero again.
fn is_claim(path: &Path, postings: &FxHashSet<Fixed<Posting>>) -> bool {
    let mut same = postings.iter().filter(|posting| {
        let other = posting.path.as_ref();
        other.is_none_or(|other| may_be_same(other, path))
    });
    !path.steps.contains(&Step::Deref)
        && same.all(|posting| matches!(posting.kind, PostingKind::Set(_)) && posting.nonzero)
}

/// How something is posted.
#[derive(Clone, Copy)]
struct How<'h> {
    kind: PostingKind,
    nonzero: bool,
    locks: &'h PointLocks,
    signals: &'h SignalState,
}

/// The variables that may publish something and lie in an object. The class is one of its parts.
pub(super) fn flags_in(points_to: &PointsTo, objects: &SyncObjects, class: Class) -> Vec<Class> {
    let parts = points_to.parts(class).iter().copied();
    let flags = parts.filter(|class| objects.flags.contains(*class));
    flags.collect()
}

/// A function in one of its contexts.
struct Place<'p> {
    function: FunctionId,
    id: ContextId,
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
