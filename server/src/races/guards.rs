//! Which lock is held at how many accesses of which memory.

use super::checked::Checked;
use super::expression::name;
use crate::report::Guard;
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir::StatementId;
use racelens_analysis::points_to::Class;
use racelens_analysis::symexec::Targets;
use std::collections::{BTreeMap, BTreeSet};

/// Counts for all memory that threads share.
#[derive(Default)]
pub(super) struct Guards(BTreeMap<Class, Memory>);

#[derive(Default)]
struct Memory {
    /// Where it is accessed, by function and span, and under which locks, by their own names.
    accesses: BTreeMap<(FunctionId, u32, u32), BTreeSet<String>>,
    /// The shortest name that an access has for it.
    name: Option<String>,
    /// The whole name of a lock by its own.
    locks: BTreeMap<String, String>,
}

impl Guards {
    pub fn new(checked: &Checked<'_>) -> Guards {
        let mut guards = Guards::default();
        let program = checked.program();
        for function in program.functions.ids() {
            let contexts: Vec<_> = program.contexts.of(function).map(|(id, ..)| id).collect();
            if contexts.is_empty() {
                continue;
            }
            for access in &program.facts[function.0 as usize].accesses {
                let Some(span) = checked.span(function, access.statement) else {
                    continue;
                };
                let memory = guards.0.entry(access.cell.class).or_default();
                if let Targets::Exactly(path) = &access.place {
                    memory.call(name(checked, function, path));
                }
                // Only what is held whoever calls counts.
                let in_contexts = contexts.iter().map(|context| {
                    let locks = program.locks_at(function, *context, &access.locks);
                    let names = locks.iter().map(|lock| name(checked, function, &lock.path));
                    names.collect::<BTreeSet<String>>()
                });
                let held = in_contexts.reduce(|all, other| &all & &other);
                let held = held.unwrap_or_default();
                let own: BTreeSet<String> = held.iter().map(|lock| own_name(lock)).collect();
                for lock in held {
                    memory.locks.entry(own_name(&lock)).or_insert(lock);
                }
                // `x++` reads and writes, and is one access to its reader.
                let access = (function, span.start, span.end);
                memory.accesses.insert(access, own);
            }
        }
        guards
    }

    /// The lock that most accesses of the memory of a statement hold, if several do.
    pub fn of_access(
        &self,
        checked: &Checked<'_>,
        function: FunctionId,
        statement: StatementId,
    ) -> Option<Guard> {
        let facts = &checked.program().facts[function.0 as usize];
        let mut accesses = facts.accesses.iter();
        let access = accesses.find(|access| access.statement == statement)?;
        let memory = self.0.get(&access.cell.class)?;
        let best = memory.locks.keys().max_by_key(|lock| memory.held(lock))?;
        Some(memory.guard(best)).filter(|guard| guard.held > 1)
    }

    /// The memory that a lock is held for, by the lock's own name.
    pub fn of_lock(&self, own_name: &str) -> Vec<Guard> {
        let memories = self.0.values();
        let held = memories.filter(|memory| memory.locks.contains_key(own_name));
        let mut guards: Vec<Guard> = held.map(|memory| memory.guard(own_name)).collect();
        guards.sort_by(|left, right| left.location.cmp(&right.location));
        guards
    }
}

impl Memory {
    fn call(&mut self, name: String) {
        let is_better = |known: &String| (name.len(), &name) < (known.len(), known);
        if self.name.as_ref().is_none_or(is_better) {
            self.name = Some(name);
        }
    }

    fn held(&self, lock: &str) -> usize {
        let accesses = self.accesses.values();
        accesses.filter(|held| held.contains(lock)).count()
    }

    fn guard(&self, lock: &str) -> Guard {
        let name = self.name.as_deref();
        Guard {
            location: name.unwrap_or("memory behind a pointer").to_owned(),
            lock: self.locks.get(lock).map_or(lock, String::as_str).to_owned(),
            held: self.held(lock),
            accesses: self.accesses.len(),
        }
    }
}

/// The last member of a lock's name: `stats_lock` of `cache->stats_lock`, `locks` of `cache->locks[i]`.
pub(super) fn own_name(lock: &str) -> String {
    let mut rest = lock.trim();
    while let Some(open) = rest.strip_suffix(']').and_then(|inner| inner.rfind('[')) {
        rest = &rest[..open];
    }
    let start = rest.rfind(['>', '.', '*', '&', '(']);
    start.map_or(rest, |start| &rest[start + 1..]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::own_name;

    #[test]
    fn the_last_member_is_a_locks_own_name() {
        for (whole, own) in [
            ("lock", "lock"),
            ("cache->stats_lock", "stats_lock"),
            ("cache.inner.lock", "lock"),
            ("cache->locks[index]", "locks"),
            ("grid[i][j]", "grid"),
            ("*pointer", "pointer"),
        ] {
            assert_eq!(own_name(whole), own);
        }
    }
}
