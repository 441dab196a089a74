//! Who gives up references.

use crate::accesses::Facts;
use crate::callgraph::{FunctionId, Functions};
use crate::points_to::Class;
use crate::threads::{Contexts, RootId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// For each reference count, the threads that ever make it smaller. Counts are left out that somebody makes smaller
/// without order: who finds them zero need not come after what he has done.
pub type Owners = FxHashMap<Class, Arc<BTreeSet<RootId>>>;

/// The same after an edit, if none of the functions that changed gives up references, or did.
pub(super) fn owners_again(
    known: &Arc<Owners>,
    facts: [&Facts; 2],
    changed: &[FunctionId],
) -> Option<Arc<Owners>> {
    let drops = |function: &FunctionId| {
        let mut facts = facts.iter().map(|facts| &facts[function.0 as usize]);
        facts.any(|facts| !facts.drops.is_empty())
    };
    (!changed.iter().any(drops)).then(|| known.clone())
}

pub(super) fn owners(functions: &Functions, facts: &Facts, contexts: &Contexts) -> Owners {
    let mut found: FxHashMap<Class, BTreeSet<RootId>> = FxHashMap::default();
    let mut unordered: FxHashSet<Class> = FxHashSet::default();
    for function in functions.ids() {
        for drop in &facts[function.0 as usize].drops {
            let roots = contexts.of(function).flat_map(|(_, _, roots)| roots);
            found.entry(drop.class).or_default().extend(roots);
            if !drop.releases {
                unordered.insert(drop.class);
            }
        }
    }
    found.retain(|class, _| !unordered.contains(class));
    let found = found.into_iter();
    found
        .map(|(class, roots)| (class, Arc::new(roots)))
        .collect()
}
