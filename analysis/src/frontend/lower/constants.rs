//! Integer constant expressions, each with its type: `-1 < 0u` is false.

use super::Lowerer;
use super::conversions::Value;
use super::literals::integer_value;
use super::operators::computed;
use super::scopes::Binding;
use crate::ir::BinaryOperator;
use crate::ir::*;
use lang_c::ast::{self, *};
use lang_c::span::Node;
use ustr::Ustr;

/// A value that is known without running the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    pub value: i128,
    pub ty: Ty,
}

impl Constant {
    pub fn new(value: i128, ty: Ty) -> Constant {
        Constant { value, ty }
    }

    fn int(value: i128) -> Constant {
        Constant::new(value, Ty::int())
    }

    fn truth(condition: bool) -> Constant {
        Constant::int(i128::from(condition))
    }

    fn size(value: u64) -> Constant {
        Constant::new(i128::from(value), Ty::integer(IntRank::Long, false))
    }
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Value {
        Value::new(Operand::Integer(constant.value), constant.ty)
    }
}

impl Lowerer<'_> {
    /// The value of an integer constant expression, if it is one.
    pub(super) fn constant(&mut self, expression: &Node<Expression>) -> Option<i128> {
        self.typed_constant(expression)
            .map(|constant| constant.value)
    }

    pub(super) fn typed_constant(&mut self, expression: &Node<Expression>) -> Option<Constant> {
        match &expression.node {
            Expression::Constant(constant) => match &constant.node {
                ast::Constant::Integer(integer) => {
                    let value = integer_value(integer)?;
                    Some(Constant::new(
                        value,
                        self.integer_literal_type(integer, value),
                    ))
                }
                ast::Constant::Character(text) => {
                    let (value, ty) = self.character(text);
                    Some(Constant::new(value, ty))
                }
                ast::Constant::Float(_) => None,
            },
            Expression::Identifier(name) => self.constant_name(Ustr::from(&name.node.name)),
            Expression::SizeOfTy(size_of) => {
                let ty = self.type_name(&size_of.node.0.node);
                self.complete_size(&ty).map(Constant::size)
            }
            Expression::SizeOfVal(size_of) => {
                let ty = self.type_of(&size_of.node.0);
                self.complete_size(&ty).map(Constant::size)
            }
            Expression::AlignOf(align_of) => {
                let ty = self.type_name(&align_of.node.0.node);
                self.extent(&ty).map(|extent| Constant::size(extent.align))
            }
            Expression::Cast(cast) => self.constant_cast(&cast.node),
            Expression::UnaryOperator(unary) => self.constant_unary(&unary.node),
            Expression::BinaryOperator(binary) => self.constant_binary(&binary.node),
            Expression::Conditional(conditional) => self.constant_conditional(&conditional.node),
            Expression::OffsetOf(offset) => self.offset_of(&offset.node),
            Expression::GenericSelection(selection) => {
                let chosen = self.generic_choice(&selection.node)?;
                self.typed_constant(chosen)
            }
            Expression::Call(call) => self.constant_call(&call.node),
            _ => None,
        }
    }

    /// `sizeof` has no answer for an array of unknown length.
    fn complete_size(&self, ty: &Ty) -> Option<u64> {
        let incomplete = matches!(
            ty.kind(),
            TyKind::Array {
                length: ArrayLength::Unknown,
                ..
            }
        );
        self.size_of(ty).filter(|_| !incomplete)
    }

    pub(super) fn constant_name(&mut self, name: Ustr) -> Option<Constant> {
        match self.scopes.lookup(name) {
            Some(Binding::Enumerator(constant)) => return Some(constant.clone()),
            Some(_) => return None,
            None => {}
        }
        match &self.environment.bindings(name).value {
            Some(value) if value.is_enumerator => {
                let types = self.environment.item_types(&value.source);
                types
                    .enumerators
                    .iter()
                    .find(|(bound, _)| *bound == name)
                    .map(|(_, constant)| constant.clone())
            }
            Some(_) => None,
            // C23 has them as keywords.
            None => match name.as_str() {
                "true" => Some(Constant::int(1)),
                "false" => Some(Constant::int(0)),
                _ => None,
            },
        }
    }

    fn constant_cast(&mut self, cast: &CastExpression) -> Option<Constant> {
        let ty = self.type_name(&cast.type_name.node).unqualified();
        if !matches!(
            ty.kind(),
            TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_)
        ) {
            return None;
        }
        if let Expression::Constant(literal) = &cast.expression.node
            && let ast::Constant::Float(_) = literal.node
            && let Operand::Float(bits) = self.literal(&literal.node).operand
        {
            let number = f64::from_bits(bits);
            let value = match ty.kind() {
                TyKind::Bool => i128::from(number != 0.0),
                _ => number as i128,
            };
            return Some(Constant::new(value, ty));
        }
        let value = self.constant(&cast.expression)?;
        Some(Constant::new(self.wrap(value, &ty), ty))
    }

    fn constant_unary(&mut self, unary: &UnaryOperatorExpression) -> Option<Constant> {
        if unary.operator.node == ast::UnaryOperator::Address {
            let (address, ty) = self.constant_address(&unary.operand)?;
            return Some(Constant::new(address, ty.pointer_to()));
        }
        let operand = self.typed_constant(&unary.operand)?;
        let ty = self.promoted_type(&operand.ty);
        let value = match unary.operator.node {
            ast::UnaryOperator::Plus => operand.value,
            ast::UnaryOperator::Minus => operand.value.wrapping_neg(),
            ast::UnaryOperator::Complement => !operand.value,
            ast::UnaryOperator::Negate => return Some(Constant::truth(operand.value == 0)),
            _ => return None,
        };
        Some(Constant::new(self.wrap(value, &ty), ty))
    }

    fn constant_binary(&mut self, binary: &BinaryOperatorExpression) -> Option<Constant> {
        use ast::BinaryOperator as B;
        if matches!(binary.operator.node, B::LogicalAnd | B::LogicalOr) {
            let decides = binary.operator.node == B::LogicalOr;
            if (self.constant(&binary.lhs)? != 0) == decides {
                return Some(Constant::truth(decides));
            }
            let right = self.constant(&binary.rhs)?;
            return Some(Constant::truth(right != 0));
        }
        let operator = computed(&binary.operator.node)?;
        let left = self.typed_constant(&binary.lhs)?;
        let right = self.typed_constant(&binary.rhs)?;
        // Addresses count in elements, which only running code needs.
        if left.ty.pointee().is_some() || right.ty.pointee().is_some() {
            return None;
        }
        let shifts = matches!(
            operator,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
        );
        let ty = if shifts {
            self.promoted_type(&left.ty)
        } else {
            self.arithmetic_type(&left.ty, &right.ty)
        };
        let left = self.wrap(left.value, &ty);
        let right = if shifts {
            right.value
        } else {
            self.wrap(right.value, &ty)
        };
        let result = if operator.is_comparison() {
            Ty::int()
        } else {
            ty
        };
        let value = operator.fold(left, right)?;
        Some(Constant::new(self.wrap(value, &result), result))
    }

    fn constant_conditional(&mut self, conditional: &ConditionalExpression) -> Option<Constant> {
        let condition = self.constant(&conditional.condition)?;
        let (chosen, other) = if condition != 0 {
            (&conditional.then_expression, &conditional.else_expression)
        } else {
            (&conditional.else_expression, &conditional.then_expression)
        };
        let chosen = match &chosen.node {
            Expression::Identifier(name) if name.node.name == super::super::normalise::SAME => {
                self.typed_constant(&conditional.condition)?
            }
            _ => self.typed_constant(chosen)?,
        };
        let other = match &other.node {
            Expression::Identifier(name) if name.node.name == super::super::normalise::SAME => {
                self.type_of(&conditional.condition)
            }
            _ => self.type_of(other),
        };
        let ty =
            self.conditional_type(&chosen.clone().into(), &Value::new(Operand::Unknown, other));
        Some(Constant::new(self.wrap(chosen.value, &ty), ty))
    }

    fn constant_call(&mut self, call: &CallExpression) -> Option<Constant> {
        let Expression::Identifier(name) = &call.callee.node else {
            return None;
        };
        match (name.node.name.as_str(), call.arguments.as_slice()) {
            ("__builtin_constant_p", [argument]) => {
                Some(Constant::truth(self.constant(argument).is_some()))
            }
            ("__builtin_expect", [value, _]) => {
                let long = Ty::integer(IntRank::Long, true);
                let value = self.constant(value)?;
                Some(Constant::new(self.wrap(value, &long), long))
            }
            ("__builtin_choose_expr", [condition, then, otherwise]) => {
                let condition = self.constant(condition)?;
                self.typed_constant(if condition != 0 { then } else { otherwise })
            }
            _ => None,
        }
    }

    fn offset_of(&mut self, offset: &OffsetOfExpression) -> Option<Constant> {
        let ty = self.type_name(&offset.type_name.node);
        let designator = &offset.designator.node;
        let (mut total, mut ty) = self.member_offset(&ty, &designator.base.node.name)?;
        for member in &designator.members {
            let (step, next) = match &member.node {
                OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => {
                    self.member_offset(&ty, &name.node.name)?
                }
                OffsetMember::Index(index) => {
                    let element = ty.element()?.clone();
                    let size = i128::from(self.size_of(&element)?);
                    (self.constant(index)?.checked_mul(size)?, element)
                }
            };
            total += step;
            ty = next;
        }
        Some(Constant::size(u64::try_from(total).ok()?))
    }

    fn member_offset(&self, ty: &Ty, name: &str) -> Option<(i128, Ty)> {
        let path = self.field_path(ty, Ustr::from(name))?;
        let offset = path.iter().map(|(_, field)| i128::from(field.offset)).sum();
        Some((offset, path.last()?.1.ty.clone()))
    }

    /// The address of `((struct s *)0)->member` and its like, the offsetof of old programs.
    fn constant_address(&mut self, expression: &Node<Expression>) -> Option<(i128, Ty)> {
        match &expression.node {
            Expression::Member(member) => {
                let (base, ty) = match member.node.operator.node {
                    MemberOperator::Direct => self.constant_address(&member.node.expression)?,
                    MemberOperator::Indirect => self.constant_target(&member.node.expression)?,
                };
                let (offset, ty) = self.member_offset(&ty, &member.node.identifier.node.name)?;
                Some((base + offset, ty))
            }
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == ast::UnaryOperator::Indirection =>
            {
                self.constant_target(&unary.node.operand)
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == ast::BinaryOperator::Index =>
            {
                let (base, element) = match self.constant_address(&binary.node.lhs) {
                    Some((base, array)) => (base, array.element()?.clone()),
                    None => self.constant_target(&binary.node.lhs)?,
                };
                let size = i128::from(self.size_of(&element)?);
                let index = self.constant(&binary.node.rhs)?;
                Some((base.checked_add(index.checked_mul(size)?)?, element))
            }
            _ => None,
        }
    }

    fn constant_target(&mut self, pointer: &Node<Expression>) -> Option<(i128, Ty)> {
        let pointer = self.typed_constant(pointer)?;
        Some((pointer.value, pointer.ty.pointee()?.clone()))
    }

    /// Brings a value into the range of an integer type.
    pub(super) fn wrap(&self, value: i128, ty: &Ty) -> i128 {
        let model = self.environment.data_model();
        let (bits, signed) = match ty.kind() {
            TyKind::Bool => return i128::from(value != 0),
            TyKind::Int(int) => {
                let signed = int.signed && (int.rank != IntRank::PlainChar || model.char_is_signed);
                (model.int_bits(int.rank), signed)
            }
            TyKind::Pointer(_) => (model.pointer_bytes as u32 * 8, false),
            _ => return value,
        };
        if bits >= 128 {
            return value;
        }
        let shift = 128 - bits;
        if signed {
            (value << shift) >> shift
        } else {
            ((value as u128) << shift >> shift) as i128
        }
    }
}
