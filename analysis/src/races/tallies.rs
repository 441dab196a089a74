//! What is counted over all functions of a program, and after an edit only over those that are not what they were.

use crate::accesses::{Facts, FunctionFacts};
use crate::callgraph::{FunctionId, IndirectCalls, KnownCalls};
use crate::shared_list::SharedList;
use crate::summaries::MOST_TARGETS;
use crate::threads::Contexts;
use std::collections::BTreeSet;

#[derive(Clone, Default)]
pub(super) struct Tallies {
    /// Accesses of functions that some thread gets to.
    pub accesses: usize,
    /// Functions that go beyond the bounds on what is told apart at one point.
    pub excessive: BTreeSet<FunctionId>,
    /// Functions with a call that may reach more functions than are looked at.
    pub with_many_targets: BTreeSet<FunctionId>,
}

/// A program before or after an edit.
#[derive(Clone, Copy)]
pub(super) struct Counted<'c> {
    pub facts: &'c Facts,
    pub calls: &'c KnownCalls,
    pub contexts: &'c Contexts,
}

impl Tallies {
    pub fn new(program: Counted<'_>) -> Tallies {
        let nothing = Tallies::default();
        nothing.again(
            Counted {
                facts: &Facts::default(),
                calls: &KnownCalls::default(),
                contexts: program.contexts,
            },
            program,
        )
    }

    /// Those after an edit. Functions must have had the same numbers before.
    pub fn again(&self, before: Counted<'_>, now: Counted<'_>) -> Tallies {
        let Some(entered_otherwise) = now.contexts.entered_otherwise_since(before.contexts) else {
            return Tallies::new(now);
        };
        let mut tallies = self.clone();
        let unshared = now.facts.unshared_with(before.facts);
        let others = entered_otherwise.iter().map(|function| function.0 as usize);
        for index in others.chain(unshared).collect::<BTreeSet<usize>>() {
            let function = FunctionId(index as u32);
            let accesses = |program: &Counted<'_>| match program.facts.get(index) {
                Some(facts) if program.contexts.count(function) > 0 => facts.accesses.len(),
                _ => 0,
            };
            tallies.accesses += accesses(&now);
            tallies.accesses -= accesses(&before);
            let facts = now.facts.get(index);
            let is_excessive = facts.is_some_and(|facts| is_excessive(facts));
            put(&mut tallies.excessive, function, is_excessive);
        }
        let (calls, earlier): (_, &SharedList<_>) = (now.calls.indirect(), before.calls.indirect());
        for index in calls.unshared_with(earlier) {
            let has_many = calls
                .get(index)
                .is_some_and(|calls| has_many_targets(calls));
            let function = FunctionId(index as u32);
            put(&mut tallies.with_many_targets, function, has_many);
        }
        tallies
    }
}

fn put(set: &mut BTreeSet<FunctionId>, function: FunctionId, is_in: bool) {
    match is_in {
        true => set.insert(function),
        false => set.remove(&function),
    };
}

fn is_excessive(facts: &FunctionFacts) -> bool {
    facts.excess.threads || facts.excess.locks.is_some()
}

fn has_many_targets(calls: &IndirectCalls) -> bool {
    calls.values().any(|targets| targets.len() > MOST_TARGETS)
}
