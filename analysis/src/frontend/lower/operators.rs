//! Binary operators on values.

use super::Lowerer;
use super::conversions::Value;
use crate::ir::BinaryOperator;
use crate::ir::*;
use lang_c::ast::{self, *};
use lang_c::span::Node;

impl Lowerer<'_> {
    pub(super) fn binary(
        &mut self,
        expression: &Node<Expression>,
        binary: &BinaryOperatorExpression,
    ) -> Value {
        use ast::BinaryOperator as B;
        match binary.operator.node {
            B::Index => {
                let designator = self.designator(expression);
                self.at(expression);
                return self.take(designator);
            }
            B::LogicalAnd | B::LogicalOr => return self.truth_value(expression),
            B::Assign => return self.assign(expression, &binary.lhs, &binary.rhs),
            _ => {}
        }
        if let Some(operator) = assigned(&binary.operator.node) {
            return self.assign_with(expression, operator, binary);
        }
        let Some(operator) = computed(&binary.operator.node) else {
            return Value::new(Operand::Unknown, Ty::int());
        };
        let left = self.value(&binary.lhs);
        let left = self.protect(left, &binary.rhs);
        let right = self.value(&binary.rhs);
        self.at(expression);
        self.operate(operator, left, right)
    }

    /// A register that the right operand may change is copied first, so that the left operand
    /// keeps the value it had.
    fn protect(&mut self, left: Value, right: &Node<Expression>) -> Value {
        if let Operand::Local(local) = left.operand
            && self.builder.locals[local.0 as usize].name.is_some()
            && may_assign(&right.node)
        {
            let copy = self
                .builder
                .assign(left.ty.clone(), Rvalue::Use(left.operand));
            return Value::new(copy, left.ty);
        }
        left
    }

    /// Applies an operator to two evaluated operands.
    pub(super) fn operate(&mut self, operator: BinaryOperator, left: Value, right: Value) -> Value {
        let is_pointer = |value: &Value| value.ty.pointee().is_some();
        if operator.is_comparison() {
            let ty = if is_pointer(&left) {
                left.ty.clone()
            } else if is_pointer(&right) {
                right.ty.clone()
            } else {
                self.arithmetic_type(&left.ty, &right.ty)
            };
            let left = self.convert(left, &ty);
            let right = self.convert(right, &ty);
            return Value::new(
                self.compute(operator, left, right, &ty, &Ty::int()),
                Ty::int(),
            );
        }
        match operator {
            BinaryOperator::Add if is_pointer(&left) => {
                return self.pointer_add(left, right, false);
            }
            BinaryOperator::Add if is_pointer(&right) => {
                return self.pointer_add(right, left, false);
            }
            BinaryOperator::Subtract if is_pointer(&left) && is_pointer(&right) => {
                let size = left
                    .ty
                    .pointee()
                    .and_then(|pointee| self.size_of(pointee))
                    .unwrap_or(1)
                    .max(1);
                let ty = Ty::integer(IntRank::Long, true);
                let value = Rvalue::PointerDifference {
                    left: left.operand,
                    right: right.operand,
                    size,
                };
                return Value::new(self.builder.assign(ty.clone(), value), ty);
            }
            BinaryOperator::Subtract if is_pointer(&left) => {
                return self.pointer_add(left, right, true);
            }
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                let left = self.promote(left);
                let right = self.promote(right);
                let ty = left.ty.clone();
                return Value::new(
                    self.compute(operator, left.operand, right.operand, &ty, &ty),
                    ty,
                );
            }
            _ => {}
        }
        let ty = self.arithmetic_type(&left.ty, &right.ty);
        let left = self.convert(left, &ty);
        let right = self.convert(right, &ty);
        Value::new(self.compute(operator, left, right, &ty, &ty), ty)
    }

    fn pointer_add(&mut self, pointer: Value, index: Value, negative: bool) -> Value {
        let size = pointer
            .ty
            .pointee()
            .and_then(|pointee| self.size_of(pointee))
            .unwrap_or(1);
        let long = Ty::integer(IntRank::Long, true);
        let mut index = self.convert(index, &long);
        if negative {
            index = match index {
                Operand::Integer(value) => Operand::Integer(-value),
                other => self
                    .builder
                    .assign(long, Rvalue::Unary(crate::ir::UnaryOperator::Negate, other)),
            };
        }
        if matches!(index, Operand::Integer(0)) {
            return pointer;
        }
        let operand = self.builder.assign(
            pointer.ty.clone(),
            Rvalue::PointerAdd {
                base: pointer.operand,
                index,
                size,
            },
        );
        Value::new(operand, pointer.ty)
    }
}

/// What an operator computes from its operands, if that is all that it does.
pub(super) fn computed(operator: &ast::BinaryOperator) -> Option<BinaryOperator> {
    use ast::BinaryOperator as B;
    Some(match operator {
        B::Multiply => BinaryOperator::Multiply,
        B::Divide => BinaryOperator::Divide,
        B::Modulo => BinaryOperator::Remainder,
        B::Plus => BinaryOperator::Add,
        B::Minus => BinaryOperator::Subtract,
        B::ShiftLeft => BinaryOperator::ShiftLeft,
        B::ShiftRight => BinaryOperator::ShiftRight,
        B::Less => BinaryOperator::Less,
        B::Greater => BinaryOperator::Greater,
        B::LessOrEqual => BinaryOperator::LessOrEqual,
        B::GreaterOrEqual => BinaryOperator::GreaterOrEqual,
        B::Equals => BinaryOperator::Equal,
        B::NotEquals => BinaryOperator::NotEqual,
        B::BitwiseAnd => BinaryOperator::And,
        B::BitwiseXor => BinaryOperator::Xor,
        B::BitwiseOr => BinaryOperator::Or,
        _ => return None,
    })
}

/// What `+=` and its like compute before they assign.
fn assigned(operator: &ast::BinaryOperator) -> Option<BinaryOperator> {
    use ast::BinaryOperator as B;
    Some(match operator {
        B::AssignMultiply => BinaryOperator::Multiply,
        B::AssignDivide => BinaryOperator::Divide,
        B::AssignModulo => BinaryOperator::Remainder,
        B::AssignPlus => BinaryOperator::Add,
        B::AssignMinus => BinaryOperator::Subtract,
        B::AssignShiftLeft => BinaryOperator::ShiftLeft,
        B::AssignShiftRight => BinaryOperator::ShiftRight,
        B::AssignBitwiseAnd => BinaryOperator::And,
        B::AssignBitwiseXor => BinaryOperator::Xor,
        B::AssignBitwiseOr => BinaryOperator::Or,
        _ => return None,
    })
}

/// Whether evaluating the expression can change a variable.
fn may_assign(expression: &Expression) -> bool {
    match expression {
        Expression::Identifier(_) | Expression::Constant(_) | Expression::StringLiteral(_) => false,
        Expression::Member(member) => may_assign(&member.node.expression.node),
        Expression::SizeOfTy(_)
        | Expression::SizeOfVal(_)
        | Expression::AlignOf(_)
        | Expression::OffsetOf(_) => false,
        Expression::Cast(cast) => may_assign(&cast.node.expression.node),
        Expression::UnaryOperator(unary) => match unary.node.operator.node {
            ast::UnaryOperator::PostIncrement
            | ast::UnaryOperator::PostDecrement
            | ast::UnaryOperator::PreIncrement
            | ast::UnaryOperator::PreDecrement => true,
            _ => may_assign(&unary.node.operand.node),
        },
        Expression::BinaryOperator(binary) => {
            let operator = &binary.node.operator.node;
            let assigns = *operator == ast::BinaryOperator::Assign || assigned(operator).is_some();
            assigns || may_assign(&binary.node.lhs.node) || may_assign(&binary.node.rhs.node)
        }
        // A call changes no register of its caller, but its arguments may.
        Expression::Call(call) => call
            .node
            .arguments
            .iter()
            .any(|argument| may_assign(&argument.node)),
        _ => true,
    }
}
