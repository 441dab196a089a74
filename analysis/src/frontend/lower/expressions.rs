//! Expressions and their values.

use super::super::normalise::SAME;
use super::Lowerer;
use super::constants::{character_value, integer_value};
use super::conversions::Value;
use super::lvalues::Designator;
use crate::ir::*;
use crate::ir::{BinaryOperator, Statement};
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

    fn literal(&mut self, constant: &Constant) -> Value {
        match constant {
            Constant::Integer(integer) => {
                let Some(value) = integer_value(integer) else {
                    return Value::unknown();
                };
                Value::new(
                    Operand::Integer(value),
                    self.integer_literal_type(integer, value),
                )
            }
            Constant::Character(text) => Value::int(character_value(text)),
            Constant::Float(float) => {
                let value: f64 = float.number.parse().unwrap_or(0.0);
                let kind = match float.suffix.format {
                    FloatFormat::Float => FloatTy::Single,
                    FloatFormat::LongDouble => FloatTy::Extended,
                    FloatFormat::Double | FloatFormat::TS18661Format(_) => FloatTy::Double,
                };
                let operand = if float.base == FloatBase::Decimal {
                    Operand::Float(value.to_bits())
                } else {
                    Operand::Unknown
                };
                Value::new(operand, Ty::new(TyKind::Float(kind)))
            }
        }
    }

    /// The first of the types that C offers for a literal that can hold it.
    fn integer_literal_type(&self, integer: &Integer, value: i128) -> Ty {
        let lowest = match integer.suffix.size {
            IntegerSize::Int => IntRank::Int,
            IntegerSize::Long => IntRank::Long,
            IntegerSize::LongLong => IntRank::LongLong,
        };
        let decimal = integer.base == IntegerBase::Decimal;
        for rank in [
            IntRank::Int,
            IntRank::Long,
            IntRank::LongLong,
            IntRank::Int128,
        ] {
            if rank < lowest {
                continue;
            }
            let bits = self.environment.data_model().int_bytes(rank) * 8;
            let fits = |bits: u64| bits >= 127 || value < (1 << bits);
            if !integer.suffix.unsigned && fits(bits - 1) {
                return Ty::integer(rank, true);
            }
            if (integer.suffix.unsigned || !decimal) && fits(bits) {
                return Ty::integer(rank, false);
            }
        }
        Ty::integer(IntRank::LongLong, false)
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

    fn binary(
        &mut self,
        expression: &Node<Expression>,
        binary: &BinaryOperatorExpression,
    ) -> Value {
        use ast::BinaryOperator as B;
        let operator = match binary.operator.node {
            B::Index => {
                let designator = self.designator(expression);
                self.at(expression);
                return self.take(designator);
            }
            B::LogicalAnd | B::LogicalOr => return self.truth_value(expression),
            B::Assign => return self.assign(expression, &binary.lhs, &binary.rhs),
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
            B::AssignMultiply => {
                return self.assign_with(expression, BinaryOperator::Multiply, binary);
            }
            B::AssignDivide => return self.assign_with(expression, BinaryOperator::Divide, binary),
            B::AssignModulo => {
                return self.assign_with(expression, BinaryOperator::Remainder, binary);
            }
            B::AssignPlus => return self.assign_with(expression, BinaryOperator::Add, binary),
            B::AssignMinus => {
                return self.assign_with(expression, BinaryOperator::Subtract, binary);
            }
            B::AssignShiftLeft => {
                return self.assign_with(expression, BinaryOperator::ShiftLeft, binary);
            }
            B::AssignShiftRight => {
                return self.assign_with(expression, BinaryOperator::ShiftRight, binary);
            }
            B::AssignBitwiseAnd => {
                return self.assign_with(expression, BinaryOperator::And, binary);
            }
            B::AssignBitwiseXor => {
                return self.assign_with(expression, BinaryOperator::Xor, binary);
            }
            B::AssignBitwiseOr => return self.assign_with(expression, BinaryOperator::Or, binary),
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
        if operator.compares() {
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

    /// `a && b` and `a || b` as 0 or 1.
    fn truth_value(&mut self, expression: &Node<Expression>) -> Value {
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

    fn conditional(
        &mut self,
        expression: &Node<Expression>,
        conditional: &ConditionalExpression,
    ) -> Value {
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

    fn conditional_type(&self, first: &Value, second: &Value) -> Ty {
        let is_null = |value: &Value| matches!(value.operand, Operand::Integer(0));
        match (first.ty.kind(), second.ty.kind()) {
            (TyKind::Void, _) | (_, TyKind::Void) => Ty::void(),
            (TyKind::Record(_), _) => first.ty.unqualified(),
            (TyKind::Pointer(_), TyKind::Pointer(other)) => {
                // A null pointer constant takes the other's type.
                let takes_second = is_null(first)
                    || (first.ty.pointee().is_some_and(Ty::is_void)
                        && !other.is_void()
                        && is_null(first));
                if takes_second {
                    second.ty.clone()
                } else {
                    first.ty.clone()
                }
            }
            (TyKind::Pointer(_), _) => first.ty.clone(),
            (_, TyKind::Pointer(_)) => second.ty.clone(),
            _ => self.arithmetic_type(&first.ty, &second.ty),
        }
    }
}

impl BinaryOperator {
    pub(super) fn compares(self) -> bool {
        matches!(
            self,
            BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
        )
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
            use ast::BinaryOperator as B;
            let assigns = matches!(
                binary.node.operator.node,
                B::Assign
                    | B::AssignMultiply
                    | B::AssignDivide
                    | B::AssignModulo
                    | B::AssignPlus
                    | B::AssignMinus
                    | B::AssignShiftLeft
                    | B::AssignShiftRight
                    | B::AssignBitwiseAnd
                    | B::AssignBitwiseXor
                    | B::AssignBitwiseOr
            );
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
