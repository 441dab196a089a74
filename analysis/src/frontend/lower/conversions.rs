//! Values with their types, and C's conversions between them.

use super::Lowerer;
use crate::ir::*;

/// A value in a register or a constant.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub operand: Operand,
    pub ty: Ty,
}

impl Value {
    pub fn new(operand: Operand, ty: Ty) -> Value {
        Value { operand, ty }
    }

    pub fn int(value: i128) -> Value {
        Value::new(Operand::Integer(value), Ty::int())
    }

    pub fn unknown() -> Value {
        Value::new(Operand::Unknown, Ty::unknown())
    }

    pub fn void() -> Value {
        Value::new(Operand::Integer(0), Ty::void())
    }
}

impl Lowerer<'_> {
    /// Converts a value to another type; conversions that change no bits leave no statement.
    pub(super) fn convert(&mut self, value: Value, to: &Ty) -> Operand {
        let Value { operand, ty: from } = value;
        let to = to.unqualified();
        if let Operand::Integer(constant) = operand
            && matches!(
                to.kind(),
                TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_)
            )
        {
            return Operand::Integer(self.wrap(constant, &to));
        }
        if self.same_representation(&from, &to) {
            return operand;
        }
        let from = from.unqualified();
        self.builder.assign(
            to,
            Rvalue::Convert {
                value: operand,
                from,
            },
        )
    }

    fn same_representation(&self, from: &Ty, to: &Ty) -> bool {
        match (from.kind(), to.kind()) {
            (TyKind::Int(from), TyKind::Int(to)) => {
                let model = self.environment.data_model();
                model.int_bits(from.rank) == model.int_bits(to.rank) && from.signed == to.signed
            }
            (TyKind::Float(from), TyKind::Float(to)) => from == to,
            (TyKind::Bool, TyKind::Bool) => true,
            (TyKind::Int(_) | TyKind::Float(_) | TyKind::Pointer(_), TyKind::Bool) => false,
            (TyKind::Int(_) | TyKind::Bool, TyKind::Float(_))
            | (TyKind::Float(_), TyKind::Int(_)) => false,
            (TyKind::Int(from), TyKind::Pointer(_)) => {
                self.environment.data_model().int_bytes(from.rank)
                    == self.environment.data_model().pointer_bytes
            }
            (TyKind::Pointer(_), TyKind::Int(to)) => {
                self.environment.data_model().int_bytes(to.rank)
                    == self.environment.data_model().pointer_bytes
            }
            (TyKind::Bool, TyKind::Int(_) | TyKind::Pointer(_)) => false,
            _ => true,
        }
    }

    /// Integer promotion: what is narrower than `int` becomes `int`.
    pub(super) fn promote(&mut self, value: Value) -> Value {
        let promoted = self.promoted_type(&value.ty);
        if promoted == value.ty {
            return value;
        }
        let operand = self.convert(value, &promoted);
        Value::new(operand, promoted)
    }

    /// What the default argument promotions make of a value that no parameter awaits.
    pub(super) fn promote_argument(&mut self, value: Value) -> Value {
        if let TyKind::Float(FloatTy::Half | FloatTy::Single) = value.ty.kind() {
            let double = Ty::new(TyKind::Float(FloatTy::Double));
            let operand = self.convert(value, &double);
            return Value::new(operand, double);
        }
        self.promote(value)
    }

    pub(super) fn promoted_type(&self, ty: &Ty) -> Ty {
        let int_bits = self.environment.data_model().int_bits(IntRank::Int);
        match ty.kind() {
            TyKind::Bool => Ty::int(),
            TyKind::Int(IntTy {
                rank: IntRank::BitInt(width),
                signed,
            }) => match u32::from(*width) {
                width if width < int_bits => Ty::int(),
                width if width == int_bits => Ty::integer(IntRank::Int, *signed),
                // gcc computes on a wide bit-field in its own width.
                _ => ty.unqualified(),
            },
            TyKind::Int(int) if int.rank < IntRank::Int => Ty::int(),
            _ => ty.unqualified(),
        }
    }

    /// The common type of two arithmetic operands.
    pub(super) fn arithmetic_type(&self, left: &Ty, right: &Ty) -> Ty {
        match (left.kind(), right.kind()) {
            (TyKind::Vector { .. }, _) => return left.unqualified(),
            (_, TyKind::Vector { .. }) => return right.unqualified(),
            (TyKind::Complex(_), _) => return left.unqualified(),
            (_, TyKind::Complex(_)) => return right.unqualified(),
            (TyKind::Float(a), TyKind::Float(b)) => return Ty::new(TyKind::Float(*a.max(b))),
            (TyKind::Float(_), _) => return left.unqualified(),
            (_, TyKind::Float(_)) => return right.unqualified(),
            _ => {}
        }
        let (left, right) = (self.promoted_type(left), self.promoted_type(right));
        let (TyKind::Int(a), TyKind::Int(b)) = (left.kind(), right.kind()) else {
            return if left.is_unknown() { right } else { left };
        };
        let model = self.environment.data_model();
        let conversion_rank = |int: &IntTy| (model.int_bits(int.rank), int.rank);
        if a.signed == b.signed {
            return if conversion_rank(a) >= conversion_rank(b) {
                left
            } else {
                right
            };
        }
        let (unsigned, signed) = if a.signed { (b, a) } else { (a, b) };
        if conversion_rank(unsigned) >= conversion_rank(signed) {
            Ty::integer(unsigned.rank, false)
        } else if model.int_bits(signed.rank) > model.int_bits(unsigned.rank) {
            Ty::integer(signed.rank, true)
        } else {
            Ty::integer(signed.rank, false)
        }
    }

    /// Computes a binary operator on converted operands, folding constants.
    pub(super) fn compute(
        &mut self,
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
        ty: &Ty,
        result: &Ty,
    ) -> Operand {
        if let (Operand::Integer(a), Operand::Integer(b)) = (&left, &right)
            && ty.is_integer()
            && let Some(value) = operator.fold(*a, *b)
        {
            return Operand::Integer(self.wrap(value, result));
        }
        self.builder.assign(
            result.clone(),
            Rvalue::Binary {
                operator,
                left,
                right,
                ty: ty.clone(),
            },
        )
    }
}
