//! The lattice of fork sets.

use super::crowd::{MOST_JOINED, MOST_STARTED};
use crate::dataflow::{Domain, Shared};
use crate::ir::{FunctionRef, Landmark};
use crate::symexec::{Path, Site, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A place in the program that starts threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Origin {
    pub function: FunctionRef,
    pub statement: Landmark,
}

/// Where a thread's handle is kept: in a variable, or in the elements of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Handle {
    /// The place; the element that a loop counts through is `Any`.
    pub place: Path,
    /// The loop's first index and the bound that it stops at.
    pub range: Option<(i128, Value)>,
    /// The value that counts the threads that the loop has started, be it that it was left early.
    pub counter: Option<Path>,
}

/// What happened to threads since the function's entry.
///
/// Joining unites what was started and may run, because it may on any path, and intersects what was joined,
/// because it must be on every path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForkState {
    /// By the call that started them, here or in a callee.
    pub threads: Shared<BTreeMap<Site, Started>>,
    /// Handles that callers know and whose threads have been joined.
    pub joined: Vec<Handle>,
}

/// Threads that one call has started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    pub origins: Shared<BTreeSet<Origin>>,
    /// The last one may still run.
    running: bool,
    /// One of those before it may still run.
    older_running: bool,
    pub handle: Option<Handle>,
}

impl Started {
    pub fn new(origin: Origin, handle: Option<Handle>) -> Started {
        Started {
            origins: Shared::new(BTreeSet::from([origin])),
            running: true,
            older_running: false,
            handle,
        }
    }

    /// Threads from all these places, several of each.
    pub(super) fn many(origins: Shared<BTreeSet<Origin>>) -> Started {
        Started {
            origins,
            running: true,
            older_running: true,
            handle: None,
        }
    }

    /// Whether they are too many to be told apart.
    pub fn is_crowd(&self) -> bool {
        self.origins.len() > MOST_STARTED
    }

    /// The same threads, each known by the place that starts it.
    pub fn by_origin(&self) -> impl Iterator<Item = (Site, Started)> + '_ {
        self.origins.iter().map(|origin| {
            let call = Site {
                function: origin.function,
                statement: origin.statement,
                part: u32::MAX,
            };
            let started = Started {
                origins: match self.origins.len() {
                    1 => self.origins.clone(),
                    _ => Shared::new(BTreeSet::from([*origin])),
                },
                running: self.running,
                older_running: self.older_running,
                handle: None,
            };
            (call, started)
        })
    }

    /// What holds if either is the case.
    fn or(&self, other: &Started) -> Started {
        let handle = other.handle.clone();
        Started {
            origins: match self.origins.is_shared_with(&other.origins)
                || other.origins.is_subset(&self.origins)
            {
                true => self.origins.clone(),
                false => Shared::new(&*self.origins | &*other.origins),
            },
            running: self.running || other.running,
            older_running: self.older_running || other.older_running,
            handle: handle.filter(|handle| self.handle.as_ref() == Some(handle)),
        }
    }

    pub fn may_run(&self) -> bool {
        self.running || self.older_running
    }

    /// All of them have ended.
    fn end_all(&mut self) {
        self.running = false;
        self.older_running = false;
    }
}

impl ForkState {
    pub fn start(&mut self, call: Site, started: Started) {
        let Some(known) = self.threads.get(&call) else {
            self.threads.insert(call, started);
            return;
        };
        let mut both = known.or(&started);
        both.older_running |= known.running;
        if *known != both {
            self.threads.insert(call, both);
        }
    }

    /// The thread that this call started last has ended.
    pub fn join_thread(&mut self, call: Site) {
        let is_running = self.threads.get(&call).is_some_and(|thread| thread.running);
        if is_running && let Some(thread) = self.threads.get_mut(&call) {
            thread.running = false;
        }
    }

    /// The thread, or all threads, whose handles are kept there have ended.
    pub fn join_handle(&mut self, handle: &Handle) {
        let is_meant = |kept: &Handle| kept.is_joined_by(handle) || handle.covers(kept);
        let mut handles = self.threads.values().filter_map(|it| it.handle.as_ref());
        if handles.any(is_meant) {
            for thread in self.threads.values_mut() {
                match &thread.handle {
                    Some(kept) if kept.is_joined_by(handle) => {
                        // One variable keeps one handle: that of the last thread.
                        if handle.range.is_some() {
                            thread.end_all();
                        } else {
                            thread.running = false;
                        }
                    }
                    Some(kept) if handle.covers(kept) => thread.end_all(),
                    _ => {}
                }
            }
        }
        // Forgetting one is safe: its thread is taken to run on.
        if self.joined.len() < MOST_JOINED && !self.joined.contains(handle) {
            self.joined.push(handle.clone());
        }
    }

    /// Whether there are so many threads that they are not told apart, or so many handles that some were left out.
    pub fn has_crowd(&self) -> bool {
        self.joined.len() >= MOST_JOINED || self.threads.values().any(Started::is_crowd)
    }

    /// Whether no thread was started or joined.
    pub fn is_idle(&self) -> bool {
        self.threads.is_empty() && self.joined.is_empty()
    }

    pub fn started(&self) -> impl Iterator<Item = Origin> + '_ {
        self.threads
            .values()
            .flat_map(|thread| thread.origins.iter().copied())
    }

    /// Those of them that may still run, with their handles.
    pub fn running(&self) -> impl Iterator<Item = (Origin, Option<&Handle>)> {
        let running = self.threads.values().filter(|thread| thread.may_run());
        running.flat_map(|thread| {
            let handle = thread.handle.as_ref();
            thread.origins.iter().map(move |origin| (*origin, handle))
        })
    }
}

impl Handle {
    /// Whether the handles are those that are joined there, one by one.
    pub fn is_joined_by(&self, joined: &Handle) -> bool {
        let is_counted = |bound: &Value| match (bound, &self.counter) {
            (Value::Entry(bound), Some(counter)) => bound == counter,
            _ => false,
        };
        let same_range = match (&self.range, &joined.range) {
            (Some((first, bound)), Some((from, to))) => {
                first == from && (bound == to || is_counted(to))
            }
            (None, None) => true,
            _ => false,
        };
        self.place == joined.place && same_range
    }

    /// Whether a handle in one element lies in the range of a loop over all of them.
    pub fn covers(&self, other: &Handle) -> bool {
        let (Some((first, Value::Constant(bound))), None) = (&self.range, &other.range) else {
            return false;
        };
        let mut elements = self.place.steps.iter().zip(&other.place.steps);
        self.place.root == other.place.root
            && self.place.steps.len() == other.place.steps.len()
            && elements.all(|(any, element)| {
                use crate::symexec::{Index, Step};
                match (any, element) {
                    (Step::Index(Index::Any), Step::Index(Index::Constant(index))) => {
                        (*first..*bound).contains(&i128::from(*index))
                    }
                    (any, element) => any == element,
                }
            })
    }
}

impl Domain for ForkState {
    fn join(&mut self, other: &ForkState) -> bool {
        let mut changed = false;
        if !self.threads.is_shared_with(&other.threads) {
            for (call, theirs) in other.threads.iter() {
                let both = match self.threads.get(call) {
                    Some(mine) if mine == theirs => continue,
                    Some(mine) => mine.or(theirs),
                    None => theirs.clone(),
                };
                if self.threads.get(call) != Some(&both) {
                    self.threads.insert(*call, both);
                    changed = true;
                }
            }
        }
        let joined = self.joined.len();
        self.joined.retain(|handle| other.joined.contains(handle));
        changed || self.joined.len() != joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::GlobalScope;
    use crate::symexec::Root;

    fn site(number: u32) -> Site {
        Site {
            function: function(),
            statement: statement(number),
            part: 0,
        }
    }

    fn function() -> FunctionRef {
        FunctionRef {
            name: "start".into(),
            scope: GlobalScope::External,
        }
    }

    fn statement(index: u32) -> Landmark {
        Landmark::for_tests(index)
    }

    fn handle(number: u32) -> Handle {
        Handle {
            place: Path::new(Root::Formal(number)),
            range: None,
            counter: None,
        }
    }

    /// States that differ in everything.
    fn samples() -> Vec<ForkState> {
        let mut samples = vec![ForkState::default()];
        for bits in 0..24_u32 {
            let mut state = ForkState::default();
            for thread in 0..2 {
                let bits = bits >> (2 * thread);
                if bits & 1 == 0 {
                    continue;
                }
                let origin = Origin {
                    function: function(),
                    statement: statement(bits & 2),
                };
                let kept = (bits & 2 == 0).then(|| handle(thread));
                state.start(site(thread), Started::new(origin, kept));
                if bits & 4 != 0 {
                    state.join_thread(site(thread));
                }
            }
            if bits & 16 != 0 {
                state.join_handle(&handle(bits & 1));
            }
            samples.push(state);
        }
        samples
    }

    /// Joins everything that is in either, and says whether that is another state.
    fn naive(left: &ForkState, right: &ForkState) -> (ForkState, bool) {
        let mut threads = BTreeMap::clone(&left.threads);
        for (call, theirs) in right.threads.iter() {
            let mine = threads.entry(*call).or_insert_with(|| theirs.clone());
            mine.origins.extend(&*theirs.origins);
            mine.running |= theirs.running;
            mine.older_running |= theirs.older_running;
            if mine.handle != theirs.handle {
                mine.handle = None;
            }
        }
        let joined = left.joined.iter();
        let joined = joined.filter(|handle| right.joined.contains(handle));
        let both = ForkState {
            threads: Shared::new(threads),
            joined: joined.cloned().collect(),
        };
        let is_other = both != *left;
        (both, is_other)
    }

    #[test]
    fn joining_is_that_of_the_naive_twin() {
        for left in samples() {
            for right in samples() {
                let mut joined = left.clone();
                let changed = joined.join(&right);
                assert_eq!((joined, changed), naive(&left, &right));
            }
        }
    }

    #[test]
    fn a_copy_keeps_its_threads_when_another_one_changes() {
        for state in samples() {
            let mut copy = state.clone();
            let before = BTreeMap::clone(&state.threads);
            let origin = Origin {
                function: function(),
                statement: statement(9),
            };
            copy.start(site(1), Started::new(origin, None));
            copy.join_handle(&handle(0));
            assert_eq!(*state.threads, before);
        }
    }
}
