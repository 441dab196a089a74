//! The orders of a program that was edited: those of before, but for the signals to which something else is done.

use super::ordering::Orders;
use super::postings::{Posted, Postings, flags_in};
use super::whole_program::WholeProgram;
use crate::accesses::Facts;
use crate::callgraph::FunctionId;
use crate::points_to::{Changes, Class};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl WholeProgram {
    /// The orders after an edit; `None` if they have to be found anew.
    pub(super) fn orders_again(
        &self,
        now: Posted<'_>,
        facts: &Facts,
        changes: &Changes,
    ) -> Option<Arc<Orders>> {
        let mut classes = self.ordering_otherwise(now, facts, changes)?;
        classes.extend(now.objects.ordering_otherwise(&self.kept.objects)?);
        let orders = match classes.is_empty() {
            true => self.orders.clone(),
            false => {
                let postings = Postings::find(now, facts, Some(&classes));
                Arc::new(postings.orders_in(&self.orders))
            }
        };
        debug_assert!(*orders == Postings::find(now, facts, None).orders());
        Some(orders)
    }

    /// The classes to which functions do something else than before, or other functions do. `None` if that is not all.
    fn ordering_otherwise(
        &self,
        now: Posted<'_>,
        facts: &Facts,
        changes: &Changes,
    ) -> Option<FxHashSet<Class>> {
        let before = Posted {
            functions: &self.functions,
            points_to: &self.points_to,
            objects: &self.kept.objects,
            contexts: &self.contexts,
        };
        let mut different = now.contexts.entered_otherwise_since(before.contexts)?;
        different.extend(self.with_other_facts(facts));
        different.extend(now.functions.edited_since(before.functions));
        let mut classes = FxHashSet::default();
        for function in different {
            let index = function.0 as usize;
            let new = Postings::of_function(now, function, &facts[index]);
            let old = Postings::of_function(before, function, &self.kept.facts[index]);
            classes.extend(new.different_from(&old)?);
        }
        if changes.are_structural() {
            // Whoever writes a whole object writes the flags in it.
            let mut seen: FxHashSet<Class> = FxHashSet::default();
            for (index, facts) in self.kept.facts.iter().enumerate() {
                if before.contexts.count(FunctionId(index as u32)) == 0 {
                    continue;
                }
                let whole = facts.accesses.iter().filter(|access| access.cell.whole);
                for class in whole.map(|access| access.cell.class) {
                    if seen.insert(class) && changes.touch_parts(class, before.points_to) {
                        let flags = |posted: Posted<'_>| -> FxHashSet<Class> {
                            let flags = flags_in(posted.points_to, now.objects, class);
                            flags.into_iter().collect()
                        };
                        classes.extend(flags(now).symmetric_difference(&flags(before)));
                    }
                }
            }
        }
        Some(classes)
    }
}
