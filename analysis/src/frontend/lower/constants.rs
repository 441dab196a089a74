//! Integer constant expressions.

use super::Lowerer;
use super::scopes::Binding;
use crate::ir::*;
use lang_c::ast::*;
use lang_c::span::Node;
use ustr::Ustr;

impl Lowerer<'_> {
    /// The value of an integer constant expression, if it is one.
    pub(super) fn constant(&mut self, expression: &Node<Expression>) -> Option<i128> {
        match &expression.node {
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => integer_value(integer),
                Constant::Character(text) => Some(character_value(text)),
                Constant::Float(_) => None,
            },
            Expression::Identifier(name) => self.constant_name(Ustr::from(&name.node.name)),
            Expression::SizeOfTy(size_of) => {
                let ty = self.type_name(&size_of.node.0.node);
                self.size_of(&ty).map(i128::from)
            }
            Expression::SizeOfVal(size_of) => {
                let ty = self.type_of(&size_of.node.0);
                self.size_of(&ty).map(i128::from)
            }
            Expression::AlignOf(align_of) => {
                let ty = self.type_name(&align_of.node.0.node);
                self.extent(&ty).map(|extent| i128::from(extent.align))
            }
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name.node);
                let value = self.constant(&cast.node.expression)?;
                match ty.kind() {
                    TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_) => {
                        Some(self.wrap(value, &ty))
                    }
                    _ => None,
                }
            }
            Expression::UnaryOperator(unary) => {
                let operand = self.constant(&unary.node.operand)?;
                match unary.node.operator.node {
                    lang_c::ast::UnaryOperator::Plus => Some(operand),
                    lang_c::ast::UnaryOperator::Minus => operand.checked_neg(),
                    lang_c::ast::UnaryOperator::Complement => Some(!operand),
                    lang_c::ast::UnaryOperator::Negate => Some(i128::from(operand == 0)),
                    _ => None,
                }
            }
            Expression::BinaryOperator(binary) => self.constant_binary(&binary.node),
            Expression::Conditional(conditional) => {
                let condition = self.constant(&conditional.node.condition)?;
                if condition != 0 {
                    self.constant(&conditional.node.then_expression)
                } else {
                    self.constant(&conditional.node.else_expression)
                }
            }
            Expression::OffsetOf(offset) => self.offset_of(&offset.node),
            Expression::GenericSelection(selection) => {
                let chosen = self.generic_choice(&selection.node)?;
                self.constant(chosen)
            }
            Expression::Call(call) => self.constant_call(&call.node),
            _ => None,
        }
    }

    fn constant_name(&mut self, name: Ustr) -> Option<i128> {
        match self.scopes.lookup(name) {
            Some(Binding::Enumerator(value)) => return Some(*value),
            Some(_) => return None,
            None => {}
        }
        match self.environment.bindings(name).value {
            Some(value) if value.is_enumerator => {
                let types = self.environment.item_types(&value.source);
                types
                    .enumerators
                    .iter()
                    .find(|(bound, _)| *bound == name)
                    .map(|(_, value)| *value)
            }
            Some(_) => None,
            // C23 has them as keywords.
            None => match name.as_str() {
                "true" => Some(1),
                "false" => Some(0),
                _ => None,
            },
        }
    }

    fn constant_binary(&mut self, binary: &BinaryOperatorExpression) -> Option<i128> {
        use lang_c::ast::BinaryOperator as B;
        let left = self.constant(&binary.lhs)?;
        match binary.operator.node {
            B::LogicalAnd if left == 0 => return Some(0),
            B::LogicalOr if left != 0 => return Some(1),
            _ => {}
        }
        let right = self.constant(&binary.rhs)?;
        let truth = |condition: bool| Some(i128::from(condition));
        match binary.operator.node {
            B::Multiply => left.checked_mul(right),
            B::Divide => left.checked_div(right),
            B::Modulo => left.checked_rem(right),
            B::Plus => left.checked_add(right),
            B::Minus => left.checked_sub(right),
            B::ShiftLeft => u32::try_from(right)
                .ok()
                .filter(|&by| by < 127)
                .and_then(|by| left.checked_mul(1 << by)),
            B::ShiftRight => u32::try_from(right)
                .ok()
                .filter(|&by| by < 127)
                .map(|by| left >> by),
            B::Less => truth(left < right),
            B::Greater => truth(left > right),
            B::LessOrEqual => truth(left <= right),
            B::GreaterOrEqual => truth(left >= right),
            B::Equals => truth(left == right),
            B::NotEquals => truth(left != right),
            B::BitwiseAnd => Some(left & right),
            B::BitwiseXor => Some(left ^ right),
            B::BitwiseOr => Some(left | right),
            B::LogicalAnd | B::LogicalOr => truth(right != 0),
            _ => None,
        }
    }

    fn constant_call(&mut self, call: &CallExpression) -> Option<i128> {
        let Expression::Identifier(name) = &call.callee.node else {
            return None;
        };
        match (name.node.name.as_str(), call.arguments.as_slice()) {
            ("__builtin_constant_p", [argument]) => {
                Some(i128::from(self.constant(argument).is_some()))
            }
            ("__builtin_expect", [value, _]) => self.constant(value),
            ("__builtin_choose_expr", [condition, then, otherwise]) => {
                let condition = self.constant(condition)?;
                self.constant(if condition != 0 { then } else { otherwise })
            }
            _ => None,
        }
    }

    fn offset_of(&mut self, offset: &OffsetOfExpression) -> Option<i128> {
        let mut ty = self.type_name(&offset.type_name.node);
        let designator = &offset.designator.node;
        let mut total = 0i128;
        let mut step = |lowerer: &mut Self, name: &str| -> Option<i128> {
            let path = lowerer.field_path(&ty, Ustr::from(name))?;
            let mut offset = 0;
            for (_, field) in &path {
                offset += i128::from(field.offset);
                ty = field.ty.clone();
            }
            Some(offset)
        };
        total += step(self, &designator.base.node.name)?;
        for member in &designator.members {
            match &member.node {
                OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => {
                    total += step(self, &name.node.name)?
                }
                OffsetMember::Index(_) => return None,
            }
        }
        Some(total)
    }

    /// Brings a value into the range of an integer type.
    pub(super) fn wrap(&self, value: i128, ty: &Ty) -> i128 {
        let (bits, signed) = match ty.kind() {
            TyKind::Bool => return i128::from(value != 0),
            TyKind::Int(int) => {
                let signed = int.signed
                    && (int.rank != IntRank::PlainChar
                        || self.environment.data_model().char_is_signed);
                (
                    self.environment.data_model().int_bytes(int.rank) as u32 * 8,
                    signed,
                )
            }
            TyKind::Pointer(_) => (
                self.environment.data_model().pointer_bytes as u32 * 8,
                false,
            ),
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

pub(super) fn integer_value(integer: &Integer) -> Option<i128> {
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    if integer.number.is_empty() {
        return Some(0);
    }
    i128::from_str_radix(&integer.number, radix)
        .ok()
        .or_else(|| {
            u128::from_str_radix(&integer.number, radix)
                .ok()
                .map(|value| value as i128)
        })
}

/// The value of `'a'`, `L'\n'`, or a multi-character constant.
pub(super) fn character_value(text: &str) -> i128 {
    let inner = text
        .trim_start_matches(['L', 'u', 'U', '8'])
        .trim_matches('\'');
    let inner = if inner.is_empty() && text.contains("\\'") {
        "\\'"
    } else {
        inner
    };
    let inner = if inner.ends_with('\\') && !inner.ends_with("\\\\") {
        "\\'"
    } else {
        inner
    };
    let bytes = unescape(inner);
    match bytes.as_slice() {
        [only] => i128::from(*only as i8),
        many => many
            .iter()
            .fold(0i32, |value, byte| (value << 8) | i32::from(*byte))
            .into(),
    }
}

/// The bytes that the text between two quotes stands for.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut output = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' || at + 1 >= bytes.len() {
            output.push(bytes[at]);
            at += 1;
            continue;
        }
        at += 2;
        output.push(match bytes[at - 1] {
            b'a' => 7,
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'v' => 11,
            b'f' => 12,
            b'r' => 13,
            b'x' => {
                let mut value = 0u32;
                while let Some(digit) = bytes.get(at).and_then(|byte| (*byte as char).to_digit(16))
                {
                    value = (value << 4 | digit) & 0xffff;
                    at += 1;
                }
                value as u8
            }
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                let end = at + 2;
                while at < end
                    && let Some(digit) = bytes.get(at).and_then(|byte| (*byte as char).to_digit(8))
                {
                    value = value << 3 | digit;
                    at += 1;
                }
                value as u8
            }
            other => other,
        });
    }
    output
}
