//! The contexts of one function, and who comes there.

use super::context::{Context, ContextId};
use super::flow::Arrival;
use super::roots::RootId;
use crate::branches::Certain;
use crate::callgraph::FunctionId;
use crate::dataflow::Fixed;
use crate::ir::{BlockId, StatementId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// More contexts than this of one function are joined.
const MOST_CONTEXTS: usize = 24;
/// So many joined contexts are told apart by what is certain of the formals.
const MOST_OVERFLOWS: usize = 8;

#[derive(Default)]
pub(super) struct FunctionContexts {
    pub contexts: Vec<Reached>,
    index: FxHashMap<Fixed<Context>, ContextId>,
    /// There were too many: those that cover all later ones, by what is certain of the formals.
    overflows: BTreeMap<BTreeMap<u32, Certain>, ContextId>,
    /// Contexts that some of these cover already, and what is certain in it.
    covered: FxHashMap<Fixed<Context>, BTreeMap<u32, Certain>>,
}

/// Stands for threads that come to some context: equal numbers for equal threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct CompanyId(pub u32);

/// A context and who comes there.
pub(super) struct Reached {
    pub context: Fixed<Context>,
    pub roots: BTreeSet<RootId>,
    /// Stands for the roots; known at the end.
    pub company: CompanyId,
    pub arrivals: Vec<Arrival>,
    /// The same, to find them.
    pub known_arrivals: FxHashSet<Arrival>,
    /// The contexts that its calls lead to; known when it has been visited.
    pub calls: Option<Vec<(FunctionId, ContextId, StatementId)>>,
    /// Threads that are started in it.
    pub starts: Vec<(RootId, bool)>,
    /// Blocks of the function that control does not get to in it.
    pub left_out: BTreeSet<BlockId>,
}

impl Reached {
    /// The contexts that its calls lead to, and where they stand.
    pub fn calls(&self) -> &[(FunctionId, ContextId, StatementId)] {
        self.calls.as_deref().unwrap_or_default()
    }
}

impl FunctionContexts {
    pub fn find_or_add(&mut self, context: Fixed<Context>) -> ContextId {
        if let Some(known) = self.index.get(&context) {
            return *known;
        }
        if self.contexts.len() < MOST_CONTEXTS {
            return self.add(context);
        }
        // Joining it once more would change nothing.
        let covering = self.covered.get(&context);
        if let Some(id) = covering.and_then(|certain| self.overflows.get(certain)) {
            return *id;
        }
        // What is certain of formals is the same in all that are joined, unless there is too much of that.
        let mut certain = context.certain.clone();
        if self.overflows.len() >= MOST_OVERFLOWS && !self.overflows.contains_key(&certain) {
            certain.clear();
        }
        let joined = match self.overflows.get(&certain) {
            Some(overflow) => self.contexts[overflow.0 as usize].context.joined(&context),
            None => {
                let all = self.contexts.iter().map(|reached| &*reached.context);
                all.fold(Context::clone(&context), |joined, other| {
                    joined.joined(other)
                })
            }
        };
        let joined = Fixed::new(Context {
            certain: certain.clone(),
            ..joined
        });
        let id = match self.index.get(&joined) {
            Some(known) => *known,
            None => self.add(joined),
        };
        self.overflows.insert(certain.clone(), id);
        self.covered.insert(context, certain);
        id
    }

    fn add(&mut self, context: Fixed<Context>) -> ContextId {
        let id = ContextId(self.contexts.len() as u32);
        self.index.insert(context.clone(), id);
        self.contexts.push(Reached {
            context,
            roots: BTreeSet::new(),
            company: CompanyId::default(),
            arrivals: Vec::new(),
            known_arrivals: FxHashSet::default(),
            calls: None,
            starts: Vec::new(),
            left_out: BTreeSet::new(),
        });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symexec::Value;

    /// Many different contexts, each of which comes again and again.
    fn contexts() -> impl Iterator<Item = Fixed<Context>> {
        (0..5_000_u64).map(|step| {
            let mixed = (step % 900).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            let certain = (mixed % 12) as i32;
            Fixed::new(Context {
                bindings: vec![
                    Value::Constant(i128::from(mixed % 5)),
                    Value::Constant(i128::from(mixed / 5 % 7)),
                ],
                certain: match certain {
                    0 => BTreeMap::new(),
                    number => BTreeMap::from([(1, Certain::Number(number))]),
                },
                ..Context::default()
            })
        })
    }

    #[test]
    fn a_context_that_is_covered_need_not_be_joined_again() {
        let mut quick = FunctionContexts::default();
        let mut slow = FunctionContexts::default();
        for context in contexts() {
            slow.covered.clear();
            let id = quick.find_or_add(context.clone());
            assert_eq!(id, slow.find_or_add(context));
        }
        let all = |found: &FunctionContexts| -> Vec<Fixed<Context>> {
            let contexts = found.contexts.iter();
            contexts.map(|reached| reached.context.clone()).collect()
        };
        assert_eq!(all(&quick), all(&slow));
        assert!(quick.covered.len() > 100);
    }
}
