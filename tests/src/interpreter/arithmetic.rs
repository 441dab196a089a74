//! C's arithmetic on values of C's types. Signed overflow wraps, as with `-fwrapv`.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::ir::{BinaryOperator, FloatTy, Ty, TyKind, UnaryOperator};

use super::{Fault, Value};

/// Brings a number into the range of an integer or pointer type.
pub fn wrap(value: i128, ty: &Ty) -> i128 {
    let (bits, signed) = match ty.kind() {
        TyKind::Bool => return i128::from(value != 0),
        TyKind::Int(int) => (DataModel::LP64.int_bits(int.rank), int.signed),
        _ => (64, false),
    };
    if bits == 128 {
        return value;
    }
    let low = value & ((1 << bits) - 1);
    if signed && low >> (bits - 1) == 1 {
        low - (1 << bits)
    } else {
        low
    }
}

/// Whether the value is one that the type has.
pub fn is_of_type(value: &Value, ty: &Ty) -> bool {
    match (value, ty.kind()) {
        (Value::Integer(number), TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_)) => {
            wrap(*number, ty) == *number
        }
        (Value::Float(number), TyKind::Float(_)) => {
            round(*number, ty) == *number || number.is_nan()
        }
        (Value::Bytes(_), TyKind::Record(_)) => true,
        _ => false,
    }
}

pub fn convert(value: Value, to: &Ty) -> Result<Value, Fault> {
    Ok(match (value, to.kind()) {
        (Value::Integer(number), TyKind::Float(_)) => Value::Float(round(number as f64, to)),
        (Value::Integer(number), _) => Value::Integer(wrap(number, to)),
        (Value::Float(number), TyKind::Float(_)) => Value::Float(round(number, to)),
        (Value::Float(number), TyKind::Bool) => Value::Integer(i128::from(number != 0.0)),
        (Value::Float(number), TyKind::Int(_)) => Value::Integer(wrap(number as i128, to)),
        (value, _) => return Fault::new(format!("no conversion of {value:?} to `{to}`")),
    })
}

fn round(number: f64, ty: &Ty) -> f64 {
    match ty.kind() {
        TyKind::Float(FloatTy::Single) => f64::from(number as f32),
        _ => number,
    }
}

pub fn is_true(value: &Value) -> Result<bool, Fault> {
    match value {
        Value::Integer(number) => Ok(*number != 0),
        Value::Float(number) => Ok(*number != 0.0),
        Value::Bytes(_) => Fault::new("a struct as a condition"),
    }
}

pub fn unary(operator: UnaryOperator, value: Value, ty: &Ty) -> Result<Value, Fault> {
    Ok(match (operator, value) {
        (UnaryOperator::Not, value) => Value::Integer(i128::from(!is_true(&value)?)),
        (UnaryOperator::Negate, Value::Integer(number)) => Value::Integer(wrap(-number, ty)),
        (UnaryOperator::Negate, Value::Float(number)) => Value::Float(-number),
        (UnaryOperator::Complement, Value::Integer(number)) => Value::Integer(wrap(!number, ty)),
        (operator, value) => return Fault::new(format!("{}{value:?}", operator.symbol())),
    })
}

/// Both operands have the type `ty`; a shift's right operand has its own.
pub fn binary(
    operator: BinaryOperator,
    left: Value,
    right: Value,
    ty: &Ty,
) -> Result<Value, Fault> {
    let shifts = matches!(
        operator,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
    );
    if !is_of_type(&left, ty) || (!shifts && !is_of_type(&right, ty)) {
        return Fault::new(format!(
            "{left:?} {} {right:?} is no operation on `{ty}`",
            operator.symbol()
        ));
    }
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => {
            integers(operator, left, right, ty).map(Value::Integer)
        }
        (Value::Float(left), Value::Float(right)) => floats(operator, left, right, ty),
        _ => Fault::new("an operation on structs"),
    }
}

fn integers(operator: BinaryOperator, left: i128, right: i128, ty: &Ty) -> Result<i128, Fault> {
    let truth = |condition: bool| Ok(i128::from(condition));
    let result = match operator {
        BinaryOperator::Add => left.wrapping_add(right),
        BinaryOperator::Subtract => left.wrapping_sub(right),
        BinaryOperator::Multiply => left.wrapping_mul(right),
        BinaryOperator::Divide | BinaryOperator::Remainder if right == 0 => {
            return Fault::new("a division by zero");
        }
        BinaryOperator::Divide => left / right,
        BinaryOperator::Remainder => left % right,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if !(0..64).contains(&right) => {
            return Fault::new(format!("a shift by {right}"));
        }
        BinaryOperator::ShiftLeft => left << right,
        BinaryOperator::ShiftRight => left >> right,
        BinaryOperator::And => left & right,
        BinaryOperator::Or => left | right,
        BinaryOperator::Xor => left ^ right,
        BinaryOperator::Equal => return truth(left == right),
        BinaryOperator::NotEqual => return truth(left != right),
        BinaryOperator::Less => return truth(left < right),
        BinaryOperator::LessOrEqual => return truth(left <= right),
        BinaryOperator::Greater => return truth(left > right),
        BinaryOperator::GreaterOrEqual => return truth(left >= right),
    };
    Ok(wrap(result, ty))
}

fn floats(operator: BinaryOperator, left: f64, right: f64, ty: &Ty) -> Result<Value, Fault> {
    let truth = |condition: bool| Ok(Value::Integer(i128::from(condition)));
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
        _ => return Fault::new(format!("{} on `{ty}`", operator.symbol())),
    };
    Ok(Value::Float(round(result, ty)))
}
