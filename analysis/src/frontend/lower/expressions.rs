//! Expressions and their values.

use super::Lowerer;
use super::conversions::Value;
use super::lvalues::Designator;
use crate::ir::Statement;
use crate::ir::*;
use lang_c::ast::{self, *};
use lang_c::span::Node;

impl Lowerer<'_> {
    /// Evaluates an expression for its value; arrays and functions decay to pointers.
    pub(super) fn value(&mut self, expression: &Node<Expression>) -> Value {
        self.at(expression);
        match &expression.node {
            Expression::Identifier(_)
            | Expression::Member(_)
            | Expression::CompoundLiteral(_)
            | Expression::StringLiteral(_) => {
                let designator = self.designator(expression);
                self.at(expression);
                self.take(designator)
            }
            Expression::Constant(constant) => self.literal(&constant.node),
            Expression::GenericSelection(selection) => match self.generic_choice(&selection.node) {
                Some(chosen) => self.value(chosen),
                None => Value::unknown(),
            },
            Expression::Call(call) => self.call(expression, &call.node),
            Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => {
                let size = self
                    .constant(expression)
                    .map_or(Operand::Unknown, Operand::Integer);
                Value::new(size, Ty::integer(IntRank::Long, false))
            }
            Expression::UnaryOperator(unary) => self.unary(expression, &unary.node),
            Expression::Cast(cast) => self.cast(expression, &cast.node),
            Expression::BinaryOperator(binary) => self.binary(expression, &binary.node),
            Expression::Conditional(conditional) => self.conditional(expression, &conditional.node),
            Expression::Comma(parts) => {
                let Some((last, first)) = parts.split_last() else {
                    return Value::void();
                };
                for part in first {
                    self.discard(part);
                }
                self.value(last)
            }
            Expression::VaArg(argument) => {
                let ty = self.type_name(&argument.node.type_name.node);
                let list = self.value(&argument.node.va_list);
                self.at(expression);
                let value = self
                    .builder
                    .assign(ty.clone(), Rvalue::VariableArgument(list.operand));
                Value::new(value, ty)
            }
            Expression::Statement(statement) => self.statement_expression(&statement.node),
        }
    }

    /// Evaluates an expression for its effects alone.
    pub(super) fn discard(&mut self, expression: &Node<Expression>) {
        self.at(expression);
        match &expression.node {
            // `x;` and `(void)x;` silence a warning and read nothing that could be noticed.
            Expression::Identifier(_) | Expression::Constant(_) | Expression::StringLiteral(_) => {}
            Expression::Cast(cast) if self.type_name(&cast.node.type_name.node).is_void() => {
                self.discard(&cast.node.expression);
            }
            Expression::Comma(parts) => parts.iter().for_each(|part| self.discard(part)),
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                ast::UnaryOperator::PostIncrement | ast::UnaryOperator::PreIncrement => {
                    self.step(expression, &unary.node.operand, 1, true);
                }
                ast::UnaryOperator::PostDecrement | ast::UnaryOperator::PreDecrement => {
                    self.step(expression, &unary.node.operand, -1, true);
                }
                _ => {
                    self.value(expression);
                }
            },
            Expression::Conditional(conditional) => {
                let conditional = &conditional.node;
                let (then, otherwise, after) = (
                    self.builder.new_block(),
                    self.builder.new_block(),
                    self.builder.new_block(),
                );
                self.condition(&conditional.condition, then, otherwise);
                for (block, branch) in [
                    (then, &conditional.then_expression),
                    (otherwise, &conditional.else_expression),
                ] {
                    self.builder.switch_to(block);
                    self.discard(branch);
                    self.builder.terminate(Terminator::Goto(after));
                }
                self.builder.switch_to(after);
            }
            Expression::BinaryOperator(binary)
                if matches!(
                    binary.node.operator.node,
                    ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
                ) =>
            {
                let after = self.builder.new_block();
                self.condition(expression, after, after);
                self.builder.switch_to(after);
            }
            _ => {
                self.value(expression);
            }
        }
    }

    /// The value of what a designator names.
    pub(super) fn take(&mut self, designator: Designator) -> Value {
        match designator {
            Designator::Value(value) => value,
            Designator::Register(local, ty) => Value::new(Operand::Local(local), ty.unqualified()),
            Designator::Function(function, ty) => {
                Value::new(Operand::Function(function), ty.pointer_to())
            }
            Designator::Memory(place, ty) => match ty.kind() {
                TyKind::Array { element, .. } => {
                    let pointer = element.clone().qualified(ty.qualifiers).pointer_to();
                    // A string literal is an address already.
                    if let (Base::Deref(string @ Operand::String(_)), true) =
                        (&place.base, place.path.is_empty())
                    {
                        return Value::new(string.clone(), pointer);
                    }
                    let address = self.builder.assign(
                        pointer.clone(),
                        Rvalue::AddressOf(place.then(Projection::Index(Operand::Integer(0)))),
                    );
                    Value::new(address, pointer)
                }
                TyKind::Function(_) => {
                    Value::new(self.address_of_place(place, &ty), ty.pointer_to())
                }
                TyKind::VaList => {
                    let pointer = ty.pointer_to();
                    Value::new(
                        self.builder
                            .assign(pointer.clone(), Rvalue::AddressOf(place)),
                        pointer,
                    )
                }
                _ => {
                    let value = ty.unqualified();
                    let target = self.builder.temporary(value.clone());
                    self.builder.push(Statement::Load {
                        target,
                        place,
                        mode: access_mode(&ty),
                        ty: value.clone(),
                    });
                    Value::new(Operand::Local(target), value)
                }
            },
        }
    }

    fn address_of_place(&mut self, place: Place, ty: &Ty) -> Operand {
        match place {
            Place {
                base: Base::Deref(pointer),
                path,
            } if path.is_empty() => pointer,
            place => self
                .builder
                .assign(ty.pointer_to(), Rvalue::AddressOf(place)),
        }
    }

    fn unary(&mut self, expression: &Node<Expression>, unary: &UnaryOperatorExpression) -> Value {
        match unary.operator.node {
            ast::UnaryOperator::PostIncrement => self.step(expression, &unary.operand, 1, false),
            ast::UnaryOperator::PostDecrement => self.step(expression, &unary.operand, -1, false),
            ast::UnaryOperator::PreIncrement => self.step(expression, &unary.operand, 1, true),
            ast::UnaryOperator::PreDecrement => self.step(expression, &unary.operand, -1, true),
            ast::UnaryOperator::Address => self.address_of(expression, &unary.operand),
            ast::UnaryOperator::Indirection => {
                let designator = self.designator(expression);
                self.at(expression);
                self.take(designator)
            }
            ast::UnaryOperator::Plus => {
                let value = self.value(&unary.operand);
                self.promote(value)
            }
            ast::UnaryOperator::Minus | ast::UnaryOperator::Complement => {
                let value = self.value(&unary.operand);
                self.at(expression);
                let value = self.promote(value);
                let negates = unary.operator.node == ast::UnaryOperator::Minus;
                if let Operand::Integer(constant) = value.operand {
                    let folded = if negates {
                        constant.wrapping_neg()
                    } else {
                        !constant
                    };
                    return Value::new(Operand::Integer(self.wrap(folded, &value.ty)), value.ty);
                }
                if let (Operand::Float(bits), true) = (&value.operand, negates) {
                    return Value::new(
                        Operand::Float((-f64::from_bits(*bits)).to_bits()),
                        value.ty,
                    );
                }
                let operator = if negates {
                    crate::ir::UnaryOperator::Negate
                } else {
                    crate::ir::UnaryOperator::Complement
                };
                let operand = self
                    .builder
                    .assign(value.ty.clone(), Rvalue::Unary(operator, value.operand));
                Value::new(operand, value.ty)
            }
            ast::UnaryOperator::Negate => {
                let value = self.value(&unary.operand);
                self.at(expression);
                if let Operand::Integer(constant) = value.operand {
                    return Value::int(i128::from(constant == 0));
                }
                let operand = self.builder.assign(
                    Ty::int(),
                    Rvalue::Unary(crate::ir::UnaryOperator::Not, value.operand),
                );
                Value::new(operand, Ty::int())
            }
        }
    }

    fn address_of(&mut self, expression: &Node<Expression>, operand: &Node<Expression>) -> Value {
        let designator = self.designator(operand);
        self.at(expression);
        match designator {
            Designator::Memory(place, ty) => {
                if let Base::Deref(Operand::Integer(_)) = place.base
                    && let Some(constant) = self.typed_constant(expression)
                {
                    return constant.into();
                }
                let address = self.address_of_place(place, &ty);
                Value::new(address, ty.pointer_to())
            }
            Designator::Function(function, ty) => {
                Value::new(Operand::Function(function), ty.pointer_to())
            }
            // `&*f` for a function pointer, or a register that the scan for addresses missed.
            Designator::Value(value) => value,
            Designator::Register(_, ty) => Value::new(Operand::Unknown, ty.pointer_to()),
        }
    }

    fn cast(&mut self, expression: &Node<Expression>, cast: &CastExpression) -> Value {
        let ty = self.type_name(&cast.type_name.node);
        if ty.is_void() {
            self.discard(&cast.expression);
            return Value::void();
        }
        let value = self.value(&cast.expression);
        self.at(expression);
        let ty = ty.unqualified();
        let operand = self.convert(value, &ty);
        Value::new(operand, ty)
    }
}

pub(super) fn access_mode(ty: &Ty) -> AccessMode {
    if ty.is_atomic() {
        AccessMode::Atomic
    } else if ty.is_volatile() {
        AccessMode::Volatile
    } else {
        AccessMode::Plain
    }
}
