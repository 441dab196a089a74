//! When accesses happen: in which threads, and what those have started, posted and waited for by then.

use super::ordering::{Orders, Side};
use super::pairing::Apart;
use crate::accesses::Access;
use crate::callgraph::{FunctionId, Functions};
use crate::dataflow::Fixed;
use crate::signals::SignalState;
use crate::symexec::Path;
use crate::threads::{CompanyId, Context, ContextId, Contexts, Moment, RootId, Threads, ThreadsAt};
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What the order of threads makes of an access. Accesses that agree on it share it.
#[derive(Debug)]
pub struct When {
    /// Different ones have different numbers, which mean nothing else.
    number: u32,
    pub roots: Vec<RootId>,
    /// Threads that the accessing thread may have started by then.
    pub threads: Fixed<Threads>,
    /// What it has posted and waited for by then, by names that mean the same to everybody.
    pub signals: Fixed<SignalState>,
    /// What makes sure that this runs only once in the whole program.
    pub once: Fixed<BTreeSet<Path>>,
}

impl When {
    pub fn number(&self) -> u32 {
        self.number
    }
}

#[cfg(test)]
impl When {
    pub fn for_tests() -> When {
        When {
            number: 0,
            roots: Vec::new(),
            threads: Fixed::default(),
            signals: Fixed::default(),
            once: Fixed::default(),
        }
    }
}

impl PartialEq for When {
    fn eq(&self, other: &When) -> bool {
        self.number == other.number
    }
}

impl Eq for When {}

impl Hash for When {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

type Map<K, V> = DashMap<K, V, FxBuildHasher>;

type Content = (
    Company,
    Fixed<Threads>,
    Fixed<SignalState>,
    Fixed<BTreeSet<Path>>,
);
/// The number of a set of threads. Those of contexts are others whenever contexts are found again.
type Company = u32;
type Parallel = Result<(RootId, RootId), Apart>;

/// All moments that were asked for, and which of them can be at the same time.
pub struct Moments<'m> {
    functions: &'m Functions,
    contexts: &'m Contexts,
    orders: &'m Orders,
    threads: ThreadsAt,
    companies: Map<CompanyId, Company>,
    known: Arc<KnownMoments>,
    /// Of the answers that threads have at hand; no other moments ever have the same.
    edition: AtomicU64,
}

/// An answer that a thread has at hand: of which edition it is, about which two moments.
type AtHand = (u64, (u32, u32), Parallel);

/// So many places there are for answers at hand.
const AT_HAND: usize = 4096;

static NEXT_EDITION: AtomicU64 = AtomicU64::new(0);

thread_local! {
    // Members of an object ask about the same moments again and again, and a shared map is slow when several threads ask it.
    static ANSWERS: RefCell<Vec<Option<AtHand>>> = const { RefCell::new(Vec::new()) };
}

/// Moments that were asked for, and which of them can be at the same time. That means something as long as threads and orders are the
/// same, whatever contexts there are.
#[derive(Default)]
pub struct KnownMoments {
    listed: Arc<ListedMoments>,
    parallel: Map<(u32, u32), Parallel>,
}

/// Moments that were asked for. They mean something as long as threads are the same.
#[derive(Default)]
struct ListedMoments {
    next: AtomicU32,
    companies: Map<BTreeSet<RootId>, Company>,
    next_company: AtomicU32,
    by_content: Map<Content, Arc<When>>,
}

impl KnownMoments {
    /// The same, so that what is found out about two of them from now on is kept here alone.
    pub fn unshared(&self) -> KnownMoments {
        KnownMoments {
            listed: self.listed.clone(),
            parallel: self.parallel.clone(),
        }
    }

    /// Forgets those that no access has.
    pub fn forget_unused(&self) {
        let listed = &self.listed.by_content;
        listed.retain(|_, when| Arc::strong_count(when) > 1);
        let used = listed.iter().map(|known| known.number);
        let used: FxHashSet<u32> = used.collect();
        self.parallel
            .retain(|(one, other), _| used.contains(one) && used.contains(other));
    }
}

/// Pairs of moments of which something else holds than before: whether they can be at the same time, or in which threads.
#[derive(Default)]
pub struct MeetingOtherwise(FxHashMap<u32, FxHashSet<u32>>);

impl MeetingOtherwise {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is the number of a moment in one of the pairs.
    pub fn concern(&self, moment: u32) -> bool {
        self.0.contains_key(&moment)
    }

    /// Whether both moments of a pair are among these.
    pub fn are_among(&self, moments: &FxHashSet<u32>) -> bool {
        let others = moments.iter().filter_map(|moment| self.0.get(moment));
        { others }.any(|others| !others.is_disjoint(moments))
    }

    fn add(&mut self, left: u32, right: u32) {
        for (one, other) in [(left, right), (right, left)] {
            self.0.entry(one).or_default().insert(other);
        }
    }
}

fn next_edition() -> u64 {
    NEXT_EDITION.fetch_add(1, Ordering::Relaxed)
}

impl<'m> Moments<'m> {
    pub fn new(
        functions: &'m Functions,
        contexts: &'m Contexts,
        orders: &'m Orders,
        known: Arc<KnownMoments>,
    ) -> Moments<'m> {
        Moments {
            functions,
            contexts,
            orders,
            threads: ThreadsAt::default(),
            companies: Map::default(),
            known,
            edition: AtomicU64::new(next_edition()),
        }
    }

    /// The moment of an access in a context.
    pub fn at(
        &self,
        function: FunctionId,
        (id, context, roots): (ContextId, &Context, &BTreeSet<RootId>),
        access: &Access,
    ) -> Arc<When> {
        let content = (
            self.company(self.contexts.company(function, id), roots),
            self.threads.of(context, &access.forks).0,
            context.signals_at(
                &access.signals,
                &access.locks,
                self.functions.body(function),
            ),
            context.once.clone(),
        );
        let known = &self.known.listed;
        if let Some(known) = known.by_content.get(&content) {
            return known.clone();
        }
        let when = known.by_content.entry(content.clone()).or_insert_with(|| {
            let (_, threads, signals, once) = content;
            Arc::new(When {
                number: known.next.fetch_add(1, Ordering::Relaxed),
                roots: roots.iter().copied().collect(),
                threads,
                signals,
                once,
            })
        });
        when.clone()
    }

    fn company(&self, id: CompanyId, roots: &BTreeSet<RootId>) -> Company {
        if let Some(known) = self.companies.get(&id) {
            return *known;
        }
        let known = &self.known.listed;
        let company = known.companies.entry(roots.clone());
        let next = || known.next_company.fetch_add(1, Ordering::Relaxed);
        let company = *company.or_insert_with(next);
        self.companies.insert(id, company);
        company
    }

    /// Asks again about pairs of moments that were asked about when something else ordered such moments.
    pub fn ask_again(&self, is_ordered_otherwise: &dyn Fn(&When) -> bool) -> MeetingOtherwise {
        let listed = self.known.listed.by_content.iter();
        let listed: FxHashMap<u32, Arc<When>> =
            listed.map(|when| (when.number, when.clone())).collect();
        let others = listed.values().filter(|when| is_ordered_otherwise(when));
        let others: FxHashSet<u32> = others.map(|when| when.number).collect();
        let mut meeting = MeetingOtherwise::default();
        if others.is_empty() {
            return meeting;
        }
        self.edition.store(next_edition(), Ordering::Relaxed);
        self.known.parallel.retain(|(left, right), known| {
            if !others.contains(left) && !others.contains(right) {
                return true;
            }
            let both = listed.get(left).zip(listed.get(right));
            let found = both.map(|(left, right)| self.find_parallel(left, right));
            if let Some(found) = found
                && *known != found
            {
                *known = found;
                meeting.add(*left, *right);
            }
            found.is_some()
        });
        meeting
    }

    /// Two threads that can be there at the same time, one for each side; two different ones if possible.
    /// Otherwise, what keeps them apart.
    pub fn in_parallel(&self, left: &When, right: &When) -> Parallel {
        let key = (left.number, right.number);
        let edition = self.edition.load(Ordering::Relaxed);
        let place = key.0.wrapping_mul(61).wrapping_add(key.1) as usize % AT_HAND;
        let at_hand = ANSWERS.with_borrow(|answers| *answers.get(place)?);
        match at_hand {
            Some((of, about, answer)) if of == edition && about == key => return answer,
            _ => {}
        }
        let answer = self.known_parallel(key, left, right);
        ANSWERS.with_borrow_mut(|answers| {
            if answers.is_empty() {
                answers.resize(AT_HAND, None);
            }
            answers[place] = Some((edition, key, answer));
        });
        answer
    }

    fn known_parallel(&self, key: (u32, u32), left: &When, right: &When) -> Parallel {
        if let Some(known) = self.known.parallel.get(&key) {
            return *known;
        }
        let found = self.find_parallel(left, right);
        self.known.parallel.insert(key, found);
        found
    }

    fn find_parallel(&self, left: &When, right: &When) -> Parallel {
        let mut same = Err(Apart::NeverParallel);
        for &mine in &left.roots {
            for &theirs in &right.roots {
                let one = Moment {
                    root: mine,
                    threads: &left.threads,
                };
                let other = Moment {
                    root: theirs,
                    threads: &right.threads,
                };
                if !self.contexts.in_parallel(self.functions, one, other) {
                    continue;
                }
                let (one, other) = sides(left, mine, right, theirs);
                match self.orders.order(self.functions, self.contexts, one, other) {
                    Some((kind, _)) => same = same.or(Err(Apart::Ordered(kind))),
                    None if mine != theirs => return Ok((mine, theirs)),
                    None => same = same.or(Ok((mine, theirs))),
                }
            }
        }
        same
    }

    /// The signals, barriers and the like that order two moments.
    pub fn ordering_objects(&self, left: &When, right: &When) -> BTreeSet<Path> {
        let mut found = BTreeSet::new();
        for &mine in &left.roots {
            for &theirs in &right.roots {
                let (one, other) = sides(left, mine, right, theirs);
                let order = self.orders.order(self.functions, self.contexts, one, other);
                found.extend(order.map(|(_, object)| object));
            }
        }
        found
    }
}

fn sides<'s>(
    left: &'s When,
    mine: RootId,
    right: &'s When,
    theirs: RootId,
) -> (Side<'s>, Side<'s>) {
    let one = Side {
        when: left,
        root: mine,
    };
    let other = Side {
        when: right,
        root: theirs,
    };
    (one, other)
}
