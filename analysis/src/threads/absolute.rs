//! Names that mean the same in every function: a function's own names with its formals filled in.

use crate::ir::Body;
use crate::symexec::{Index, Path, Root, Step, Steps, Value, push_element};
use std::collections::BTreeMap;

/// Whether a name that everybody knows stands for one object only.
// UNSOUND: a lock or a signal that is named through a pointer in a global variable is taken to be the same
// object wherever that name is used.
pub fn is_unique(path: &Path) -> bool {
    let is_single = match path.root {
        Root::Global(_) => true,
        Root::Frame(function, _) | Root::ForeignFrame(function, _) => function.name == "main",
        _ => false,
    };
    is_single && !path.has_unknown_index()
}

/// What the formals of a function are in one context.
#[derive(Clone, Copy)]
pub struct Binder<'b> {
    pub body: &'b Body,
    pub bindings: &'b [Value],
    /// What places that formals lead to hold.
    pub contents: &'b BTreeMap<Path, Value>,
}

/// Whether a path is a number that each thread has for itself or has taken, or one of the context, or computed
/// from it.
fn is_number(path: &Path) -> bool {
    let is_computed = |step: &Step| matches!(step, Step::Computed(..));
    let is_number = matches!(
        path.root,
        Root::PerThread(_) | Root::Ticket(_) | Root::Given(_)
    );
    is_number && path.steps.iter().all(is_computed)
}

/// A value that is handed to another thread: locals of this one are foreign there.
pub(super) fn handed_over(value: Value) -> Value {
    let hand = |path: Path| match path.root {
        Root::Frame(function, variable) => path.from_root(Root::ForeignFrame(function, variable)),
        _ => path,
    };
    let is_private = |path: &Path| matches!(path.root, Root::Global(global) if global.thread_local);
    // There, the name would mean another variable, or another number.
    let is_own = |path: &Path| is_private(path) || path.mentions_ticket();
    match value {
        Value::Entry(path) | Value::Address(path) if is_own(&path) => Value::Anything,
        Value::OneOf(paths) if paths.iter().any(is_own) => Value::Anything,
        Value::Entry(path) => Value::Entry(hand(path)),
        Value::Address(path) => Value::Address(hand(path)),
        Value::OneOf(paths) => Value::OneOf(paths.into_iter().map(hand).collect()),
        other => other,
    }
}

impl Binder<'_> {
    /// The value as everybody knows it; `Anything` if only this activation does.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::Constant(_) | Value::Function(_) | Value::Nothing | Value::Anything => {
                value.clone()
            }
            Value::Entry(path) => match (path.root, path.steps.as_slice()) {
                (Root::Formal(index), []) => self.formal(index),
                (_, [.., Step::Computed(..)]) => path.computation(&|value| self.value(value)),
                _ if self.contents.contains_key(path) => self.contents[path].clone(),
                _ => self.path(path).map_or(Value::Anything, Value::Entry),
            },
            Value::Address(path) => self.path(path).map_or(Value::Anything, Value::Address),
            Value::OneOf(paths) => paths
                .iter()
                .map(|path| self.path(path))
                .collect::<Option<_>>()
                .map_or(Value::Anything, Value::OneOf),
        }
    }

    /// The place as everybody knows it.
    pub fn path(&self, path: &Path) -> Option<Path> {
        self.path_with(path, &|index| self.index(index))
    }

    /// The place, if it has a name outside this context.
    pub(super) fn known_path(&self, path: &Path) -> Option<Path> {
        self.path(path).filter(|path| !path.mentions_given())
    }

    /// The place as everybody knows it, but for its elements.
    pub(super) fn path_with(&self, path: &Path, element: &dyn Fn(&Index) -> Index) -> Option<Path> {
        let (root, mut steps, rest) = match path.root {
            Root::Global(_)
            | Root::Heap(_)
            | Root::Frame(..)
            | Root::ForeignFrame(..)
            | Root::PerThread(_)
            | Root::Ticket(_)
            | Root::Given(_) => {
                let is_element = |step: &Step| matches!(step, Step::Index(_));
                if !path.steps.iter().any(is_element) {
                    return (!path.is_too_long()).then(|| path.clone());
                }
                (path.root, Steps::new(), path.steps.as_slice())
            }
            Root::Local(local) => (
                Root::Frame(self.body.function, self.body.variable(local)),
                Steps::new(),
                path.steps.as_slice(),
            ),
            Root::Formal(index) => match path.steps.split_first() {
                Some((Step::Deref, rest)) => {
                    let target = self.bindings.get(index as usize)?.target()?;
                    if rest.is_empty() {
                        return (!target.is_too_long()).then(|| target.into_owned());
                    }
                    (target.root, target.steps.clone(), rest)
                }
                _ => return None,
            },
            Root::Value(_) | Root::Result | Root::Somewhere => return None,
        };
        let mut behind_pointer = matches!(path.root, Root::Formal(_));
        for step in rest {
            let is_counted = std::mem::replace(&mut behind_pointer, *step == Step::Deref);
            match step {
                Step::Index(index) if is_counted => push_element(&mut steps, element(index)),
                Step::Index(index) => steps.push(Step::Index(element(index))),
                step => steps.push(step.clone()),
            }
        }
        let result = Path::with_steps(root, steps);
        (!result.is_too_long()).then_some(result)
    }

    /// The place by the one name that means the same object in every thread, if it has one.
    pub fn unique(&self, path: &Path) -> Option<Path> {
        let found = self.path(path).filter(is_unique)?;
        match found.root {
            Root::Global(global) if global.thread_local => None,
            // For the thread itself and for others, this is one variable.
            Root::Frame(function, variable) => {
                Some(found.from_root(Root::ForeignFrame(function, variable)))
            }
            _ => Some(found),
        }
    }

    fn formal(&self, index: u32) -> Value {
        let bound = self.bindings.get(index as usize);
        bound.cloned().unwrap_or(Value::Anything)
    }

    pub(super) fn index(&self, index: &Index) -> Index {
        match index {
            Index::Constant(_) | Index::Any => index.clone(),
            Index::Entry(path) => match self.value(&Value::Entry(path.clone())) {
                Value::Entry(path) if !is_number(&path) => Index::Any,
                value => value.as_index(),
            },
        }
    }
}
