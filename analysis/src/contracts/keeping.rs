//! Finds the places where a program does not keep what its declarations promise.

use super::duty::{guards_of, lock_path};
use super::table::{Contracts, mode};
use super::violation::{Violation, ViolationKind};
use crate::accesses::{Access, CallFact};
use crate::callgraph::FunctionId;
use crate::forks::ForkState;
use crate::ir::{AccessKind, Contract, FunctionRef, StatementId};
use crate::locksets::{Mode, PointLocks};
use crate::races::{WholeProgram, fingerprint, write_of};
use crate::symexec::{Path, Root, Step, Targets};
use crate::threads::{Binder, Context, ContextId, Moment, RootId};
use std::collections::{BTreeMap, BTreeSet};

/// All broken promises, in the order of functions and statements.
pub fn violations(program: &WholeProgram, contracts: &Contracts) -> Vec<Violation> {
    if contracts.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for function in program.functions.ids() {
        let name = program.functions.body(function).function.declared();
        if contracts
            .of_function(name)
            .any(|said| *said == Contract::NotAnalysed)
        {
            continue;
        }
        let keeper = Keeper {
            program,
            contracts,
            function,
            name,
        };
        found.extend(keeper.own_promises());
        let mut at_statements = keeper.accesses();
        at_statements.extend(keeper.calls());
        found.extend(at_statements.into_values());
    }
    with_distinct_ids(program, found)
}

/// One function and what it has to keep.
struct Keeper<'k> {
    program: &'k WholeProgram,
    contracts: &'k Contracts,
    function: FunctionId,
    name: FunctionRef,
}

/// A point of a function in one of its contexts.
struct Point<'p> {
    id: ContextId,
    context: &'p Context,
    locks: &'p PointLocks,
    forks: &'p ForkState,
}

/// What has to be held at a point.
struct Need<'n> {
    lock: &'n Path,
    mode: Mode,
    /// An object that needs no lock as long as no other thread knows it.
    object: Option<Root>,
}

/// How a lock is held.
enum Holding {
    Enough,
    /// For reading, where it is needed for writing.
    SharedOnly,
    No,
}

type ByStatement = BTreeMap<(StatementId, ViolationKind, Path), Violation>;

impl Keeper<'_> {
    /// Accesses without the lock that guards what they access.
    fn accesses(&self) -> ByStatement {
        let mut found = ByStatement::new();
        let facts = &self.program.facts[self.function.0 as usize];
        for (number, access) in facts.accesses.iter().enumerate() {
            // UNSOUND: an access whose place is not known exactly is not checked against `guarded_by`.
            let Targets::Exactly(place) = &access.place else {
                continue;
            };
            let guards = guards_of(self.contracts, place);
            let body = self.program.functions.body(self.function);
            if guards.is_empty() || write_of(body, facts, number as u32).is_some() {
                continue;
            }
            for guard in guards {
                self.access(access, place, guard, &mut found);
            }
        }
        found
    }

    fn access(&self, access: &Access, place: &Path, guard: Path, found: &mut ByStatement) {
        let wanted = match access.kind {
            AccessKind::Read => Mode::Shared,
            AccessKind::Write | AccessKind::Update => Mode::Exclusive,
        };
        for (id, context, roots) in self.contexts_at(access.statement) {
            let point = Point {
                id,
                context,
                locks: &access.locks,
                forks: &access.forks,
            };
            let subject = || self.program.names(self.function).path(place);
            let key = (access.statement, ViolationKind::GuardedBy, guard.clone());
            let object = new_object(place).or_else(|| {
                let place = self.binder(context).path(place)?;
                new_object(&place)
            });
            let need = Need {
                lock: &guard,
                mode: wanted,
                object,
            };
            self.check(&point, roots, need, key, &subject, found);
        }
    }

    /// The contexts in which control gets to a statement.
    fn contexts_at(
        &self,
        at: StatementId,
    ) -> impl Iterator<Item = (ContextId, &Context, &BTreeSet<RootId>)> {
        let contexts = &self.program.contexts;
        let all = contexts.of(self.function);
        all.filter(move |(id, ..)| contexts.reaches(self.function, *id, at))
    }

    /// Calls without a lock that the callee requires.
    fn calls(&self) -> ByStatement {
        let mut found = ByStatement::new();
        let facts = &self.program.facts[self.function.0 as usize];
        for call in &facts.calls {
            let [callee] = call.targets.as_slice() else {
                continue;
            };
            let callee = self.program.functions.body(*callee).function;
            for (lock, wanted) in self.contracts.required(callee) {
                if let Some(lock) = in_caller(&lock, call) {
                    self.call(call, callee, &lock, wanted, &mut found);
                }
            }
        }
        found
    }

    fn call(
        &self,
        call: &CallFact,
        callee: FunctionRef,
        lock: &Path,
        wanted: Mode,
        found: &mut ByStatement,
    ) {
        for (id, context, roots) in self.contexts_at(call.statement) {
            let point = Point {
                id,
                context,
                locks: &call.locks,
                forks: &call.forks,
            };
            let subject = || callee.name.to_string();
            let kind = ViolationKind::RequiresCapability;
            let key = (call.statement, kind, lock.clone());
            let need = Need {
                lock,
                mode: wanted,
                object: None,
            };
            self.check(&point, roots, need, key, &subject, found);
        }
    }

    /// Notes a violation if a lock is not held at a point where another thread may run.
    fn check(
        &self,
        point: &Point<'_>,
        roots: &BTreeSet<RootId>,
        need: Need<'_>,
        key: (StatementId, ViolationKind, Path),
        subject: &dyn Fn() -> String,
        found: &mut ByStatement,
    ) {
        let holding = self.holding(point, need.lock, need.mode);
        if matches!(holding, Holding::Enough) || found.contains_key(&key) {
            return;
        }
        let threads = point.context.threads_at(point.forks);
        let is_shared = |root: RootId| {
            let moment = Moment {
                root,
                threads: &threads,
            };
            let (contexts, functions) = (&self.program.contexts, &self.program.functions);
            let beside: Vec<RootId> = contexts.running_beside(functions, moment).collect();
            let mut knowing = beside.iter().copied().chain([root]);
            !beside.is_empty()
                && need
                    .object
                    .is_none_or(|object| knowing.any(|root| self.is_given(root, object)))
        };
        let Some(root) = roots.iter().copied().find(|&root| is_shared(root)) else {
            return;
        };
        let violation = Violation {
            id: 0,
            kind: key.1,
            function: self.function,
            statement: Some(key.0),
            seen: Some((point.id, root)),
            subject: subject(),
            lock: self.program.names(self.function).path(need.lock),
            held_shared: matches!(holding, Holding::SharedOnly),
        };
        found.insert(key, violation);
    }

    /// Whether a thread is given an object when it is started.
    fn is_given(&self, thread: RootId, object: Root) -> bool {
        let mut bindings = self.program.contexts.root(thread).bindings.iter();
        bindings.any(|value| match value.targets() {
            Targets::Exactly(path) => path.root == object,
            Targets::OneOf(paths) => paths.iter().any(|path| path.root == object),
            Targets::Unknown => false,
        })
    }

    fn holding(&self, point: &Point<'_>, lock: &Path, wanted: Mode) -> Holding {
        let binder = self.binder(point.context);
        let absolute = binder.path(lock);
        let is_it =
            |held: &Path| held == lock || (absolute.is_some() && binder.path(held) == absolute);
        let held = point.context.held_at(point.locks, self.function);
        let held = held.iter().filter(|(path, _)| is_it(path));
        // Callers are told where they call it without the lock.
        let required = self.contracts.required(self.name);
        let required = required
            .filter(|(path, _)| is_it(path))
            .map(|(_, mode)| mode);
        let best = held.map(|(_, held)| held.mode).chain(required).max();
        let somewhere = &point.context.held_somewhere;
        match best {
            Some(mode) if mode >= wanted => Holding::Enough,
            Some(_) => Holding::SharedOnly,
            // A lock of the same kind is held, in an object that nobody can name: most likely this one.
            None if lock.shape().is_some_and(|shape| somewhere.contains(&shape)) => Holding::Enough,
            None => Holding::No,
        }
    }

    /// Locks that the function says it takes or releases, and does not.
    fn own_promises(&self) -> Vec<Violation> {
        let summary = &self.program.summaries.get(self.function).locks;
        let at_end = summary.any();
        let said = self.contracts.of_function(self.name);
        let broken = said.filter_map(|contract| {
            let (kind, lock, is_kept) = match contract {
                Contract::Acquires { lock, shared } => {
                    let path = lock_path(lock, None)?;
                    let mut held = at_end.held();
                    let is_kept =
                        held.any(|(known, hold)| *known == path && hold.mode >= mode(*shared));
                    (ViolationKind::AcquireCapability, path, is_kept)
                }
                Contract::Releases(lock) => {
                    let path = lock_path(lock, None)?;
                    let is_kept = at_end.may_release(&path);
                    (ViolationKind::ReleaseCapability, path, is_kept)
                }
                _ => return None,
            };
            (!is_kept).then(|| Violation {
                id: 0,
                kind,
                function: self.function,
                statement: None,
                seen: None,
                subject: self.name.name.to_string(),
                lock: self.program.names(self.function).path(&lock),
                held_shared: false,
            })
        });
        broken.collect()
    }

    fn binder<'b>(&'b self, context: &'b Context) -> Binder<'b> {
        context.binder(self.program.functions.body(self.function))
    }
}

/// A lock of the callee in terms of the caller.
fn in_caller(lock: &Path, call: &CallFact) -> Option<Path> {
    match (lock.root, lock.steps.as_slice()) {
        (Root::Formal(index), [Step::Deref, rest @ ..]) => {
            let argument = call.arguments.get(index as usize)?;
            match argument.targets() {
                Targets::Exactly(object) => Some(object.extended(rest)),
                Targets::OneOf(_) | Targets::Unknown => None,
            }
        }
        (Root::Global(_), _) => Some(lock.clone()),
        _ => None,
    }
}

/// The object that a place lies in, if it was allocated on the way there.
// UNSOUND: an object that was allocated on the way to an access, and that was not given to a thread when it was
// started, is taken to be not yet shared, as far as `guarded_by` is concerned.
fn new_object(place: &Path) -> Option<Root> {
    let is_new = matches!(place.root, Root::Heap(_)) && !place.steps.contains(&Step::Deref);
    is_new.then_some(place.root)
}

/// Gives every violation an id; those that are otherwise alike are told apart by their number.
fn with_distinct_ids(program: &WholeProgram, mut violations: Vec<Violation>) -> Vec<Violation> {
    let mut known: BTreeMap<u64, usize> = BTreeMap::new();
    for violation in &mut violations {
        let function = program.functions.body(violation.function).function.name;
        let parts = [
            violation.kind.word(),
            function.as_str(),
            violation.subject.as_str(),
            violation.lock.as_str(),
        ];
        let same = known.entry(fingerprint(parts)).or_default();
        *same += 1;
        let ordinal = same.to_string();
        violation.id = fingerprint(parts.into_iter().chain([ordinal.as_str()]));
    }
    violations
}
