//! Which formals decide what a function does, in its own branches or in those of functions that it passes them to.

use crate::accesses::{Facts, FunctionFacts};
use crate::branches::{Certain, Passed};
use crate::callgraph::{Components, FunctionId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Default, PartialEq)]
pub(super) struct Deciding(Vec<BTreeSet<u32>>);

impl Deciding {
    /// `components` have callees first. What members of one component pass to each other is looked at once, so that some
    /// formals may be missing, and what is certain of them is not used.
    pub fn new(facts: &Facts, components: &Components) -> Deciding {
        let own = |facts: &Arc<FunctionFacts>| facts.branches.formals().collect();
        let mut deciding = Deciding(facts.iter().map(own).collect());
        for member in components.all().flatten() {
            for call in &facts[*member as usize].calls {
                for (index, passed) in &call.passed {
                    let Passed::Formal(formal) = passed else {
                        continue;
                    };
                    let mut targets = call.targets.iter();
                    if targets.any(|target| deciding.decides(*target, *index)) {
                        deciding.0[*member as usize].insert(*formal);
                    }
                }
            }
        }
        deciding
    }

    /// Whether two versions of a function have the same part in it.
    pub fn is_same_for(one: &FunctionFacts, other: &FunctionFacts) -> bool {
        fn handed_on(facts: &FunctionFacts) -> impl Iterator<Item = (u32, u32, &Vec<FunctionId>)> {
            facts.calls.iter().flat_map(|call| {
                let passed = call.passed.iter();
                passed.filter_map(|(index, passed)| match passed {
                    Passed::Formal(formal) => Some((*index, *formal, &call.targets)),
                    _ => None,
                })
            })
        }
        one.branches.formals().eq(other.branches.formals()) && handed_on(one).eq(handed_on(other))
    }

    /// The functions of which other formals decide.
    pub fn different_from<'d>(
        &'d self,
        other: &'d Deciding,
    ) -> impl Iterator<Item = FunctionId> + 'd {
        let count = match std::ptr::eq(self, other) {
            true => 0,
            false => self.0.len(),
        };
        let different = (0..count).filter(|index| self.0[*index] != other.0[*index]);
        different.map(|index| FunctionId(index as u32))
    }

    /// Leaves out what makes no difference to a function.
    pub fn keep(&self, function: FunctionId, certain: &mut BTreeMap<u32, Certain>) {
        certain.retain(|formal, _| self.decides(function, *formal));
    }

    fn decides(&self, function: FunctionId, formal: u32) -> bool {
        self.0[function.0 as usize].contains(&formal)
    }
}
