//! What is known where a function is entered.

use super::absolute::Binder;
use crate::accesses::CallFact;
use crate::callgraph::FunctionId;
use crate::ir::{FunctionRef, RecordRef, StatementId};
use crate::locksets::{Lockset, Mode};
use crate::symexec::{Path, Root, Step, Targets, Value};
use std::collections::{BTreeMap, BTreeSet};
use ustr::Ustr;

/// One way to be entered. Several calls that agree on all of it are one context.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context {
    /// Locks that are certainly held, in terms of the function's formals or by names that everybody
    /// knows; the same lock may stand here under both.
    pub held: BTreeMap<Path, Held>,
    /// Locks that are held in objects without a name, by the member that they are.
    pub held_somewhere: BTreeSet<(RecordRef, Ustr)>,
    /// What the formals are, as everybody knows it.
    pub bindings: Vec<Value>,
}

/// A lock held at entry, and who took it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Held {
    pub mode: Mode,
    pub by: FunctionId,
    pub at: Option<StatementId>,
}

/// A context of a function, by its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ContextId(pub u32);

impl Context {
    /// What is held at a point of the function: what the entry holds and nobody released since, and what
    /// was taken since.
    pub fn held_at(&self, since: &Lockset, function: FunctionId) -> BTreeMap<Path, Held> {
        let mut held: BTreeMap<Path, Held> = BTreeMap::new();
        if !since.released_any() {
            let kept = self.held.iter().filter(|(path, _)| !since.may_release(path));
            held.extend(kept.map(|(path, held)| (path.clone(), *held)));
        }
        for (path, hold) in since.held() {
            let at = Held {
                mode: hold.mode,
                by: function,
                at: hold.taken,
            };
            let known = held.entry(path.clone()).or_insert(at);
            known.mode = known.mode.max(hold.mode);
        }
        held
    }

    /// The context of a callee.
    pub fn of_call(
        &self,
        caller: FunctionId,
        name: FunctionRef,
        call: &CallFact,
        parameters: usize,
    ) -> Context {
        let binder = Binder {
            function: name,
            bindings: &self.bindings,
        };
        let mut context = Context {
            held_somewhere: self.held_somewhere.clone(),
            ..Context::default()
        };
        for (path, held) in self.held_at(&call.locks, caller) {
            let mut is_named = false;
            for (index, argument) in call.arguments.iter().enumerate().take(parameters) {
                if let Targets::Exactly(target) = argument.targets()
                    && let Some(rest) = inside(&path, &target)
                {
                    let mut renamed = Path::new(Root::Formal(index as u32)).then(Step::Deref);
                    renamed.steps.extend_from_slice(rest);
                    context.held.insert(renamed, held);
                    is_named = true;
                }
            }
            if let Some(absolute) = binder.path(&path)
                && !absolute.has_unknown_index()
            {
                context.held.insert(absolute, held);
                is_named = true;
            }
            if !is_named && let Some(field) = path.last_field() {
                context.held_somewhere.insert(field);
            }
        }
        context.bindings = (0..parameters)
            .map(|index| {
                let argument = call.arguments.get(index);
                argument.map_or(Value::Anything, |argument| binder.value(argument))
            })
            .collect();
        context
    }

    /// The context that covers both: what is held in both, and formals that are the same in both.
    pub fn joined(&self, other: &Context) -> Context {
        let held = self.held.iter().filter_map(|(path, mine)| {
            let theirs = other.held.get(path)?;
            let mode = mine.mode.min(theirs.mode);
            Some((path.clone(), Held { mode, ..*mine }))
        });
        let bindings = self.bindings.iter().zip(&other.bindings);
        Context {
            held: held.collect(),
            held_somewhere: &self.held_somewhere & &other.held_somewhere,
            bindings: bindings
                .map(|(mine, theirs)| {
                    if mine == theirs {
                        mine.clone()
                    } else {
                        Value::Anything
                    }
                })
                .collect(),
        }
    }
}

/// If a place lies in another one: the steps from there.
fn inside<'p>(path: &'p Path, object: &Path) -> Option<&'p [Step]> {
    (path.root == object.root && path.steps.starts_with(&object.steps))
        .then(|| &path.steps[object.steps.len()..])
}
