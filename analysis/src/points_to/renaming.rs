//! The relation after an edit by which functions say the same about pointers, under other names of their own registers
//! and statements: it need not be solved again.

use super::changes::Changes;
use super::constraints::{CalleeTerm, Constraints, Term};
use super::graph::NONE;
use super::solution::{CallTargets, FunctionClasses, PointsTo};
use crate::ir::{FunctionRef, LocalId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A function with what it said before and says now.
pub type SaidAgain<'c> = (FunctionRef, &'c Arc<Constraints>, &'c Arc<Constraints>);

impl PointsTo {
    /// The relation with the new names; `None` if one of these functions says something else, or its name is not its own.
    pub fn renamed(&self, changed: &[SaidAgain<'_>]) -> Option<(PointsTo, Changes)> {
        let is_renaming = |(function, before, now): &SaidAgain<'_>| {
            !self.functions.is_ambiguous(*function) && now.is_renaming_of(before)
        };
        if !changed.iter().all(is_renaming) {
            return None;
        }
        let mut renamed = self.clone();
        for (function, before, now) in changed {
            let classes = self.functions.get(*function)?.renamed(before, now);
            renamed.functions.replace(*function, Arc::new(classes));
            if let Some(targets) = self.call_targets.get(*function) {
                let targets = renamed_targets(targets, before, now);
                renamed.call_targets.replace(*function, Arc::new(targets));
            }
        }
        Some((renamed, Changes::of_names()))
    }
}

impl FunctionClasses {
    fn renamed(&self, before: &Constraints, now: &Constraints) -> FunctionClasses {
        let mut classes = FunctionClasses::default();
        for (old, new) in before.terms.iter().zip(&now.terms) {
            match (old, new) {
                (Term::Register(old), Term::Register(new)) => {
                    classes.set_register(*new, self.register(*old));
                }
                (Term::Memory(old), Term::Memory(new)) => {
                    let class = self.memory.get(old).copied();
                    classes.memory.extend(class.map(|class| (*new, class)));
                }
                (Term::String(old), Term::String(new)) => {
                    let class = self.strings.get(old).copied();
                    classes.strings.extend(class.map(|class| (*new, class)));
                }
                _ => {}
            }
        }
        for ((old, _), (new, _)) in before.aliases.iter().zip(&now.aliases) {
            classes.set_register(*new, self.register(*old));
        }
        classes
    }

    fn register(&self, local: LocalId) -> u32 {
        let class = self.registers.get(local.0 as usize);
        class.copied().unwrap_or(NONE)
    }
}

fn renamed_targets(targets: &CallTargets, before: &Constraints, now: &Constraints) -> CallTargets {
    let calls = before.calls.iter().zip(&now.calls);
    let indirect = calls.filter(|(call, _)| matches!(call.callee, CalleeTerm::Indirect(_)));
    let renamed = indirect.filter_map(|(old, new)| {
        let reached = targets.get(&old.site)?;
        Some((new.site, reached.clone()))
    });
    renamed.collect::<FxHashMap<_, _>>()
}
