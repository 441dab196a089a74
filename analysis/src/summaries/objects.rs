//! What is to know about semaphores, counters and variables of the whole program before its functions are summarised.

use super::counters::Counters;
use super::flags::Flags;
use super::semaphores::Semaphores;
use super::tokens::Tokens;
use crate::callgraph::CallGraph;
use crate::ir::FunctionRef;
use crate::points_to::Class;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

#[derive(Default)]
pub struct SyncObjects {
    pub semaphores: Semaphores,
    pub flags: Flags,
    pub tokens: Tokens,
    pub counters: Counters,
}

impl SyncObjects {
    pub fn new(graph: &CallGraph<'_>) -> SyncObjects {
        let passed = || {
            let semaphores = Semaphores::new(graph);
            (Tokens::new(graph, &semaphores), semaphores)
        };
        let ((tokens, semaphores), (counters, flags)) = rayon::join(passed, || {
            rayon::join(|| Counters::new(graph), || Flags::new(graph))
        });
        SyncObjects {
            semaphores,
            flags,
            tokens,
            counters,
        }
    }

    /// What is different since an earlier time.
    pub fn changes_since(&self, before: &SyncObjects) -> ChangedObjects {
        let mut changes = ChangedObjects {
            kinds: self.kinds() != before.kinds(),
            ..ChangedObjects::default()
        };
        self.semaphores
            .note_changes(&before.semaphores, &mut changes);
        self.flags.note_changes(&before.flags, &mut changes);
        self.tokens.note_changes(&before.tokens, &mut changes);
        self.counters.note_changes(&before.counters, &mut changes);
        changes
    }

    /// Which kinds there are: who finds that there are none of a kind looks no further.
    fn kinds(&self) -> [bool; 2] {
        [self.flags.is_empty(), self.semaphores.is_empty()]
    }

    /// Whether they put the accesses of a program in the same order, whoever makes them.
    pub fn order_alike(&self, other: &SyncObjects) -> bool {
        self.semaphores == other.semaphores
            && self.flags == other.flags
            && self.tokens == other.tokens
    }
}

/// Objects about which something else is known than before.
#[derive(Default)]
pub struct ChangedObjects {
    /// There are now objects of a kind of which there were none, or the other way round.
    pub kinds: bool,
    pub classes: FxHashSet<Class>,
    /// Functions with statements that are special for another reason.
    pub functions: FxHashSet<FunctionRef>,
}

/// The keys that have not the same value in both.
pub(super) fn different_keys<'m, K: Eq + Hash, V: PartialEq>(
    one: &'m FxHashMap<K, V>,
    other: &'m FxHashMap<K, V>,
) -> impl Iterator<Item = &'m K> {
    let changed = one
        .iter()
        .filter(|(key, value)| other.get(key) != Some(value));
    let gone = other.keys().filter(|key| !one.contains_key(key));
    changed.map(|(key, _)| key).chain(gone)
}
