//! What is certain about a value.

use crate::ir::{BinaryOperator, IntRank, Operand, Rvalue, Ty, TyKind, UnaryOperator};

/// What a value certainly is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Certain {
    /// A number that is the same in every integer type which may hold it here.
    Number(i32),
    NotZero,
}

/// What a function passes on, in its own terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passed {
    Certainly(Certain),
    /// Whatever this formal of it is.
    Formal(u32),
}

/// One step from a formal to the value that a branch tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Convert(Ty),
    Unary(UnaryOperator),
    /// With this number on the right.
    Before(BinaryOperator, i32),
    /// With this number on the left.
    Behind(i32, BinaryOperator),
}

impl Certain {
    /// A number, unless its meaning depends on the type: negative ones and large ones are left out.
    pub fn number(value: i128) -> Option<Certain> {
        let number = i32::try_from(value).ok()?;
        (number >= 0).then_some(Certain::Number(number))
    }

    pub(super) fn after(self, operation: &Operation) -> Option<Certain> {
        match operation {
            Operation::Convert(to) => self.converted(to),
            Operation::Unary(UnaryOperator::Not) => {
                Some(Certain::Number(i32::from(self == Certain::Number(0))))
            }
            Operation::Unary(_) => None,
            Operation::Before(operator, right) => folded(*operator, self, Certain::Number(*right)),
            Operation::Behind(left, operator) => folded(*operator, Certain::Number(*left), self),
        }
    }

    fn converted(self, to: &Ty) -> Option<Certain> {
        match (self, to.kind()) {
            (Certain::NotZero, TyKind::Pointer(_)) => Some(self),
            (_, TyKind::Bool) => Some(Certain::Number(i32::from(self != Certain::Number(0)))),
            (_, TyKind::Int(int)) if matches!(int.rank, IntRank::BitInt(_)) => None,
            (Certain::Number(number), TyKind::Int(int)) => {
                let is_kept = int.rank >= IntRank::Int || number <= i32::from(i8::MAX);
                is_kept.then_some(self)
            }
            (Certain::Number(_), TyKind::Pointer(_)) => Some(self),
            _ => None,
        }
    }
}

/// What an operation on two such values gives.
fn folded(operator: BinaryOperator, left: Certain, right: Certain) -> Option<Certain> {
    match (left, right) {
        (Certain::Number(left), Certain::Number(right)) => {
            let (left, right) = (i128::from(left), i128::from(right));
            if operator.is_comparison() {
                operator.fold(left, right).and_then(Certain::number)
            } else {
                operator.on_constants(left, right).and_then(Certain::number)
            }
        }
        (Certain::NotZero, Certain::Number(0)) | (Certain::Number(0), Certain::NotZero) => {
            match operator {
                BinaryOperator::Equal => Some(Certain::Number(0)),
                BinaryOperator::NotEqual => Some(Certain::Number(1)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The step that an operation on a register and perhaps a number is.
pub(super) fn operation<'v>(
    value: &'v Rvalue,
    target: &Ty,
) -> Option<(&'v Operand, Option<Operation>)> {
    let small = |number: &i128| match Certain::number(*number) {
        Some(Certain::Number(number)) => Some(number),
        _ => None,
    };
    match value {
        Rvalue::Use(value) => Some((value, None)),
        Rvalue::Convert { value, .. } => Some((value, Some(Operation::Convert(target.clone())))),
        Rvalue::Unary(operator, value) => Some((value, Some(Operation::Unary(*operator)))),
        Rvalue::Binary {
            operator,
            left,
            right: Operand::Integer(right),
            ..
        } => Some((left, Some(Operation::Before(*operator, small(right)?)))),
        Rvalue::Binary {
            operator,
            left: Operand::Integer(left),
            right,
            ..
        } => Some((right, Some(Operation::Behind(small(left)?, *operator)))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(certain: Certain, operations: &[Operation]) -> Option<Certain> {
        let mut operations = operations.iter();
        operations.try_fold(certain, |certain, operation| certain.after(operation))
    }

    #[test]
    fn numbers_are_computed_with() {
        let masked = [Operation::Before(BinaryOperator::And, 2)];
        assert_eq!(after(Certain::Number(6), &masked), Some(Certain::Number(2)));
        assert_eq!(after(Certain::Number(4), &masked), Some(Certain::Number(0)));
        let compared = [Operation::Behind(3, BinaryOperator::Less)];
        assert_eq!(
            after(Certain::Number(4), &compared),
            Some(Certain::Number(1))
        );
    }

    #[test]
    fn of_what_is_not_zero_only_that_is_known() {
        let is_null = [Operation::Before(BinaryOperator::Equal, 0)];
        assert_eq!(after(Certain::NotZero, &is_null), Some(Certain::Number(0)));
        let is_one = [Operation::Before(BinaryOperator::Equal, 1)];
        assert_eq!(after(Certain::NotZero, &is_one), None);
        let not = [Operation::Unary(UnaryOperator::Not)];
        assert_eq!(after(Certain::NotZero, &not), Some(Certain::Number(0)));
    }

    #[test]
    fn what_a_type_cuts_off_is_not_known() {
        let character = Ty::integer(IntRank::Char, false);
        let converted = [Operation::Convert(character)];
        assert_eq!(after(Certain::Number(256), &converted), None);
        assert_eq!(
            after(Certain::Number(1), &converted),
            Some(Certain::Number(1))
        );
        assert_eq!(after(Certain::NotZero, &converted), None);
        assert_eq!(Certain::number(-1), None);
    }
}
