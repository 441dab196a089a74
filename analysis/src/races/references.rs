//! Who gives up references.

use crate::accesses::FunctionFacts;
use crate::callgraph::Functions;
use crate::points_to::Class;
use crate::threads::{Contexts, RootId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// For each reference count, the threads that ever make it smaller. Counts are left out that somebody makes smaller
/// without order: who finds them zero need not come after what he has done.
pub type Owners = FxHashMap<Class, Arc<BTreeSet<RootId>>>;

pub(super) fn owners(
    functions: &Functions,
    facts: &[Arc<FunctionFacts>],
    contexts: &Contexts,
) -> Owners {
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
