//! Names for what a caller has no name for that a callee would understand, where it gives the callee two things
//! that lie together: an object and its lock, or a member while it holds the lock beside it.

use super::absolute::Binder;
use crate::ir::RecordRef;
use crate::symexec::{Index, Path, Root, Step, Value};
use std::collections::BTreeSet;

/// The values of a caller that get numbers in the context of a callee.
pub(super) struct Given<'g> {
    binder: Binder<'g>,
    /// The value with each number, as the caller calls it.
    values: Vec<Path>,
}

impl<'g> Given<'g> {
    /// Looks for values that lead to more than one of a call's arguments, or to an argument and to a lock that
    /// the arguments do not lead to. A member is told by the record that it lies in, too, if such a lock lies in
    /// another record of that type: it is not the member's.
    pub fn of_call<'l>(
        binder: Binder<'g>,
        arguments: &[Value],
        locks: impl Iterator<Item = &'l Path>,
    ) -> Given<'g> {
        let mut given = Given {
            binder,
            values: Vec::new(),
        };
        let uses: Vec<Uses> = arguments.iter().map(|value| given.uses(value)).collect();
        let locks: Vec<(Vec<Path>, BTreeSet<RecordRef>)> = locks
            .map(|lock| (given.behind(&given.resolved(lock)), records(lock)))
            .collect();
        for (index, argument) in uses.iter().enumerate() {
            let around = match &arguments[index] {
                Value::Address(path) => records(path),
                _ => BTreeSet::new(),
            };
            for value in argument.all() {
                let others = || {
                    let others = uses.iter().enumerate();
                    others.filter_map(|(other, uses)| (other != index).then_some(uses))
                };
                let beside = match argument {
                    // The same value twice is no news.
                    Uses::Itself(_) => others().any(|other| other.leads_from(value)),
                    Uses::Behind(_) => others().any(|other| other.all().contains(value)),
                };
                let with_lock = locks
                    .iter()
                    .any(|(lock, records)| lock.contains(value) || !records.is_disjoint(&around));
                if (beside || with_lock) && !given.values.contains(value) {
                    given.values.push(value.clone());
                }
            }
        }
        given
    }

    /// An argument, as the callee's context calls it.
    pub fn value(&self, argument: &Value) -> Value {
        let everywhere = self.binder.value(argument);
        let named = match self.resolved_value(argument) {
            Value::Entry(path) => self.number(&path).map(Value::Entry),
            Value::Address(path) => self.path(&path).map(Value::Address),
            _ => None,
        };
        named.unwrap_or_else(|| known(everywhere))
    }

    /// A value in terms of the numbers of the caller's own context, if those lead to it.
    fn resolved_value(&self, value: &Value) -> Value {
        let everywhere = self.binder.value(value);
        if mentions_given(&everywhere) {
            everywhere
        } else {
            value.clone()
        }
    }

    fn resolved(&self, path: &Path) -> Path {
        let everywhere = self.binder.path(path).filter(Path::mentions_given);
        everywhere.unwrap_or_else(|| path.clone())
    }

    /// A place, as the callee's context calls it, if the callee was given what leads there.
    pub fn path(&self, path: &Path) -> Option<Path> {
        let path = &self.resolved(path);
        let element = |index: &Index| {
            let number = match index {
                Index::Entry(value) => self.number(value).map(Index::Entry),
                _ => None,
            };
            number.unwrap_or_else(|| {
                let index = self.binder.index(index);
                if is_unknown(&index) {
                    Index::Any
                } else {
                    index
                }
            })
        };
        let named = match self.pointer(path) {
            Some((pointer, inside)) => {
                let object = self.number(&pointer)?.then(Step::Deref);
                let steps = inside.iter().map(|step| match step {
                    Step::Index(index) => Step::Index(element(index)),
                    step => step.clone(),
                });
                object.extended(&steps.collect::<Vec<_>>())
            }
            None => self.binder.path_with(path, &element)?,
        };
        (named.mentions_given() && !named.is_too_long()).then_some(named)
    }

    fn number(&self, value: &Path) -> Option<Path> {
        let (value, computation) = without_computation(value);
        let number = self.values.iter().position(|known| *known == value)?;
        Some(Path::new(Root::Given(number as u32)).extended(&computation))
    }

    fn uses(&self, argument: &Value) -> Uses {
        match self.resolved_value(argument) {
            Value::Entry(path) if known(self.binder.value(argument)) == Value::Anything => {
                Uses::Itself([without_computation(&path).0])
            }
            Value::Address(path) => Uses::Behind(self.behind(&path)),
            _ => Uses::Behind(Vec::new()),
        }
    }

    /// The values without a name that lead to a place: the last pointer on the way, and indices.
    fn behind(&self, path: &Path) -> Vec<Path> {
        let (mut values, inside) = match self.pointer(path) {
            Some((pointer, inside)) => (vec![pointer], inside),
            None => (Vec::new(), path.steps.as_slice()),
        };
        for step in inside {
            if let Step::Index(index @ Index::Entry(value)) = step
                && is_unknown(&self.binder.index(index))
            {
                values.push(without_computation(value).0);
            }
        }
        values
    }

    /// The last pointer on the way to a place, if it has no name that everybody knows, and the steps from there.
    fn pointer<'p>(&self, path: &'p Path) -> Option<(Path, &'p [Step])> {
        let at = path.steps.iter().rposition(|step| *step == Step::Deref)?;
        let object = self.binder.path(&path.beginning(at + 1));
        let is_known = object.is_some_and(|object| {
            let is_any = |step: &Step| *step == Step::Index(Index::Any);
            !object.mentions_given() && !object.steps.iter().any(is_any)
        });
        (!is_known).then(|| (path.beginning(at), &path.steps[at + 1..]))
    }
}

/// The values that an argument is made of.
enum Uses {
    Itself([Path; 1]),
    /// They lead to what it points to.
    Behind(Vec<Path>),
}

impl Uses {
    fn all(&self) -> &[Path] {
        match self {
            Uses::Itself(value) => value,
            Uses::Behind(values) => values,
        }
    }

    fn leads_from(&self, value: &Path) -> bool {
        matches!(self, Uses::Behind(values) if values.contains(value))
    }
}

/// The records that a place lies in.
fn records(path: &Path) -> BTreeSet<RecordRef> {
    let inside = path.steps.iter().rev();
    let inside = inside.take_while(|step| **step != Step::Deref);
    inside
        .filter_map(|step| match step {
            Step::Field { record, .. } => Some(*record),
            _ => None,
        })
        .collect()
}

/// A value as everybody knows it: numbers of the caller's own context mean nothing to a callee.
pub(super) fn known(value: Value) -> Value {
    if mentions_given(&value) {
        Value::Anything
    } else {
        value
    }
}

fn mentions_given(value: &Value) -> bool {
    match value {
        Value::Entry(path) | Value::Address(path) => path.mentions_given(),
        Value::OneOf(paths) => paths.iter().any(Path::mentions_given),
        _ => false,
    }
}

fn is_unknown(index: &Index) -> bool {
    match index {
        Index::Any => true,
        Index::Entry(path) => path.mentions_given(),
        Index::Constant(_) => false,
    }
}

/// What a value is computed from, and how.
fn without_computation(value: &Path) -> (Path, Vec<Step>) {
    let is_plain = |step: &Step| !matches!(step, Step::Computed(..));
    let end = value
        .steps
        .iter()
        .rposition(is_plain)
        .map_or(0, |at| at + 1);
    (value.beginning(end), value.steps[end..].to_vec())
}
