//! Values as registers hold them, and C's arithmetic on them. Signed overflow wraps, as with `-fwrapv`.

use crate::frontend::layout::DataModel;
use crate::ir::{BinaryOperator, FloatTy, Ty, TyKind, UnaryOperator};
use std::sync::Arc;
use ustr::Ustr;

/// What a register holds. A pointer is a number that [`super::memory`] can read.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Integer(i128),
    Float(f64),
    /// A struct or union.
    Bytes(Arc<Image>),
    Unknown(Unknown),
}

/// The bytes of an aggregate, some of which may be unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Image {
    pub bytes: Vec<u8>,
    /// Sorted and disjoint.
    pub unknown: Vec<UnknownRange>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UnknownRange {
    pub first: u32,
    pub length: u32,
    pub what: Unknown,
}

/// A value that is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unknown {
    /// One that the program gets from outside: any is possible, and one is chosen as soon as it matters.
    Open(OpenValue),
    /// One that running cannot tell. A path on which it matters ends there, because to guess could show what cannot
    /// happen.
    Closed(Closed),
}

/// Numbered per thread, so that the order of threads does not change the names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct OpenValue {
    pub thread: u32,
    pub number: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Closed {
    /// Memory that nobody has written.
    Uninitialised,
    /// What a library function computes, of which the model does not say what it is.
    Library(Ustr),
    /// A construct that the representation has no value for.
    Unrepresented,
    /// Arithmetic that C leaves undefined.
    Undefined,
}

impl Value {
    pub const ZERO: Value = Value::Integer(0);

    pub fn closed(reason: Closed) -> Value {
        Value::Unknown(Unknown::Closed(reason))
    }
}

/// Brings a number into the range of an integer or pointer type.
pub fn wrap(model: DataModel, value: i128, ty: &Ty) -> i128 {
    let (bits, signed) = match ty.kind() {
        TyKind::Bool => return i128::from(value != 0),
        TyKind::Int(int) => (model.int_bits(int.rank), int.signed),
        _ => (model.pointer_bytes as u32 * 8, false),
    };
    if bits == 0 || bits >= 128 {
        return value;
    }
    let low = value & ((1 << bits) - 1);
    if signed && low >> (bits - 1) == 1 {
        low - (1 << bits)
    } else {
        low
    }
}

/// Converts a known value.
pub fn convert(model: DataModel, value: Value, to: &Ty) -> Value {
    match (value, to.kind()) {
        (Value::Integer(number), TyKind::Float(_)) => Value::Float(round(number as f64, to)),
        (Value::Integer(number), TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_)) => {
            Value::Integer(wrap(model, number, to))
        }
        (Value::Float(number), TyKind::Float(_)) => Value::Float(round(number, to)),
        (Value::Float(number), TyKind::Bool) => Value::Integer(i128::from(number != 0.0)),
        (Value::Float(number), TyKind::Int(_)) => {
            let whole = number.trunc();
            let fits = whole.is_finite() && wrap(model, whole as i128, to) as f64 == whole;
            if fits {
                Value::Integer(whole as i128)
            } else {
                Value::closed(Closed::Undefined)
            }
        }
        (value @ (Value::Bytes(_) | Value::Unknown(_)), _) => value,
        _ => Value::closed(Closed::Unrepresented),
    }
}

/// Only the two formats whose arithmetic is at hand are computed.
fn round(number: f64, ty: &Ty) -> f64 {
    match ty.kind() {
        TyKind::Float(FloatTy::Single) => f64::from(number as f32),
        _ => number,
    }
}

pub fn is_true(value: &Value) -> Option<bool> {
    match value {
        Value::Integer(number) => Some(*number != 0),
        Value::Float(number) => Some(*number != 0.0),
        Value::Bytes(_) | Value::Unknown(_) => None,
    }
}

pub fn unary(model: DataModel, operator: UnaryOperator, value: Value, ty: &Ty) -> Value {
    match (operator, value) {
        (UnaryOperator::Not, value) => match is_true(&value) {
            Some(truth) => Value::Integer(i128::from(!truth)),
            None => Value::closed(Closed::Unrepresented),
        },
        (UnaryOperator::Negate, Value::Integer(number)) => {
            Value::Integer(wrap(model, number.wrapping_neg(), ty))
        }
        (UnaryOperator::Negate, Value::Float(number)) => Value::Float(-number),
        (UnaryOperator::Complement, Value::Integer(number)) => {
            Value::Integer(wrap(model, !number, ty))
        }
        _ => Value::closed(Closed::Unrepresented),
    }
}

/// Both operands are known and have the type `ty`; a shift's right operand has its own.
pub fn binary(
    model: DataModel,
    operator: BinaryOperator,
    left: &Value,
    right: &Value,
    ty: &Ty,
) -> Value {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => {
            let width = match ty.kind() {
                TyKind::Int(int) => model.int_bits(int.rank),
                _ => 64,
            };
            let shifts = matches!(
                operator,
                BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
            );
            if shifts && !(0..i128::from(width.min(64))).contains(right) {
                return Value::closed(Closed::Undefined);
            }
            match operator.fold(*left, *right) {
                Some(result) if operator.is_comparison() => Value::Integer(result),
                Some(result) => Value::Integer(wrap(model, result, ty)),
                None => Value::closed(Closed::Undefined),
            }
        }
        (Value::Float(left), Value::Float(right)) => floats(operator, *left, *right, ty),
        _ => Value::closed(Closed::Unrepresented),
    }
}

fn floats(operator: BinaryOperator, left: f64, right: f64, ty: &Ty) -> Value {
    if !matches!(ty.kind(), TyKind::Float(FloatTy::Single | FloatTy::Double)) {
        return Value::closed(Closed::Unrepresented);
    }
    let truth = |condition: bool| Value::Integer(i128::from(condition));
    let result = match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide => left / right,
        BinaryOperator::Equal => return truth(left == right),
        BinaryOperator::NotEqual => return truth(left != right),
        BinaryOperator::Less => return truth(left < right),
        BinaryOperator::LessOrEqual => return truth(left <= right),
        BinaryOperator::Greater => return truth(left > right),
        BinaryOperator::GreaterOrEqual => return truth(left >= right),
        _ => return Value::closed(Closed::Unrepresented),
    };
    Value::Float(round(result, ty))
}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Value::Integer(number) => number.hash(state),
            Value::Float(number) => number.to_bits().hash(state),
            Value::Bytes(image) => image.hash(state),
            Value::Unknown(unknown) => unknown.hash(state),
        }
    }
}
