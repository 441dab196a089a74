//! Binary operators by precedence climbing, conditionals, assignments and commas.

use super::expressions::OperandKind;
use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Expression};
use lang_c::span::{Node, Span};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        let first = self.assignment_expression()?;
        if self.cursor.symbol() != Symbol::Comma {
            return Ok(self.cursor.node(first.node, start));
        }
        let mut parts = vec![first];
        while self.cursor.symbol() == Symbol::Comma {
            self.cursor.expect_and_skip(Symbol::Comma)?;
            parts.push(self.assignment_expression()?);
        }
        Ok(self.cursor.node(Expression::Comma(Box::new(parts)), start))
    }

    /// Ends behind the white space that follows it, as conditionals do.
    pub(super) fn assignment_expression(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        let (operand, kind) = self.cast_or_unary()?;
        let Some(operator) = assignment_operator(self.cursor.symbol()) else {
            return self.conditional_from(operand, start);
        };
        // `(t)(x) = y` with a type `t` is a call of `t` for lang-c.
        if kind == OperandKind::Cast {
            return Err(GaveUp);
        }
        let operator = self.cursor.bump_as(operator);
        self.cursor.skip();
        let binary = BinaryOperatorExpression {
            operator,
            lhs: Box::new(operand),
            rhs: Box::new(self.assignment_expression()?),
        };
        let binary = self.cursor.node(binary, start);
        let expression = Expression::BinaryOperator(Box::new(binary));
        Ok(self.cursor.node(expression, start))
    }

    pub(super) fn conditional_expression(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        let operand = self.cast_expression()?;
        self.conditional_from(operand, start)
    }

    fn conditional_from(
        &mut self,
        operand: Node<Expression>,
        start: usize,
    ) -> Outcome<Node<Expression>> {
        let condition = self.binary_from(operand, 0)?;
        self.cursor.skip();
        if self.cursor.symbol() != Symbol::Question {
            return Ok(self.cursor.node(condition.node, start));
        }
        self.cursor.expect_and_skip(Symbol::Question)?;
        let then_expression = self.expression()?;
        self.cursor.expect_and_skip(Symbol::Colon)?;
        let else_expression = self.conditional_expression()?;
        let span = Span::span(condition.span.start, else_expression.span.end);
        let conditional = ConditionalExpression {
            condition: Box::new(condition),
            then_expression: Box::new(then_expression),
            else_expression: Box::new(else_expression),
        };
        let expression = Expression::Conditional(Box::new(Node::new(conditional, span)));
        Ok(self.cursor.node(expression, start))
    }

    /// Goes on behind `first` while operators bind at least as strongly as `weakest`.
    fn binary_from(&mut self, first: Node<Expression>, weakest: u8) -> Outcome<Node<Expression>> {
        let mut left = first;
        while let Some((operator, strength)) = binary_operator(self.cursor.symbol())
            && strength >= weakest
        {
            let operator = self.cursor.bump_as(operator);
            self.cursor.skip();
            let operand = self.cast_expression()?;
            let right = self.binary_from(operand, strength + 1)?;
            let span = Span::span(left.span.start, right.span.end);
            let binary = BinaryOperatorExpression {
                operator,
                lhs: Box::new(left),
                rhs: Box::new(right),
            };
            let binary = Box::new(Node::new(binary, span));
            left = Node::new(Expression::BinaryOperator(binary), span);
        }
        Ok(left)
    }
}

fn binary_operator(symbol: Symbol) -> Option<(BinaryOperator, u8)> {
    Some(match symbol {
        Symbol::LogicalOr => (BinaryOperator::LogicalOr, 0),
        Symbol::LogicalAnd => (BinaryOperator::LogicalAnd, 1),
        Symbol::Bar => (BinaryOperator::BitwiseOr, 2),
        Symbol::Caret => (BinaryOperator::BitwiseXor, 3),
        Symbol::Ampersand => (BinaryOperator::BitwiseAnd, 4),
        Symbol::Equals => (BinaryOperator::Equals, 5),
        Symbol::NotEquals => (BinaryOperator::NotEquals, 5),
        Symbol::Less => (BinaryOperator::Less, 6),
        Symbol::Greater => (BinaryOperator::Greater, 6),
        Symbol::LessOrEqual => (BinaryOperator::LessOrEqual, 6),
        Symbol::GreaterOrEqual => (BinaryOperator::GreaterOrEqual, 6),
        Symbol::ShiftLeft => (BinaryOperator::ShiftLeft, 7),
        Symbol::ShiftRight => (BinaryOperator::ShiftRight, 7),
        Symbol::Plus => (BinaryOperator::Plus, 8),
        Symbol::Minus => (BinaryOperator::Minus, 8),
        Symbol::Star => (BinaryOperator::Multiply, 9),
        Symbol::Slash => (BinaryOperator::Divide, 9),
        Symbol::Percent => (BinaryOperator::Modulo, 9),
        _ => return None,
    })
}

fn assignment_operator(symbol: Symbol) -> Option<BinaryOperator> {
    Some(match symbol {
        Symbol::Assign => BinaryOperator::Assign,
        Symbol::AssignMultiply => BinaryOperator::AssignMultiply,
        Symbol::AssignDivide => BinaryOperator::AssignDivide,
        Symbol::AssignModulo => BinaryOperator::AssignModulo,
        Symbol::AssignPlus => BinaryOperator::AssignPlus,
        Symbol::AssignMinus => BinaryOperator::AssignMinus,
        Symbol::AssignShiftLeft => BinaryOperator::AssignShiftLeft,
        Symbol::AssignShiftRight => BinaryOperator::AssignShiftRight,
        Symbol::AssignAnd => BinaryOperator::AssignBitwiseAnd,
        Symbol::AssignXor => BinaryOperator::AssignBitwiseXor,
        Symbol::AssignOr => BinaryOperator::AssignBitwiseOr,
        _ => return None,
    })
}
