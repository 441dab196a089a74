//! Where control goes in a function whose formals are known.

use super::certain::{Certain, Operation, Passed};
use super::definitions::Definitions;
use crate::ir::{BlockId, Body, Operand, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// The branches of a function that its formals decide; nothing if there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Branches {
    tests: BTreeMap<BlockId, Test>,
    /// How each block ends, if there are such branches.
    ends: Vec<Terminator>,
}

/// A formal, and what is done to it before it is tested.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Test {
    formal: u32,
    operations: Vec<Operation>,
}

impl Branches {
    pub fn new(body: &Body, definitions: &Definitions<'_>) -> Branches {
        let mut tests = BTreeMap::new();
        for (index, block) in body.blocks.iter().enumerate() {
            let tested = tested(&block.terminator).and_then(|value| definitions.origin(value));
            if let Some((Passed::Formal(formal), operations)) = tested {
                tests.insert(BlockId(index as u32), Test { formal, operations });
            }
        }
        let ends = body.blocks.iter().map(|block| block.terminator.clone());
        Branches {
            ends: if tests.is_empty() {
                Vec::new()
            } else {
                ends.collect()
            },
            tests,
        }
    }

    /// The formals that decide some of them.
    pub fn formals(&self) -> impl Iterator<Item = u32> {
        self.tests.values().map(|test| test.formal)
    }

    /// The blocks that control does not get to where this is certain of the formals.
    pub fn left_out(&self, formals: &BTreeMap<u32, Certain>) -> BTreeSet<BlockId> {
        let is_known = |test: &Test| formals.contains_key(&test.formal);
        if !self.tests.values().any(is_known) {
            return BTreeSet::new();
        }
        let mut left_out: BTreeSet<BlockId> = (0..self.ends.len() as u32).map(BlockId).collect();
        let mut pending = vec![BlockId(0)];
        while let Some(block) = pending.pop() {
            if left_out.remove(&block) {
                pending.extend(self.successors(block, formals));
            }
        }
        left_out
    }

    fn successors(&self, block: BlockId, formals: &BTreeMap<u32, Certain>) -> Vec<BlockId> {
        let end = &self.ends[block.0 as usize];
        let value = self.tests.get(&block).and_then(|test| {
            let formal = *formals.get(&test.formal)?;
            let mut operations = test.operations.iter();
            operations.try_fold(formal, |value, operation| value.after(operation))
        });
        match (end, value) {
            (
                Terminator::Branch {
                    then, otherwise, ..
                },
                Some(value),
            ) => {
                let is_zero = value == Certain::Number(0);
                vec![if is_zero { *otherwise } else { *then }]
            }
            (Terminator::Switch { cases, default, .. }, Some(Certain::Number(number))) => {
                let number = i128::from(number);
                let mut chosen = cases
                    .iter()
                    .filter(|case| (case.low..=case.high).contains(&number));
                vec![chosen.next().map_or(*default, |case| case.target)]
            }
            _ => end.successors(),
        }
    }
}

fn tested(end: &Terminator) -> Option<&Operand> {
    match end {
        Terminator::Branch { condition, .. } => Some(condition),
        Terminator::Switch { value, .. } => Some(value),
        _ => None,
    }
}
