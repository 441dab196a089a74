//! Symbolic values (RELAY fig. 2), with NULL left out of pointers: following it ends the program.

use super::path::{Index, Path, Step};
use crate::ir::{BinaryOperator, FunctionRef};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// What a register or a place may hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Value {
    /// Not assigned yet.
    #[default]
    Nothing,
    /// Any value at all.
    Anything,
    Constant(i128),
    /// What the place held when the function was entered.
    Entry(Path),
    /// The address of exactly this place.
    Address(Path),
    /// The address of one of these places.
    OneOf(BTreeSet<Path>),
    Function(FunctionRef),
}

/// What following a pointer may lead to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Targets {
    Exactly(Path),
    OneOf(BTreeSet<Path>),
    Unknown,
}

/// Longer computations have no name.
const MOST_COMPUTED: usize = 6;

/// More targets than this are as good as any.
const MOST_TARGETS: usize = 6;

impl Value {
    /// The address of a place. `&*p` is the pointer `p` itself.
    pub fn address_of(path: Path) -> Value {
        if let Some((pointer, Step::Deref)) = path.split_last() {
            return Value::Entry(pointer);
        }
        if path.is_too_long() {
            Value::Anything
        } else {
            Value::Address(path)
        }
    }

    /// The one place that the value points to, if it is known.
    pub fn target(&self) -> Option<Cow<'_, Path>> {
        match self {
            Value::Address(path) => Some(Cow::Borrowed(path)),
            Value::Entry(path) => {
                let pointee = path.then(Step::Deref);
                (!pointee.is_too_long()).then_some(Cow::Owned(pointee))
            }
            _ => None,
        }
    }

    /// What the value points to.
    pub fn targets(&self) -> Targets {
        match self {
            Value::OneOf(paths) => Targets::OneOf(paths.clone()),
            value => match value.target() {
                Some(place) => Targets::Exactly(place.into_owned()),
                None => Targets::Unknown,
            },
        }
    }

    /// As the index of an array.
    pub fn as_index(&self) -> Index {
        match self {
            Value::Constant(value) => i64::try_from(*value).map_or(Index::Any, Index::Constant),
            Value::Entry(path) => Index::Entry(path.clone()),
            _ => Index::Any,
        }
    }

    /// What an operation makes of the value and a constant.
    pub fn computed(&self, operator: BinaryOperator, constant: i128) -> Value {
        match self {
            Value::Entry(path) if path.steps.len() < MOST_COMPUTED => {
                match i64::try_from(constant) {
                    Ok(constant) => Value::Entry(path.then(Step::Computed(operator, constant))),
                    Err(_) => Value::Anything,
                }
            }
            Value::Constant(value) => operator
                .on_constants(*value, constant)
                .map_or(Value::Anything, Value::Constant),
            _ => Value::Anything,
        }
    }

    /// Applies a change to every place that the value may point to.
    pub fn map_targets(&self, change: impl Fn(&Path) -> Path) -> Value {
        match self.targets() {
            Targets::Exactly(path) => Value::address_of(change(&path)),
            Targets::OneOf(paths) => Value::OneOf(paths.iter().map(change).collect()),
            Targets::Unknown => Value::Anything,
        }
    }

    /// Makes the value cover `other` too: going up in the lattice, with `Nothing` at the bottom and
    /// `Anything` on top. Returns whether it changed.
    pub fn join(&mut self, other: &Value) -> bool {
        let joined = match (&*self, other) {
            (left, right) if left == right => return false,
            (_, Value::Nothing) | (Value::Anything, _) => return false,
            (Value::Nothing, right) => right.clone(),
            // NULL and a pointer: only the pointer can be followed.
            (Value::Constant(0), pointer) if pointer.is_pointer() => pointer.clone(),
            (pointer, Value::Constant(0)) if pointer.is_pointer() => return false,
            (left, right) => match (left.pointees(), right.pointees()) {
                (Some(mut left), Some(right)) => {
                    left.extend(right);
                    if left.len() > MOST_TARGETS {
                        Value::Anything
                    } else {
                        Value::OneOf(left)
                    }
                }
                _ => Value::Anything,
            },
        };
        if *self == joined {
            return false;
        }
        *self = joined;
        true
    }

    fn is_pointer(&self) -> bool {
        matches!(
            self,
            Value::Entry(_) | Value::Address(_) | Value::OneOf(_) | Value::Function(_)
        )
    }

    fn pointees(&self) -> Option<BTreeSet<Path>> {
        match self.targets() {
            Targets::Exactly(path) => Some(BTreeSet::from([path])),
            Targets::OneOf(paths) => Some(paths),
            Targets::Unknown => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => f.write_str("nothing"),
            Value::Anything => f.write_str("anything"),
            Value::Constant(value) => value.fmt(f),
            Value::Entry(path) => path.fmt(f),
            Value::Address(path) => write!(f, "&{path}"),
            Value::OneOf(paths) => {
                let shown: Vec<String> = paths.iter().map(|path| format!("&{path}")).collect();
                write!(f, "{{{}}}", shown.join(", "))
            }
            Value::Function(function) => f.write_str(&function.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symexec::path::Root;

    fn samples() -> Vec<Value> {
        let path = |index| Path::new(Root::Formal(index));
        let field = |index| path(index).then(Step::Deref);
        vec![
            Value::Nothing,
            Value::Anything,
            Value::Constant(0),
            Value::Constant(7),
            Value::Entry(path(0)),
            Value::Entry(path(1)),
            Value::Address(field(0)),
            Value::Address(path(2)),
            Value::OneOf(BTreeSet::from([path(2), path(3)])),
            Value::OneOf(BTreeSet::from([field(0), path(3), path(4)])),
        ]
    }

    fn joined(left: &Value, right: &Value) -> Value {
        let mut result = left.clone();
        result.join(right);
        result
    }

    /// The same meaning: `&*$0` is the pointer `$0` itself.
    fn same(left: &Value, right: &Value) -> bool {
        left == right || (left.pointees().is_some() && left.pointees() == right.pointees())
    }

    #[test]
    fn joining_obeys_the_laws_of_a_semilattice() {
        for left in samples() {
            assert!(same(&joined(&left, &left), &left), "idempotent: {left}");
            for right in samples() {
                let there = joined(&left, &right);
                assert!(
                    same(&there, &joined(&right, &left)),
                    "commutative: {left} and {right}"
                );
                assert!(
                    same(&joined(&there, &right), &there),
                    "an upper bound: {left} and {right}"
                );
                for third in samples() {
                    let one = joined(&there, &third);
                    let other = joined(&left, &joined(&right, &third));
                    assert!(
                        same(&one, &other),
                        "associative: {left}, {right}, {third}: {one} and {other}"
                    );
                }
            }
        }
    }
}
