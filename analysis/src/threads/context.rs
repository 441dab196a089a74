//! What is known where a function is entered.

use super::absolute::Binder;
use super::at_calls::StatesAtCalls;
use super::given::{Given, known};
use crate::accesses::CallFact;
use crate::branches::{Certain, Passed};
use crate::callgraph::FunctionId;
use crate::dataflow::{Domain, Fixed};
use crate::forks::{ForkState, Handle, Origin};
use crate::ir::{Body, Landmark};
use crate::locksets::{Effect, Lockset, MOST_LOCKS, Mode, PointLocks};
use crate::ownership::{Owned, Privacy};
use crate::references::{Last, References};
use crate::signals::{Locks, SignalState};
use crate::symexec::{Index, Path, Root, Step, Targets, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// One way to be entered. Several calls that agree on all of it are one context.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context {
    /// Locks that are certainly held, in terms of the function's formals or by names that everybody
    /// knows; the same lock may stand here under both.
    pub held: BTreeMap<Path, Held>,
    /// Locks that are held in objects without a name, by the way from the object to them.
    pub held_somewhere: Fixed<BTreeSet<Vec<Step>>>,
    /// What the formals are, as everybody knows it.
    pub bindings: Vec<Value>,
    /// What is certain about formals, so that some branches are not taken.
    pub certain: BTreeMap<u32, Certain>,
    /// Threads that this thread may have started, and where their handles are if they may still run.
    pub threads: Fixed<Threads>,
    /// Numbers in places that formals lead to, which nobody changes.
    pub contents: BTreeMap<Path, Value>,
    /// Numbers that tell what the function does to locks, by where it finds them at its entry.
    pub told: BTreeMap<Path, i128>,
    /// Objects that formals lead to and that nobody but this thread knows, and why; locks by names that everybody
    /// knows.
    pub private: BTreeMap<Path, Owned>,
    /// Objects that formals lead to and to which this thread had the last reference.
    pub last: BTreeMap<Path, Last>,
    /// Objects that formals lead to and to which this thread may have no reference any more.
    pub given_up: BTreeSet<Path>,
    /// What this thread has posted and waited for, by names that mean the same to everybody.
    pub signals: Fixed<SignalState>,
    /// What makes sure that this runs only once in the whole program.
    pub once: Fixed<BTreeSet<Path>>,
}

/// Threads by where they were started.
pub type Threads = BTreeMap<Origin, Running>;

/// Whether a thread may still run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Running {
    Ended,
    /// Its handle is kept there, in terms of the function or as everybody knows it.
    Perhaps(Option<Handle>),
}

/// A lock held at entry, and who took it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Held {
    pub mode: Mode,
    pub by: FunctionId,
    pub at: Option<Landmark>,
}

/// A context of a function, by its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ContextId(pub u32);

impl Context {
    /// What is held at a point of the function: what the entry holds and nobody released since, and what
    /// was taken since.
    pub fn held_at(&self, since: &PointLocks, function: FunctionId) -> BTreeMap<Path, Held> {
        let since = since.given(|place| self.told.get(place).copied());
        let mut held: BTreeMap<Path, Held> = BTreeMap::new();
        if !since.released_any() {
            let kept = self
                .held
                .iter()
                .filter(|(path, _)| !since.may_release(path));
            held.extend(kept.map(|(path, held)| (path.clone(), *held)));
        }
        for (path, hold) in since.held() {
            let at = Held {
                mode: hold.mode,
                by: function,
                at: hold.taken,
            };
            let known = held.entry(path.clone()).or_insert(at);
            known.mode = known.mode.max(hold.mode);
        }
        held
    }

    /// The same at another moment in the life of the thread.
    pub(super) fn at_moment(
        &self,
        threads: Fixed<Threads>,
        signals: Fixed<SignalState>,
    ) -> Context {
        Context {
            threads,
            signals,
            ..self.clone()
        }
    }

    /// Whether both are the same, at whatever moments.
    pub(super) fn is_same_but_for_the_moment(&self, other: &Context) -> bool {
        self.lasting() == other.lasting()
    }

    /// A hash that is the same for all moments.
    pub(super) fn hash_but_for_the_moment<H: Hasher>(&self, state: &mut H) {
        self.lasting().hash(state);
    }

    /// All but what depends on the moment in the life of the thread.
    fn lasting(&self) -> impl Eq + Hash + '_ {
        let Context {
            held,
            held_somewhere,
            bindings,
            certain,
            threads: _,
            contents,
            told,
            private,
            last,
            given_up,
            signals: _,
            once,
        } = self;
        (
            (held, held_somewhere, bindings, certain, contents),
            (told, private, last, given_up, once),
        )
    }

    /// Gives the function's places the names that everybody knows.
    pub fn binder<'b>(&'b self, body: &'b Body) -> Binder<'b> {
        Binder {
            body,
            bindings: &self.bindings,
            contents: &self.contents,
        }
    }

    /// The threads that this thread may have started until a point of the function.
    pub fn threads_at(&self, since: &ForkState) -> Fixed<Threads> {
        if since.is_idle() {
            return self.threads.clone();
        }
        let is_ended = |running: &Running| match running {
            Running::Perhaps(Some(handle)) => since
                .joined
                .iter()
                .any(|joined| handle.is_joined_by(joined) || joined.covers(handle)),
            _ => false,
        };
        let is_known = |origin: Origin, handle: Option<&Handle>| match self.threads.get(&origin) {
            Some(Running::Perhaps(known)) => known.as_ref() == handle,
            _ => false,
        };
        // Most of what is called later starts what has been started before.
        if since
            .started()
            .all(|origin| self.threads.contains_key(&origin))
            && since
                .running()
                .all(|(origin, handle)| is_known(origin, handle))
            && !self.threads.values().any(is_ended)
        {
            return self.threads.clone();
        }
        let mut threads = BTreeMap::clone(&self.threads);
        for running in threads.values_mut() {
            if is_ended(running) {
                *running = Running::Ended;
            }
        }
        for origin in since.started() {
            threads.entry(origin).or_insert(Running::Ended);
        }
        for (origin, handle) in since.running() {
            threads.insert(origin, Running::Perhaps(handle.cloned()));
        }
        Fixed::new(threads)
    }

    /// What this thread has posted and waited for until a point of the function.
    pub fn signals_at(
        &self,
        since: &SignalState,
        locks: &Lockset,
        body: &Body,
    ) -> Fixed<SignalState> {
        let keeps_locks = !locks.releases() || self.signals.unset().next().is_none();
        if since.is_idle() && keeps_locks {
            return self.signals.clone();
        }
        let binder = self.binder(body);
        let unique = |path: &Path| binder.unique(path);
        let around = Locks {
            held: if since.needs_locks_at_entry() {
                self.held.keys().filter_map(unique).collect()
            } else {
                BTreeSet::new()
            },
            at_entry: false,
        };
        let mut before = SignalState::clone(&self.signals);
        if locks.releases() {
            before.forget_unset();
        }
        let after = before.then(&since.rebound(&unique, &around));
        if after.is_shared_with(&self.signals) {
            return self.signals.clone();
        }
        Fixed::new(after)
    }

    /// The claims that this thread has won until a point of the function.
    pub fn won_at(&self, since: &SignalState, body: &Body) -> BTreeSet<Path> {
        let mut won = self.signals.won().clone();
        if !since.won().is_empty() {
            let binder = self.binder(body);
            won.extend(since.won().iter().filter_map(|path| binder.unique(path)));
        }
        won
    }

    /// The context of a callee.
    pub(super) fn of_call(
        &self,
        caller: FunctionId,
        body: &Body,
        call: &CallFact,
        parameters: usize,
        states: &mut StatesAtCalls<'_>,
    ) -> Context {
        let binder = self.binder(body);
        let mut context = Context {
            held_somewhere: self.held_somewhere.clone(),
            threads: threads_in_callee(&binder, call, parameters, states),
            signals: states.signals(call),
            once: self.once.clone(),
            told: call.told.iter().cloned().collect(),
            certain: self.certain_in_callee(&call.passed, parameters),
            held: BTreeMap::new(),
            bindings: Vec::new(),
            contents: BTreeMap::new(),
            private: BTreeMap::new(),
            last: BTreeMap::new(),
            given_up: BTreeSet::new(),
        };
        if let Some(control) = call
            .once
            .as_ref()
            .and_then(|control| binder.unique(control))
        {
            let controls = self.once.iter().cloned().chain([control]);
            context.once = Fixed::new(controls.collect());
        }
        let held_here = self.held_at(&call.locks, caller);
        let names: BTreeMap<&Path, Vec<Path>> = held_here
            .keys()
            .map(|lock| (lock, names_in_callee(lock, call, parameters)))
            .collect();
        let nameless = names.iter().filter(|(_, names)| names.is_empty());
        let arguments = &call.arguments[..call.arguments.len().min(parameters)];
        let given = Given::of_call(binder, arguments, nameless.map(|(lock, _)| *lock));
        let mut nameless = BTreeSet::new();
        for (path, held) in &held_here {
            let mut is_named = false;
            let is_known = |step: &Step| *step != Step::Index(Index::Any);
            let given = given.path(path);
            let given = given.filter(|name| name.steps.iter().all(is_known));
            for name in names[path].iter().cloned().chain(given) {
                context.held.insert(name, *held);
                is_named = true;
            }
            // An element that the caller chose is known to the callee if it got what the index comes from.
            let element = |index: &Index| match binder.index(index) {
                Index::Entry(number) if !number.mentions_given() => Index::Entry(number),
                Index::Constant(index) => Index::Constant(index),
                _ => index_in_callee(index, call, parameters).unwrap_or(Index::Any),
            };
            if let Some(absolute) = binder.path_with(path, &element)
                && absolute.steps.iter().all(is_known)
                && !absolute.mentions_given()
            {
                context.held.insert(absolute, *held);
                is_named = true;
            }
            if !is_named {
                nameless.extend(path.shape());
            }
        }
        // Forgetting a lock is safe: it is taken not to be held.
        while context.held.len() > MOST_LOCKS {
            context.held.pop_last();
        }
        let has_room = self.held_somewhere.len() < MOST_LOCKS;
        if has_room && !nameless.is_subset(&self.held_somewhere) {
            context.held_somewhere = Fixed::new(&nameless | &*self.held_somewhere);
        }
        for (place, value) in &self.contents {
            for name in names_in_callee(place, call, parameters) {
                context.contents.insert(name, value.clone());
            }
        }
        context.private = self.private_in_callee(&binder, call, parameters);
        let found = self.last.iter().map(|(object, last)| (object, *last));
        for (object, last) in found.chain(call.references.last()) {
            for name in names_in_callee(object, call, parameters) {
                context.last.insert(name, last);
            }
        }
        for object in self.given_up.iter().chain(call.references.given_up()) {
            let names = names_in_callee(object, call, parameters);
            context.given_up.extend(names);
        }
        context.bindings = (0..parameters)
            .map(|index| {
                let taken = call.taken.get(index).and_then(Option::as_ref);
                if let Some(taken) = taken.map(|taken| binder.value(taken))
                    && known(taken.clone()) != Value::Anything
                {
                    return taken;
                }
                let argument = call.arguments.get(index);
                argument.map_or(Value::Anything, |argument| given.value(argument))
            })
            .collect();
        context
    }

    /// What is certain about the formals of whom this is passed to.
    pub(super) fn certain_in_callee(
        &self,
        passed: &[(u32, Passed)],
        parameters: usize,
    ) -> BTreeMap<u32, Certain> {
        let known = passed.iter().filter_map(|(index, passed)| {
            let certain = match passed {
                Passed::Certainly(certain) => *certain,
                Passed::Formal(formal) => *self.certain.get(formal)?,
            };
            ((*index as usize) < parameters).then_some((*index, certain))
        });
        known.collect()
    }

    /// Why nobody else knows an object in this context, if it is so.
    pub fn owned(&self, privacy: &Privacy, binder: &Binder<'_>) -> Option<Owned> {
        let mut owned = match &privacy.owned {
            Owned::Fresh => Owned::Fresh,
            Owned::Taken(locks) => {
                let known = locks.iter().filter_map(|lock| binder.known_path(lock));
                Owned::Taken(known.collect())
            }
        };
        for condition in &privacy.conditions {
            owned = owned.or(self.private.get(condition)?);
        }
        Some(owned)
    }

    /// Whether the thread had the last reference to an object that a place lies in or is reached from.
    pub fn last_reference(&self, since: &References, place: &Path) -> Option<Last> {
        let known = self.last.iter().map(|(object, last)| (object, *last));
        let mut all = known.chain(since.last());
        let (_, last) = all.find(|(object, _)| inside(place, object).is_some())?;
        Some(last)
    }

    /// Whether the thread may have no reference any more to an object that a place lies in or is reached from.
    pub fn has_given_up(&self, since: &References, place: &Path) -> bool {
        let mut all = self.given_up.iter().chain(since.given_up());
        all.any(|object| inside(place, object).is_some())
    }

    /// The objects that a callee is given and nobody else knows, as it calls them.
    fn private_in_callee(
        &self,
        binder: &Binder<'_>,
        call: &CallFact,
        parameters: usize,
    ) -> BTreeMap<Path, Owned> {
        let mut private = BTreeMap::new();
        for object in self.private.keys() {
            let privacy = call.sharing.privacy(object);
            if let Some(owned) = privacy.and_then(|privacy| self.owned(&privacy, binder)) {
                for name in names_in_callee(object, call, parameters) {
                    private.insert(name, owned.clone());
                }
            }
        }
        for (name, privacy) in &call.private {
            if let Some(owned) = self.owned(privacy, binder) {
                private.insert(name.clone(), owned);
            }
        }
        let is_given = |object: &Path| match object.root {
            Root::Formal(index) => (index as usize) < parameters,
            _ => false,
        };
        private.retain(|object, _| is_given(object));
        private
    }

    /// Whether joining the other one is known to change nothing but what is certain.
    pub(super) fn covers(&self, other: &Context) -> bool {
        fn is_part<V: PartialEq>(mine: &BTreeMap<Path, V>, theirs: &BTreeMap<Path, V>) -> bool {
            let mut mine = mine.iter();
            mine.all(|(path, value)| theirs.get(path) == Some(value))
        }
        let mut held = self.held.iter();
        let mut private = self.private.iter();
        let mut bindings = self.bindings.iter().zip(&other.bindings);
        bindings.all(|(mine, theirs)| *mine == Value::Anything || mine == theirs)
            && self.bindings.len() <= other.bindings.len()
            && held.all(|(path, mine)| {
                let theirs = other.held.get(path);
                theirs.is_some_and(|theirs| mine.mode.min(theirs.mode) == mine.mode)
            })
            && private.all(|(object, mine)| {
                let theirs = other.private.get(object);
                theirs.is_some_and(|theirs| mine.or(theirs) == *mine)
            })
            && is_part(&self.contents, &other.contents)
            && is_part(&self.told, &other.told)
            && is_part(&self.last, &other.last)
            && other.given_up.is_subset(&self.given_up)
            && is_subset(&self.held_somewhere, &other.held_somewhere)
            && is_subset(&self.once, &other.once)
            && have_covered(&self.threads, &other.threads)
            && joined_signals(&self.signals, &other.signals) == self.signals
    }

    /// The context that covers both: what is held in both, and formals that are the same in both.
    pub fn joined(&self, other: &Context) -> Context {
        let held = self.held.iter().filter_map(|(path, mine)| {
            let theirs = other.held.get(path)?;
            let mode = mine.mode.min(theirs.mode);
            Some((path.clone(), Held { mode, ..*mine }))
        });
        let bindings = self.bindings.iter().zip(&other.bindings);
        Context {
            held: held.collect(),
            held_somewhere: joined_sets(&self.held_somewhere, &other.held_somewhere),
            bindings: bindings
                .map(|(mine, theirs)| {
                    if mine == theirs {
                        mine.clone()
                    } else {
                        Value::Anything
                    }
                })
                .collect(),
            certain: self
                .certain
                .iter()
                .filter(|(formal, certain)| other.certain.get(formal) == Some(certain))
                .map(|(formal, certain)| (*formal, *certain))
                .collect(),
            threads: joined_threads(&self.threads, &other.threads),
            contents: self
                .contents
                .iter()
                .filter(|(place, value)| other.contents.get(*place) == Some(*value))
                .map(|(place, value)| (place.clone(), value.clone()))
                .collect(),
            told: self
                .told
                .iter()
                .filter(|(place, value)| other.told.get(*place) == Some(*value))
                .map(|(place, value)| (place.clone(), *value))
                .collect(),
            private: joined_private(&self.private, &other.private),
            last: self
                .last
                .iter()
                .filter(|(object, last)| other.last.get(*object) == Some(*last))
                .map(|(object, last)| (object.clone(), *last))
                .collect(),
            given_up: &self.given_up | &other.given_up,
            signals: joined_signals(&self.signals, &other.signals),
            once: joined_sets(&self.once, &other.once),
        }
    }
}

fn joined_private(
    left: &BTreeMap<Path, Owned>,
    right: &BTreeMap<Path, Owned>,
) -> BTreeMap<Path, Owned> {
    let both = left.iter().filter_map(|(object, mine)| {
        let theirs = right.get(object)?;
        Some((object.clone(), mine.or(theirs)))
    });
    both.collect()
}

/// What is in both.
fn joined_sets<T: Ord + Clone + Hash>(
    left: &Fixed<BTreeSet<T>>,
    right: &Fixed<BTreeSet<T>>,
) -> Fixed<BTreeSet<T>> {
    if is_subset(left, right) {
        return left.clone();
    }
    Fixed::new(&**left & &**right)
}

fn is_subset<T: Ord>(left: &Fixed<BTreeSet<T>>, right: &Fixed<BTreeSet<T>>) -> bool {
    left == right || left.is_subset(right)
}

fn joined_signals(left: &Fixed<SignalState>, right: &Fixed<SignalState>) -> Fixed<SignalState> {
    if left == right {
        return left.clone();
    }
    let mut joined = SignalState::clone(left);
    match joined.join(right) {
        true => Fixed::new(joined),
        false => left.clone(),
    }
}

/// Whether joining the right ones changes nothing.
fn have_covered(left: &Fixed<Threads>, right: &Fixed<Threads>) -> bool {
    // Both are sorted, so that each is looked for behind the one before.
    let mut mine = left.iter();
    let mut covers = |(origin, theirs): (&Origin, &Running)| {
        let known = mine.find(|(known, _)| *known == origin);
        known.is_some_and(|(_, mine)| *mine == Running::Perhaps(None) || mine == theirs)
    };
    left == right || right.iter().all(&mut covers)
}

fn joined_threads(left: &Fixed<Threads>, right: &Fixed<Threads>) -> Fixed<Threads> {
    if have_covered(left, right) {
        return left.clone();
    }
    let mut joined = BTreeMap::clone(left);
    for (origin, theirs) in right.iter() {
        let mine = joined.entry(*origin).or_insert_with(|| theirs.clone());
        if mine != theirs {
            let is_ended = *mine == Running::Ended && *theirs == Running::Ended;
            *mine = if is_ended {
                Running::Ended
            } else {
                Running::Perhaps(None)
            };
        }
    }
    Fixed::new(joined)
}

/// The arguments of a call, as far as the callee has parameters for them.
fn passed(call: &CallFact, parameters: usize) -> impl Iterator<Item = (Root, &Value)> {
    let arguments = call.arguments.iter().enumerate().take(parameters);
    arguments.map(|(index, argument)| (Root::Formal(index as u32), argument))
}

/// The threads that run at a call, with their handles as the callee calls them.
fn threads_in_callee(
    binder: &Binder<'_>,
    call: &CallFact,
    parameters: usize,
    states: &StatesAtCalls<'_>,
) -> Fixed<Threads> {
    let (threads, has_handles) = states.threads(call);
    if !has_handles {
        return threads;
    }
    let renamed_handle = |handle: &Handle| {
        let place = renamed(&handle.place, call, parameters)
            .or_else(|| binder.known_path(&handle.place))?;
        let range = handle.range.as_ref();
        let range = range.map(|(first, bound)| (*first, known(binder.value(bound))));
        Some(Handle {
            place,
            range,
            counter: None,
        })
    };
    let in_callee = threads.iter().map(|(origin, running)| {
        let running = match running {
            Running::Perhaps(Some(handle)) => Running::Perhaps(renamed_handle(handle)),
            other => other.clone(),
        };
        (*origin, running)
    });
    let in_callee: Threads = in_callee.collect();
    if in_callee == *threads {
        return threads;
    }
    states.shared_threads(Fixed::new(in_callee))
}

/// The names that a caller's place has in the callee.
fn names_in_callee(path: &Path, call: &CallFact, parameters: usize) -> Vec<Path> {
    passed(call, parameters)
        .filter_map(|(formal, argument)| {
            let Targets::Exactly(target) = argument.targets() else {
                return None;
            };
            let object = Path::new(formal).then(Step::Deref);
            let rest = inside(path, &target)?.iter().map(|step| match step {
                Step::Index(index) => index_in_callee(index, call, parameters).map(Step::Index),
                step => Some(step.clone()),
            });
            Some(object.extended(&rest.collect::<Option<Vec<Step>>>()?))
        })
        .collect()
}

/// What an index of the caller is for the callee: it knows constants, and what it was given.
fn index_in_callee(index: &Index, call: &CallFact, parameters: usize) -> Option<Index> {
    let Index::Entry(value) = index else {
        return Some(index.clone());
    };
    let is_argument = |(formal, argument): (Root, &Value)| match argument {
        Value::Entry(argument) => {
            let computation = value.computed_from(argument)?;
            Some(Path::new(formal).extended(computation))
        }
        _ => None,
    };
    let is_behind = |(formal, argument): (Root, &Value)| match argument.targets() {
        // UNSOUND: what lies in memory when a lock is chosen by it is taken to lie there still when a function is
        // called with the lock held.
        Targets::Exactly(target) => {
            let rest = inside(value, &target)?;
            let is_plain = |step: &Step| !matches!(step, Step::Index(Index::Entry(_)));
            let object = Path::new(formal).then(Step::Deref);
            rest.iter().all(is_plain).then(|| object.extended(rest))
        }
        Targets::OneOf(_) | Targets::Unknown => None,
    };
    let given = passed(call, parameters).find_map(is_argument);
    given
        .or_else(|| passed(call, parameters).find_map(is_behind))
        .map(Index::Entry)
}

fn renamed(path: &Path, call: &CallFact, parameters: usize) -> Option<Path> {
    names_in_callee(path, call, parameters).into_iter().next()
}

/// If a place lies in another one: the steps from there.
fn inside<'p>(path: &'p Path, object: &Path) -> Option<&'p [Step]> {
    (path.root == object.root && path.steps.starts_with(&object.steps))
        .then(|| &path.steps[object.steps.len()..])
}
