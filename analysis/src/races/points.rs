//! What holds at points of functions in each of their contexts. Many accesses share a point.

use super::looks::Look;
use super::moments::When;
use crate::accesses::{Access, FunctionFacts};
use crate::callgraph::FunctionId;
use crate::ir::BlockId;
use crate::locksets::Mode;
use crate::shared_list::SharedList;
use crate::symexec::Path;
use crate::threads::{ContextId, Contexts};
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// A lock that is held somewhere, under the names by which it is compared.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BoundLock {
    /// As the function calls it.
    pub path: Path,
    /// As everybody does.
    pub everywhere: Option<Path>,
    /// A name that means the same lock for everybody.
    pub unique: Option<Path>,
    pub mode: Mode,
}

/// The locks that are held at a point.
pub struct HeldLocks {
    /// Different ones have different numbers, which mean nothing else.
    number: u32,
    pub locks: Vec<BoundLock>,
}

impl HeldLocks {
    pub fn number(&self) -> u32 {
        self.number
    }
}

impl PartialEq for HeldLocks {
    fn eq(&self, other: &HeldLocks) -> bool {
        self.number == other.number
    }
}

impl Eq for HeldLocks {}

impl Hash for HeldLocks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

/// The points of all functions that were asked for.
pub struct Points {
    functions: SharedList<Arc<Asked>>,
    locks: Arc<KnownLocks>,
}

#[derive(Default)]
struct KnownLocks {
    next: AtomicU32,
    by_content: DashMap<Vec<BoundLock>, Arc<HeldLocks>, FxBuildHasher>,
}

/// The points of a function that was asked for.
#[derive(Default)]
struct Asked {
    points: OnceLock<Arc<FunctionPoints>>,
    /// What was known of them before, to go on from. Nothing that is found from now on is kept there.
    before: Mutex<Option<Arc<FunctionPoints>>>,
}

impl Asked {
    /// What is known of the points so far.
    fn known(&self) -> Option<Arc<FunctionPoints>> {
        let before = || {
            let before = self.before.lock();
            before.unwrap_or_else(PoisonError::into_inner).clone()
        };
        self.points.get().cloned().or_else(before)
    }

    fn take_before(&self) -> Option<Arc<FunctionPoints>> {
        let before = self.before.lock();
        before.unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The points of one function.
pub struct FunctionPoints {
    held: Table<usize, Arc<HeldLocks>>,
    moments: Table<(usize, usize, bool), Arc<When>>,
    /// The contexts that make a difference, by the numbers of both.
    views: RwLock<Views>,
    /// How each access looks, in order and if its address is made known without order.
    looks: Vec<[OnceLock<Arc<[Look]>>; 2]>,
}

type Views = FxHashMap<(usize, usize, Viewpoint), Arc<[ContextId]>>;

/// What decides, beside the points of an access, in which contexts it is to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Viewpoint {
    /// The formal that its place starts from.
    pub formal: Option<u32>,
    /// The block that it stands in, if some contexts leave blocks out.
    pub block: Option<BlockId>,
}

/// What is known of points in each context.
#[derive(Clone)]
struct Table<K, V> {
    numbers: Arc<FxHashMap<K, usize>>,
    /// All points in the first context, then all in the next one.
    known: Vec<OnceLock<V>>,
}

/// The points of an access.
#[derive(Clone, Copy)]
pub struct PointOfAccess<'p> {
    points: &'p FunctionPoints,
    held: usize,
    moment: usize,
}

impl Points {
    pub fn new(functions: usize) -> Points {
        Points {
            functions: (0..functions).map(|_| Arc::default()).collect(),
            locks: Arc::default(),
        }
    }

    /// How many looks of accesses in these functions are known.
    pub fn look_count(&self, functions: &[FunctionId]) -> usize {
        let known = functions.iter();
        let known = known.filter_map(|function| self.functions[function.0 as usize].points.get());
        let looks = known.flat_map(|points| points.looks.iter().flatten());
        looks
            .filter_map(OnceLock::get)
            .map(|looks| looks.len())
            .sum()
    }

    /// How an access looks, if somebody has asked; addresses are made known in order.
    pub fn looks_of(&self, function: FunctionId, access: u32) -> Option<Arc<[Look]>> {
        let points = self.functions[function.0 as usize].known()?;
        points.looks[access as usize][0].get().cloned()
    }

    /// Whether some access of a function looks so somewhere; `None` if that is not known of all of them.
    pub fn has_look(&self, function: FunctionId, is_such: &dyn Fn(&Look) -> bool) -> Option<bool> {
        let points = self.functions[function.0 as usize].known()?;
        let mut is_known = true;
        for [in_order, _] in &points.looks {
            match in_order.get() {
                Some(looks) if looks.iter().any(is_such) => return Some(true),
                Some(_) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(false)
    }

    /// What is known of all functions but these, which are not what they were.
    pub fn without(&self, edited: &[FunctionId]) -> Points {
        let mut functions = self.functions.clone();
        for function in edited {
            functions.set(function.0 as usize, Arc::default());
        }
        Points {
            functions,
            locks: self.locks.clone(),
        }
    }

    /// The same, so that what is found from now on is kept here alone.
    pub fn unshared(&self) -> Points {
        let functions = self.functions.iter().map(|asked| {
            Arc::new(Asked {
                points: OnceLock::new(),
                before: Mutex::new(asked.known()),
            })
        });
        Points {
            functions: functions.collect(),
            locks: self.locks.clone(),
        }
    }

    pub fn of(
        &self,
        function: FunctionId,
        facts: &FunctionFacts,
        contexts: &Contexts,
    ) -> &FunctionPoints {
        let asked = &self.functions[function.0 as usize];
        asked.points.get_or_init(|| {
            if let Some(before) = asked.take_before() {
                return Arc::new(before.copied());
            }
            let contexts = contexts.of(function).count();
            Arc::new(FunctionPoints {
                held: Table::new(facts.accesses.iter().map(held_key), contexts),
                moments: Table::new(facts.accesses.iter().map(moment_key), contexts),
                views: RwLock::default(),
                looks: facts.accesses.iter().map(|_| Default::default()).collect(),
            })
        })
    }

    /// Equal locks become one.
    pub fn shared(&self, locks: Vec<BoundLock>) -> Arc<HeldLocks> {
        let known = &self.locks;
        if let Some(known) = known.by_content.get(&locks) {
            return known.clone();
        }
        let known = known.by_content.entry(locks.clone()).or_insert_with(|| {
            Arc::new(HeldLocks {
                number: self.locks.next.fetch_add(1, Ordering::Relaxed),
                locks,
            })
        });
        known.clone()
    }
}

impl<K: Copy + Eq + Hash, V> Table<K, V> {
    fn new(keys: impl Iterator<Item = K>, contexts: usize) -> Table<K, V> {
        let mut numbers = FxHashMap::default();
        for key in keys {
            let next = numbers.len();
            numbers.entry(key).or_insert(next);
        }
        let known = (0..numbers.len() * contexts).map(|_| OnceLock::new());
        Table {
            known: known.collect(),
            numbers: Arc::new(numbers),
        }
    }

    fn at(&self, context: ContextId, point: usize) -> &OnceLock<V> {
        &self.known[context.0 as usize * self.numbers.len() + point]
    }
}

/// The facts keep locksets and states alive, so that an address stands for one of them.
fn held_key(access: &Access) -> usize {
    Arc::as_ptr(&access.locks) as usize
}

fn moment_key(access: &Access) -> (usize, usize, bool) {
    (
        Arc::as_ptr(&access.forks) as usize,
        Arc::as_ptr(&access.signals) as usize,
        access.locks.releases(),
    )
}

impl FunctionPoints {
    fn copied(&self) -> FunctionPoints {
        let views = self.views.read();
        let views = views.unwrap_or_else(PoisonError::into_inner).clone();
        FunctionPoints {
            held: self.held.clone(),
            moments: self.moments.clone(),
            views: RwLock::new(views),
            looks: self.looks.clone(),
        }
    }

    /// How the access with this number looks; `find` finds it the first time.
    pub fn looks(
        &self,
        access: u32,
        is_unordered: bool,
        find: impl FnOnce() -> Arc<[Look]>,
    ) -> &[Look] {
        self.looks[access as usize][usize::from(is_unordered)].get_or_init(find)
    }

    /// The points of an access of the function.
    pub fn of_access(&self, access: &Access) -> PointOfAccess<'_> {
        PointOfAccess {
            points: self,
            held: self.held.numbers[&held_key(access)],
            moment: self.moments.numbers[&moment_key(access)],
        }
    }
}

impl<'p> PointOfAccess<'p> {
    /// The locks that are held there in a context; `find` finds them the first time.
    pub fn held(
        self,
        points: &Points,
        context: ContextId,
        find: impl FnOnce() -> Vec<BoundLock>,
    ) -> &'p Arc<HeldLocks> {
        let known = self.points.held.at(context, self.held);
        known.get_or_init(|| points.shared(find()))
    }

    /// The contexts that make a difference to the access; `find` finds them the first time.
    pub fn views(
        self,
        viewpoint: Viewpoint,
        find: impl FnOnce() -> Arc<[ContextId]>,
    ) -> Arc<[ContextId]> {
        let key = (self.held, self.moment, viewpoint);
        let known = &self.points.views;
        let found = known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = found.get(&key) {
            return found.clone();
        }
        drop(found);
        let found = find();
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, found.clone());
        found
    }

    /// The moment of the access in a context.
    pub fn moment(self, context: ContextId, find: impl FnOnce() -> Arc<When>) -> &'p Arc<When> {
        let known = self.points.moments.at(context, self.moment);
        known.get_or_init(find)
    }
}
