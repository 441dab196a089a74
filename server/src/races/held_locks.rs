//! The locks that are held in a function, and who took each of them.

use super::checked::Checked;
use super::expression::name;
use crate::project::Place;
use crate::report::{HeldLock, Lock, LockOrigin};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir::{Landmark, StatementId};
use racelens_analysis::locksets::{Mode, PointLocks};
use racelens_analysis::races::NamedLock;
use racelens_analysis::symexec::Path;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

pub(super) struct HeldLocks<'l, 'w> {
    checked: &'l Checked<'w>,
    function: FunctionId,
    /// What happened to locks between the entry and a statement.
    since_entry: BTreeMap<StatementId, Arc<PointLocks>>,
}

impl<'l, 'w> HeldLocks<'l, 'w> {
    pub fn new<S: BuildHasher>(
        checked: &'l Checked<'w>,
        function: FunctionId,
        since_entry: HashMap<StatementId, Arc<PointLocks>, S>,
    ) -> HeldLocks<'l, 'w> {
        HeldLocks {
            checked,
            function,
            since_entry: since_entry.into_iter().collect(),
        }
    }

    /// Whether locks are followed to a statement: an access or a call.
    pub fn knows(&self, statement: StatementId) -> bool {
        self.since_entry.contains_key(&statement)
    }

    /// The locks that are held at a statement, whoever calls the function.
    pub fn in_all(&self, statement: StatementId) -> Vec<HeldLock> {
        let contexts = self.by_context(statement);
        let Some((first, rest)) = contexts.split_first() else {
            return Vec::new();
        };
        let mut held = Vec::new();
        for lock in first {
            let others = rest.iter().map(|locks| find(locks, &lock.path));
            let Some(others) = others.collect::<Option<Vec<&NamedLock>>>() else {
                continue;
            };
            let all: Vec<&NamedLock> = std::iter::once(lock).chain(others).collect();
            held.push(HeldLock {
                name: name(self.checked, self.function, &lock.path),
                shared: all.iter().any(|lock| lock.mode == Mode::Shared),
                origin: self.origin(&all),
            });
        }
        held
    }

    /// The names of the locks that only some callers hold.
    pub fn in_some(&self, statement: StatementId) -> Vec<String> {
        let contexts = self.by_context(statement);
        let everywhere = |path: &Path| contexts.iter().all(|locks| find(locks, path).is_some());
        let paths: BTreeSet<&Path> = contexts.iter().flatten().map(|lock| &lock.path).collect();
        let partly = paths.into_iter().filter(|path| !everywhere(path));
        partly
            .map(|path| name(self.checked, self.function, path))
            .collect()
    }

    /// The locks that the function takes itself, each once, and where.
    pub fn taken_here(&self) -> Vec<Lock> {
        let mut taken: BTreeMap<&Path, (Mode, Landmark)> = BTreeMap::new();
        for lockset in self.since_entry.values() {
            for (path, hold) in lockset.held() {
                if let Some(at) = hold.taken {
                    taken.entry(path).or_insert((hold.mode, at));
                }
            }
        }
        let mut taken: Vec<_> = taken.into_iter().collect();
        taken.sort_by_key(|(_, (_, at))| at.position);
        taken
            .into_iter()
            .map(|(path, (mode, at))| Lock {
                name: name(self.checked, self.function, path),
                shared: mode == Mode::Shared,
                acquired: self.place(self.function, at),
            })
            .collect()
    }

    fn by_context(&self, statement: StatementId) -> Vec<Vec<NamedLock>> {
        let Some(since) = self.since_entry.get(&statement) else {
            return Vec::new();
        };
        let program = self.checked.program();
        let contexts = program.contexts.of(self.function);
        let locks: Vec<Vec<NamedLock>> = contexts
            .map(|(context, ..)| program.locks_at(self.function, context, since))
            .collect();
        if !locks.is_empty() {
            return locks;
        }
        // Nobody calls it: what it holds is what it took itself.
        let own = since.held().map(|(path, hold)| NamedLock {
            path: path.clone(),
            mode: hold.mode,
            by: self.function,
            at: hold.taken,
        });
        vec![own.collect()]
    }

    fn origin(&self, locks: &[&NamedLock]) -> LockOrigin {
        if locks.iter().all(|lock| lock.by == self.function) {
            let places: BTreeSet<Place> = locks
                .iter()
                .filter_map(|lock| self.place(self.function, lock.at?))
                .collect();
            return LockOrigin::Here(places.into_iter().collect());
        }
        let calls = self.checked.program().contexts.calls_of(self.function);
        let places: BTreeSet<Place> = calls
            .into_iter()
            .filter_map(|(caller, at)| self.place(caller, at))
            .collect();
        LockOrigin::EveryCaller(places.into_iter().collect())
    }

    fn place(&self, function: FunctionId, at: Landmark) -> Option<Place> {
        self.checked.landmark_place(function, at)
    }
}

/// A sentence about locks that only some callers hold.
pub(super) fn some_callers_hold(names: &[String]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("only some callers hold {}", names.join(", ")))
}

fn find<'n>(locks: &'n [NamedLock], path: &Path) -> Option<&'n NamedLock> {
    locks.iter().find(|lock| lock.path == *path)
}
