//! What is to know about semaphores, counters and variables of the whole program before its functions are summarised.

use super::counters::Counters;
use super::flags::{self, Flags};
use super::semaphores::Semaphores;
use super::sync_uses::{AllSyncUses, SyncUses};
use super::tokens::Tokens;
use crate::callgraph::{CallGraph, FunctionId};
use crate::points_to::{Class, Reads};
use crate::stop::Stop;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct SyncObjects {
    pub semaphores: Arc<Semaphores>,
    pub flags: Arc<Flags>,
    pub tokens: Arc<Tokens>,
    pub counters: Arc<Counters>,
    /// What each function does to such objects.
    uses: AllSyncUses,
    /// Classes that are used like flags.
    candidates: Arc<FxHashSet<Class>>,
}

impl SyncObjects {
    pub fn new(graph: &CallGraph<'_>) -> SyncObjects {
        let all = (0..graph.functions.len() as u32).into_par_iter();
        let stop = Stop::of_this_thread();
        let uses: Vec<Arc<SyncUses>> = all
            .map(|function| {
                stop.check();
                Arc::new(SyncUses::of(graph, FunctionId(function)))
            })
            .collect();
        let uses: AllSyncUses = uses.into_iter().collect();
        let candidates = flags::candidates(&uses);
        let semaphores = Semaphores::new(&uses);
        SyncObjects {
            tokens: Arc::new(Tokens::new(&uses, &semaphores)),
            counters: Arc::new(Counters::new(graph.functions, &uses)),
            flags: Arc::new(Flags::new(&candidates, graph, None)),
            semaphores: Arc::new(semaphores),
            candidates: Arc::new(candidates),
            uses,
        }
    }

    /// The same after an edit, where functions had the same numbers and names before. Only `edited` functions have another text, and
    /// `has_pointers` says of the others whether their pointers are the same, given the answers that were used.
    pub fn again(
        graph: &CallGraph<'_>,
        before: &SyncObjects,
        edited: &[FunctionId],
        has_pointers: &(dyn Fn(FunctionId, &Reads) -> bool + Sync),
        has_other_pointers: bool,
        has_other_first_values: bool,
    ) -> SyncObjects {
        let mut objects = before.clone();
        let others = match has_other_pointers {
            true => 0..graph.functions.len() as u32,
            false => 0..0,
        };
        let others = others.into_par_iter().map(FunctionId).filter(|function| {
            let reads = &before.uses[function.0 as usize].reads;
            !edited.contains(function) && !has_pointers(*function, reads)
        });
        let changed: Vec<(FunctionId, SyncUses)> = others
            .chain(edited.par_iter().copied())
            .map(|function| (function, SyncUses::of(graph, function)))
            .collect();
        let mut names: Vec<FunctionId> = Vec::with_capacity(changed.len());
        for (function, uses) in changed {
            names.push(function);
            objects.uses.set(function.0 as usize, Arc::new(uses));
        }
        let differ = |are_equal: fn(&SyncUses, &SyncUses) -> bool| {
            names.iter().any(|function| {
                let index = function.0 as usize;
                !are_equal(&objects.uses[index], &before.uses[index])
            })
        };
        let has_other_semaphores = differ(|new, old| new.semaphores == old.semaphores);
        let has_other_tokens = differ(|new, old| new.tokens == old.tokens);
        let has_other_flags = differ(|new, old| new.flags == old.flags);
        let uses = &objects.uses;
        if has_other_semaphores {
            objects.semaphores = Arc::new(Semaphores::new(uses));
        }
        if has_other_semaphores || has_other_tokens {
            objects.tokens = Arc::new(Tokens::new(uses, &objects.semaphores));
        }
        if has_other_flags {
            objects.candidates = Arc::new(flags::candidates(uses));
        }
        if has_other_flags || has_other_pointers || has_other_first_values {
            let known = Some(&*before.flags).filter(|_| !has_other_first_values);
            objects.flags = Arc::new(Flags::new(&objects.candidates, graph, known));
        }
        let counters = before
            .counters
            .again(graph.functions, uses, &before.uses, &names);
        if !counters.are_those_of(&before.counters) {
            objects.counters = Arc::new(counters);
        }
        objects
    }

    /// What is different since an earlier time.
    pub fn changes_since(&self, before: &SyncObjects) -> ChangedObjects {
        let mut changes = ChangedObjects {
            kinds: self.kinds() != before.kinds(),
            ..ChangedObjects::default()
        };
        if !Arc::ptr_eq(&self.semaphores, &before.semaphores) {
            self.semaphores
                .note_changes(&before.semaphores, &mut changes);
        }
        if !Arc::ptr_eq(&self.flags, &before.flags) {
            self.flags.note_changes(&before.flags, &mut changes);
        }
        if !Arc::ptr_eq(&self.tokens, &before.tokens) {
            self.tokens.note_changes(&before.tokens, &mut changes);
        }
        self.counters.note_changes(&before.counters, &mut changes);
        changes
    }

    /// Which kinds there are: who finds that there are none of a kind looks no further.
    fn kinds(&self) -> [bool; 2] {
        [self.flags.is_empty(), self.semaphores.is_empty()]
    }

    /// The objects that put the accesses of a program in another order than before, whoever makes them. `None` if that may
    /// be any.
    pub fn ordering_otherwise(&self, before: &SyncObjects) -> Option<FxHashSet<Class>> {
        if !same(&self.tokens, &before.tokens) || !self.flags.begin_as(&before.flags) {
            return None;
        }
        let mut changes = ChangedObjects::default();
        if !Arc::ptr_eq(&self.semaphores, &before.semaphores) {
            self.semaphores
                .note_changes(&before.semaphores, &mut changes);
        }
        if !Arc::ptr_eq(&self.flags, &before.flags) {
            self.flags.note_changes(&before.flags, &mut changes);
        }
        Some(changes.classes)
    }
}

fn same<T: PartialEq>(one: &Arc<T>, other: &Arc<T>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

/// Objects about which something else is known than before.
#[derive(Default)]
pub struct ChangedObjects {
    /// There are now objects of a kind of which there were none, or the other way round.
    pub kinds: bool,
    pub classes: FxHashSet<Class>,
    /// Functions with statements that are special for another reason.
    pub functions: FxHashSet<FunctionId>,
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
