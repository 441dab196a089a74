//! Expressions that branch: `&&`, `||`, `!` and `?:`.

use super::super::normalise::SAME;
use super::Lowerer;
use super::conversions::Value;
use crate::ir::Statement;
use crate::ir::*;
use lang_c::ast::{self, *};
use lang_c::span::Node;

impl Lowerer<'_> {
    /// `a && b` and `a || b` as 0 or 1.
    pub(super) fn truth_value(&mut self, expression: &Node<Expression>) -> Value {
        if let Some(constant) = self.typed_constant(expression) {
            return constant.into();
        }
        let target = self.builder.temporary(Ty::int());
        let (then, otherwise, after) = (
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
        );
        self.condition(expression, then, otherwise);
        self.at(expression);
        for (block, value) in [(then, 1), (otherwise, 0)] {
            self.builder.switch_to(block);
            self.builder.push(Statement::Assign {
                target,
                value: Rvalue::Use(Operand::Integer(value)),
            });
            self.builder.terminate(Terminator::Goto(after));
        }
        self.builder.switch_to(after);
        Value::new(Operand::Local(target), Ty::int())
    }

    /// Branches on an expression, evaluating `&&`, `||` and `!` by jumps.
    pub(super) fn condition(
        &mut self,
        expression: &Node<Expression>,
        then: BlockId,
        otherwise: BlockId,
    ) {
        match &expression.node {
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == ast::BinaryOperator::LogicalAnd =>
            {
                let second = self.builder.new_block();
                self.condition(&binary.node.lhs, second, otherwise);
                self.builder.switch_to(second);
                self.condition(&binary.node.rhs, then, otherwise);
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == ast::BinaryOperator::LogicalOr =>
            {
                let second = self.builder.new_block();
                self.condition(&binary.node.lhs, then, second);
                self.builder.switch_to(second);
                self.condition(&binary.node.rhs, then, otherwise);
            }
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == ast::UnaryOperator::Negate =>
            {
                self.condition(&unary.node.operand, otherwise, then);
            }
            _ => {
                let condition = self.value(expression).operand;
                self.at(expression);
                self.builder.terminate(match condition {
                    Operand::Integer(0) => Terminator::Goto(otherwise),
                    Operand::Integer(_) | Operand::String(_) | Operand::Function(_) => {
                        Terminator::Goto(then)
                    }
                    condition => Terminator::Branch {
                        condition,
                        then,
                        otherwise,
                    },
                });
            }
        }
    }

    pub(super) fn conditional(
        &mut self,
        expression: &Node<Expression>,
        conditional: &ConditionalExpression,
    ) -> Value {
        // Initialisers of static variables have no blocks to branch to, and need none.
        if let Some(constant) = self.typed_constant(expression) {
            return constant.into();
        }
        let reuses_condition = matches!(&conditional.then_expression.node, Expression::Identifier(name) if name.node.name == SAME);
        let (then, otherwise, after) = (
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
        );
        let mut same = None;
        if reuses_condition {
            let value = self.value(&conditional.condition);
            self.builder.terminate(Terminator::Branch {
                condition: value.operand.clone(),
                then,
                otherwise,
            });
            same = Some(value);
        } else {
            self.condition(&conditional.condition, then, otherwise);
        }
        self.builder.switch_to(then);
        let first = match same {
            Some(value) => value,
            None => self.value(&conditional.then_expression),
        };
        let then_end = self.builder.current;
        self.builder.switch_to(otherwise);
        let second = self.value(&conditional.else_expression);
        let otherwise_end = self.builder.current;
        self.at(expression);
        let ty = self.conditional_type(&first, &second);
        let target = (!ty.is_void()).then(|| self.builder.temporary(ty.clone()));
        for (end, value) in [(then_end, first), (otherwise_end, second)] {
            self.builder.switch_to(end);
            if let Some(target) = target
                && !self.builder.is_terminated()
            {
                let operand = self.convert(value, &ty);
                self.builder.push(Statement::Assign {
                    target,
                    value: Rvalue::Use(operand),
                });
            }
            self.builder.terminate(Terminator::Goto(after));
        }
        self.builder.switch_to(after);
        target.map_or_else(Value::void, |target| Value::new(Operand::Local(target), ty))
    }

    pub(super) fn conditional_type(&self, first: &Value, second: &Value) -> Ty {
        let is_null = |value: &Value| {
            matches!(value.operand, Operand::Integer(0))
                && value.ty.pointee().is_none_or(Ty::is_void)
        };
        let (left, right) = (first.ty.decayed(), second.ty.decayed());
        match (left.kind(), right.kind()) {
            (TyKind::Void, _) | (_, TyKind::Void) => Ty::void(),
            (TyKind::Record(_), _) => left,
            // A null pointer constant takes the other's type, and `void *` takes the other in.
            (TyKind::Pointer(_), TyKind::Pointer(_)) if is_null(first) => right,
            (TyKind::Pointer(_), TyKind::Pointer(_)) if is_null(second) => left,
            (TyKind::Pointer(_), TyKind::Pointer(other)) if other.is_void() => right,
            (TyKind::Pointer(_), _) => left,
            (_, TyKind::Pointer(_)) => right,
            _ => self.arithmetic_type(&left, &right),
        }
    }
}
