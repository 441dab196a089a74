//! Puts a caller's values in place of a callee's formals (RELAY fig. 5).

use super::path::{Index, Path, Root, Site, Step};
use super::state::State;
use super::value::{Targets, Value};
use std::collections::BTreeSet;

/// The state of the caller in front of a call, and the arguments.
pub struct Rebinding<'r> {
    state: &'r State,
    arguments: &'r [Value],
    /// Where the call stands, and the allocations of the callee that it may stand for.
    call: Option<(Site, &'r [Site])>,
    /// What the call returns.
    result: Option<Value>,
}

impl<'r> Rebinding<'r> {
    pub fn new(state: &'r State, arguments: &'r [Value]) -> Rebinding<'r> {
        Rebinding {
            state,
            arguments,
            call: None,
            result: None,
        }
    }

    /// The callee's result has this name for the caller.
    pub fn returning(mut self, result: Option<Value>) -> Rebinding<'r> {
        self.result = result;
        self
    }

    /// Objects that the callee makes are named by the call: each call makes others.
    pub fn at(mut self, call: Site, allocations: &'r [Site]) -> Rebinding<'r> {
        self.call = Some((call, allocations));
        self
    }

    fn heap(&self, site: Site) -> Root {
        match self.call {
            Some((call, allocations)) => match allocations.binary_search(&site) {
                Ok(index) => Root::Heap(Site {
                    part: index as u32 + 1,
                    ..call
                }),
                Err(_) => Root::Somewhere,
            },
            None => Root::Somewhere,
        }
    }

    fn argument(&self, index: u32) -> Value {
        let argument = self.arguments.get(index as usize);
        argument.cloned().unwrap_or(Value::Anything)
    }

    /// What the callee's place is for the caller.
    pub fn path(&self, path: &Path) -> Targets {
        let (start, steps) = match path.root {
            Root::Global(_)
            | Root::Frame(..)
            | Root::ForeignFrame(..)
            | Root::PerThread(_)
            | Root::Ticket(_)
            | Root::Somewhere => {
                // As far as nothing is looked up on the way, the caller calls it the same.
                let looks_up = path
                    .steps
                    .iter()
                    .position(|step| matches!(step, Step::Deref | Step::Index(Index::Entry(_))));
                let same = looks_up.unwrap_or(path.steps.len());
                let start = path.beginning(same);
                if start.is_too_long() {
                    return Targets::Unknown;
                }
                (Targets::Exactly(start), &path.steps[same..])
            }
            Root::Heap(site) => (
                Targets::Exactly(Path::new(self.heap(site))),
                path.steps.as_slice(),
            ),
            Root::Formal(index) => match path.steps.split_first() {
                Some((Step::Deref, rest)) => (self.argument(index).targets(), rest),
                // The variable of the formal itself is gone when the callee returns.
                _ => return Targets::Unknown,
            },
            Root::Result => match (&self.result, path.steps.split_first()) {
                (Some(result), Some((Step::Deref, rest))) => (result.targets(), rest),
                _ => return Targets::Unknown,
            },
            Root::Local(_) | Root::Value(_) | Root::Given(_) => return Targets::Unknown,
        };
        let mut targets = start;
        // What a pointer points to is element 0 of what it points into.
        let mut behind_pointer = matches!(path.root, Root::Formal(_) | Root::Result);
        for step in steps {
            targets = self.step(targets, step, behind_pointer);
            behind_pointer = *step == Step::Deref;
        }
        targets
    }

    /// What the callee's value is for the caller.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::Nothing | Value::Anything | Value::Constant(_) | Value::Function(_) => {
                value.clone()
            }
            Value::Entry(path) if path.steps.is_empty() => match path.root {
                Root::Formal(index) => self.argument(index),
                Root::Somewhere => Value::Anything,
                _ => self.state.read(&self.path(path)),
            },
            Value::Entry(path) if path.root == Root::Somewhere => Value::Anything,
            Value::Entry(path) if matches!(path.steps.last(), Some(Step::Computed(..))) => {
                path.computation(&|value| self.value(value))
            }
            Value::Entry(path) => self.state.read(&self.path(path)),
            Value::Address(path) => address(self.path(path)),
            Value::OneOf(paths) => {
                let mut joined = Value::Nothing;
                for path in paths {
                    joined.join(&address(self.path(path)));
                }
                joined
            }
        }
    }

    fn step(&self, targets: Targets, step: &Step, behind_pointer: bool) -> Targets {
        let each = |path: Path| -> Targets {
            let path = match step {
                Step::Deref => return self.state.read_path(&path).targets(),
                Step::Index(index) => {
                    let index = self.index(index);
                    if behind_pointer {
                        path.element(index)
                    } else {
                        path.then(Step::Index(index))
                    }
                }
                Step::Field { .. } | Step::Bytes(_) | Step::Computed(..) => path.then(step.clone()),
            };
            if path.is_too_long() {
                Targets::Unknown
            } else {
                Targets::Exactly(path)
            }
        };
        match targets {
            Targets::Exactly(path) => each(path),
            Targets::OneOf(paths) => {
                let mut all = BTreeSet::new();
                for path in paths {
                    match each(path) {
                        Targets::Exactly(path) => all.extend([path]),
                        Targets::OneOf(paths) => all.extend(paths),
                        Targets::Unknown => return Targets::Unknown,
                    }
                }
                Targets::OneOf(all)
            }
            Targets::Unknown => Targets::Unknown,
        }
    }

    fn index(&self, index: &Index) -> Index {
        match index {
            Index::Constant(_) | Index::Any => index.clone(),
            Index::Entry(path) => self.value(&Value::Entry(path.clone())).as_index(),
        }
    }
}

fn address(targets: Targets) -> Value {
    match targets {
        Targets::Exactly(path) => Value::address_of(path),
        Targets::OneOf(paths) => Value::OneOf(paths),
        Targets::Unknown => Value::Anything,
    }
}
