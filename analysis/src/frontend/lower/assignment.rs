//! Assignments: plain, with an operator, by one.

use super::Lowerer;
use super::conversions::Value;
use super::expressions::access_mode;
use super::lvalues::Designator;
use crate::ir::*;
use lang_c::ast::{BinaryOperatorExpression, Expression};
use lang_c::span::Node;

impl Lowerer<'_> {
    pub(super) fn assign(
        &mut self,
        expression: &Node<Expression>,
        left: &Node<Expression>,
        right: &Node<Expression>,
    ) -> Value {
        let target = self.designator(left);
        let value = self.value(right);
        self.at(expression);
        let ty = target.ty().unqualified();
        let operand = if ty.is_unknown() {
            value.operand
        } else {
            self.convert(value, &ty)
        };
        self.at(left);
        self.store(target, operand.clone());
        Value::new(operand, ty)
    }

    /// Writes a value that already has the target's type.
    pub(super) fn store(&mut self, target: Designator, value: Operand) {
        match target {
            Designator::Register(local, _) => {
                self.builder.push(Statement::Assign {
                    target: local,
                    value: Rvalue::Use(value),
                });
            }
            Designator::Memory(place, ty) => {
                let mode = access_mode(&ty);
                self.builder.push(Statement::Store {
                    place,
                    value,
                    ty: ty.unqualified(),
                    mode,
                });
            }
            // An assignment to what is no lvalue: the compiler says so, there is nothing to do.
            Designator::Function(..) | Designator::Value(_) => {}
        }
    }

    /// `left op= right`.
    pub(super) fn assign_with(
        &mut self,
        expression: &Node<Expression>,
        operator: BinaryOperator,
        binary: &BinaryOperatorExpression,
    ) -> Value {
        let target = self.designator(&binary.lhs);
        let right = self.value(&binary.rhs);
        self.at(&binary.lhs);
        let (_, new) = self.update(expression, target, operator, right, &binary.lhs);
        new
    }

    /// `++x`, `x--` and their like; `new` asks for the value behind the step.
    pub(super) fn step(
        &mut self,
        expression: &Node<Expression>,
        operand: &Node<Expression>,
        by: i128,
        new: bool,
    ) -> Value {
        let target = self.designator(operand);
        self.at(operand);
        let (before, after) = self.update(
            expression,
            target,
            BinaryOperator::Add,
            Value::int(by),
            operand,
        );
        if new { after } else { before }
    }

    /// Reads, computes and writes; returns the values before and after.
    fn update(
        &mut self,
        expression: &Node<Expression>,
        target: Designator,
        operator: BinaryOperator,
        right: Value,
        left: &Node<Expression>,
    ) -> (Value, Value) {
        let ty = target.ty().unqualified();
        if target.ty().is_atomic()
            && let Designator::Memory(place, _) = target
        {
            // Both operands of an indivisible update have the object's type, but a pointer moves
            // by a number.
            let right = if ty.pointee().is_some() {
                right
            } else {
                Value::new(self.convert(right, &ty), ty.clone())
            };
            self.at(left);
            let old = self.builder.temporary(ty.clone());
            self.builder.push(Statement::Update {
                target: old,
                place,
                operator,
                value: right.operand.clone(),
                ty: ty.clone(),
            });
            let before = Value::new(Operand::Local(old), ty.clone());
            let computed = self.operate(operator, before.clone(), right);
            let after = Value::new(self.convert(computed, &ty), ty);
            return (before, after);
        }
        let mut before = self.take(target.clone());
        if let Designator::Register(..) = target {
            // The register is about to change; the old value may still be asked for.
            let copy = self
                .builder
                .assign(before.ty.clone(), Rvalue::Use(before.operand));
            before = Value::new(copy, before.ty);
        }
        self.at(expression);
        let computed = self.operate(operator, before.clone(), right);
        let operand = if ty.is_unknown() {
            computed.operand
        } else {
            self.convert(computed, &ty)
        };
        self.at(left);
        self.store(target, operand.clone());
        (before, Value::new(operand, ty))
    }
}
