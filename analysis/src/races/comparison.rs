//! Whether two accesses race, and why not, by the rules by which pairs are found.

use super::access_index::AccessIndex;
use super::looks::KnownLooks;
use super::moments::Moments;
use super::overlap::Memory;
use super::pairing::{Apart, compare, is_given_once};
use super::sighting::{Character, Sighting, Surroundings};
use super::sole_locks::SoleLocks;
use super::whole_program::WholeProgram;
use crate::callgraph::{CallGraph, FunctionId};
use crate::stop::Stop;
use crate::symexec::Path;
use crate::threads::Held;
use std::collections::{BTreeMap, BTreeSet};

/// Compares accesses of a program one by one.
pub struct Comparison<'c> {
    program: &'c WholeProgram,
    surroundings: Surroundings<'c>,
    index: &'c AccessIndex,
}

/// An access by its function and its number there.
pub type AccessKey = (FunctionId, u32);

/// What is to say about two accesses, in all contexts of both.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// In some contexts nothing keeps them apart.
    pub races: bool,
    /// What keeps them apart in the others.
    pub apart: BTreeSet<Apart>,
    /// The locks among that, as the first access's function calls them.
    pub common_locks: BTreeSet<Path>,
    /// The signals, barriers and the like among that.
    pub ordered_by: BTreeSet<Path>,
}

impl<'c> Comparison<'c> {
    /// The call graph is the program's own.
    pub fn new(program: &'c WholeProgram, graph: &'c CallGraph<'c>) -> Comparison<'c> {
        let known = KnownLooks::new(program.facts.len());
        let surroundings = Surroundings {
            graph,
            arrays: program.kept.arrays.all().clone(),
            unordered: program.unordered.clone(),
            counters: program.counters.clone(),
            owners: program.owners.clone(),
            moments: Moments::new(
                &program.functions,
                &program.contexts,
                &program.orders,
                known.moments.clone(),
            ),
            facts: &program.facts,
            contexts: &program.contexts,
            known: Stop::default().aside(known),
            sole_locks: SoleLocks::new(program.facts.len()),
        };
        Comparison {
            program,
            surroundings,
            index: &program.kept.index,
        }
    }

    /// The accesses that may touch the same memory, this one among them. Empty if no thread writes it.
    pub fn of_same_memory(&self, (function, number): AccessKey) -> BTreeSet<AccessKey> {
        let access = &self.program.facts[function.0 as usize].accesses[number as usize];
        let mut classes = vec![access.cell.class];
        if access.cell.whole {
            classes.extend(self.surroundings.graph.points_to().parts(access.cell.class));
        }
        let lists = classes.iter().filter_map(|class| self.index.get(*class));
        lists.flatten().copied().collect()
    }

    pub fn verdict(&self, left: AccessKey, right: AccessKey) -> Verdict {
        let mut verdict = Verdict::default();
        let (functions, contexts) = (&self.program.functions, &self.program.contexts);
        let points_to = &self.program.points_to;
        let memory = Memory {
            is_given_once: &|site| is_given_once(functions, contexts, site),
            gives_once: &|counter| self.surroundings.counters.contains(&counter),
            share_storage: &|record, one, other| points_to.share_storage(record, one, other),
        };
        for (sighting, mine) in self.characters(left) {
            for (_, theirs) in self.characters(right) {
                let moments = &self.surroundings.moments;
                match compare(moments, memory, &mine, &theirs) {
                    Ok(_) => verdict.races = true,
                    Err(reason) => {
                        verdict.apart.insert(reason);
                        if matches!(reason, Apart::Ordered(_)) {
                            let objects = moments.ordering_objects(&mine.when, &theirs.when);
                            verdict.ordered_by.extend(objects);
                        }
                        if reason == Apart::CommonLock {
                            verdict
                                .common_locks
                                .extend(self.common_locks(sighting, &theirs));
                        }
                    }
                }
            }
        }
        verdict
    }

    fn characters(&self, (function, number): AccessKey) -> Vec<(Sighting, Character)> {
        let access = &self.program.facts[function.0 as usize].accesses[number as usize];
        let contexts = &self.program.contexts;
        contexts
            .of(function)
            .filter(|(id, ..)| contexts.reaches(function, *id, access.statement))
            .map(|context| {
                let sighting = Sighting {
                    function,
                    access: number,
                    context: context.0,
                };
                let surroundings = &self.surroundings;
                (sighting, surroundings.character(access, function, context))
            })
            .collect()
    }

    /// The locks that alone would keep a sighting apart from another access.
    fn common_locks(&self, sighting: Sighting, other: &Character) -> Vec<Path> {
        let function = sighting.function;
        let mut contexts = self.program.contexts.of(function);
        let Some(context) = contexts.find(|(id, ..)| *id == sighting.context) else {
            return Vec::new();
        };
        let locks = self.program.locks(sighting).into_iter();
        locks
            .filter(|lock| {
                let held = Held {
                    mode: lock.mode,
                    by: lock.by,
                    at: lock.at,
                };
                let alone = self.surroundings.character_holding(
                    self.program.access(sighting),
                    function,
                    context,
                    BTreeMap::from([(lock.path.clone(), held)]),
                );
                alone.protection.common(&other.protection)
            })
            .map(|lock| lock.path)
            .collect()
    }
}
