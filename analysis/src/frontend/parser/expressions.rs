//! Expressions from primary ones up to casts.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    AlignOf, BinaryOperator, BinaryOperatorExpression, CallExpression, CastExpression,
    CompoundLiteral, Expression, GenericAssociation, GenericAssociationType, GenericSelection,
    Identifier, MemberExpression, MemberOperator, OffsetDesignator, OffsetMember,
    OffsetOfExpression, SizeOfTy, SizeOfVal, TypeName, UnaryOperator, UnaryOperatorExpression,
    VaArgExpression,
};
use lang_c::span::{Node, Span};

/// What stands in front of an assignment operator must not be a cast.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKind {
    Cast,
    Unary,
}

impl<'t> Parser<'t> {
    pub(super) fn cast_expression(&mut self) -> Outcome<Node<Expression>> {
        self.cast_or_unary().map(|(expression, _)| expression)
    }

    pub(super) fn cast_or_unary(&mut self) -> Outcome<(Node<Expression>, OperandKind)> {
        if self.cursor.symbol() != Symbol::OpenParenthesis || !self.starts_cast() {
            return Ok((self.unary_expression()?, OperandKind::Unary));
        }
        let start = self.cursor.position();
        let type_name = self.parenthesised_type_name()?;
        self.cursor.skip();
        if self.cursor.symbol() == Symbol::OpenBrace {
            let literal = self.compound_literal(type_name, start)?;
            return Ok((self.postfix_operators(literal, start)?, OperandKind::Unary));
        }
        let cast = CastExpression {
            type_name,
            expression: Box::new(self.cast_expression()?),
        };
        let cast = self.cursor.node(cast, start);
        let expression = Expression::Cast(Box::new(cast));
        Ok((self.cursor.node(expression, start), OperandKind::Cast))
    }

    pub(super) fn unary_expression(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        let operator = match self.cursor.symbol() {
            Symbol::Increment => UnaryOperator::PreIncrement,
            Symbol::Decrement => UnaryOperator::PreDecrement,
            Symbol::Ampersand => UnaryOperator::Address,
            Symbol::Star => UnaryOperator::Indirection,
            Symbol::Plus => UnaryOperator::Plus,
            Symbol::Minus => UnaryOperator::Minus,
            Symbol::Tilde => UnaryOperator::Complement,
            Symbol::Exclamation => UnaryOperator::Negate,
            Symbol::SizeOf => return self.size_of(),
            Symbol::AlignOf => return self.align_of(),
            _ => return self.postfix_expression(),
        };
        let steps = matches!(
            operator,
            UnaryOperator::PreIncrement | UnaryOperator::PreDecrement
        );
        let operator = self.cursor.bump_as(operator);
        self.cursor.skip();
        let operand = Box::new(if steps {
            self.unary_expression()?
        } else {
            self.cast_expression()?
        });
        let unary = self
            .cursor
            .node(UnaryOperatorExpression { operator, operand }, start);
        let expression = Expression::UnaryOperator(Box::new(unary));
        Ok(self.cursor.node(expression, start))
    }

    fn size_of(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        self.cursor.bump();
        self.cursor.skip();
        let expression =
            if self.cursor.symbol() == Symbol::OpenParenthesis && self.starts_type_name(1) {
                let type_name = self.parenthesised_type_name()?;
                Expression::SizeOfTy(Box::new(self.cursor.node(SizeOfTy(type_name), start)))
            } else {
                let operand = Box::new(self.unary_expression()?);
                Expression::SizeOfVal(Box::new(self.cursor.node(SizeOfVal(operand), start)))
            };
        Ok(self.cursor.node(expression, start))
    }

    fn align_of(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        self.cursor.bump();
        self.cursor.skip();
        if self.cursor.symbol() != Symbol::OpenParenthesis {
            return Err(GaveUp);
        }
        let type_name = Box::new(self.parenthesised_type_name()?);
        let align_of = self.cursor.node(AlignOf(type_name), start);
        let expression = Expression::AlignOf(Box::new(align_of));
        Ok(self.cursor.node(expression, start))
    }

    fn parenthesised_type_name(&mut self) -> Outcome<Node<TypeName>> {
        self.cursor.bump();
        self.cursor.skip();
        let type_name = self.type_name()?;
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(type_name)
    }

    fn postfix_expression(&mut self) -> Outcome<Node<Expression>> {
        let start = self.cursor.position();
        let primary = self.primary_expression()?;
        let primary = self.cursor.node(primary, start);
        self.postfix_operators(primary, start)
    }

    fn postfix_operators(
        &mut self,
        first: Node<Expression>,
        start: usize,
    ) -> Outcome<Node<Expression>> {
        let mut expression = first;
        self.cursor.skip();
        loop {
            let before = self.cursor.position();
            self.cursor.skip();
            let operator_start = self.cursor.position();
            let node = match self.cursor.symbol() {
                Symbol::OpenBracket => {
                    self.cursor.bump();
                    self.cursor.skip();
                    let index = self.expression()?;
                    self.cursor.expect(Symbol::CloseBracket)?;
                    let span = Span::span(start, self.cursor.position());
                    let binary = BinaryOperatorExpression {
                        operator: self.cursor.node(BinaryOperator::Index, operator_start),
                        lhs: Box::new(expression),
                        rhs: Box::new(index),
                    };
                    Expression::BinaryOperator(Box::new(Node::new(binary, span)))
                }
                Symbol::OpenParenthesis => {
                    let arguments = self.arguments()?;
                    let call = CallExpression {
                        callee: Box::new(expression),
                        arguments,
                    };
                    Expression::Call(Box::new(self.cursor.node(call, start)))
                }
                symbol @ (Symbol::Dot | Symbol::Arrow) => {
                    let operator = self.cursor.bump_as(match symbol {
                        Symbol::Dot => MemberOperator::Direct,
                        _ => MemberOperator::Indirect,
                    });
                    let member = MemberExpression {
                        operator,
                        expression: Box::new(expression),
                        identifier: self.cursor.identifier()?,
                    };
                    Expression::Member(Box::new(self.cursor.node(member, start)))
                }
                symbol @ (Symbol::Increment | Symbol::Decrement) => {
                    let operator = self.cursor.bump_as(match symbol {
                        Symbol::Increment => UnaryOperator::PostIncrement,
                        _ => UnaryOperator::PostDecrement,
                    });
                    let unary = UnaryOperatorExpression {
                        operator,
                        operand: Box::new(expression),
                    };
                    Expression::UnaryOperator(Box::new(self.cursor.node(unary, start)))
                }
                _ => {
                    self.cursor.set_position(before);
                    // Without an operator the node reaches over the white space behind it.
                    return Ok(self.cursor.node(expression.node, start));
                }
            };
            expression = self.cursor.node(node, start);
        }
    }

    /// `( a , b )`, of a call or an attribute.
    pub(super) fn arguments(&mut self) -> Outcome<Vec<Node<Expression>>> {
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let mut arguments = Vec::new();
        if self.cursor.symbol() != Symbol::CloseParenthesis {
            loop {
                arguments.push(self.assignment_expression()?);
                if self.cursor.symbol() != Symbol::Comma {
                    break;
                }
                self.cursor.expect_and_skip(Symbol::Comma)?;
            }
        }
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(arguments)
    }

    fn primary_expression(&mut self) -> Outcome<Expression> {
        match self.cursor.symbol() {
            Symbol::Identifier => {
                let identifier = self.cursor.identifier()?;
                Ok(Expression::Identifier(Box::new(identifier)))
            }
            Symbol::Number | Symbol::Character => {
                Ok(Expression::Constant(Box::new(self.constant()?)))
            }
            Symbol::String => Ok(Expression::StringLiteral(Box::new(self.string_literal()?))),
            Symbol::OpenParenthesis => self.parenthesised(),
            Symbol::FunctionName => {
                let name = self.cursor.text_at(0).to_owned();
                let identifier = self.cursor.bump_as(Identifier { name });
                Ok(Expression::Identifier(Box::new(identifier)))
            }
            Symbol::Generic => self.generic_selection(),
            Symbol::OffsetOf => self.offset_of(),
            Symbol::VaArg => self.va_arg(),
            _ => Err(GaveUp),
        }
    }

    fn parenthesised(&mut self) -> Outcome<Expression> {
        if self.starts_cast() {
            // Only a compound literal is a postfix expression; a cast in such a place is rare.
            let start = self.cursor.position();
            let type_name = self.parenthesised_type_name()?;
            self.cursor.skip();
            return Ok(self.compound_literal(type_name, start)?.node);
        }
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        if self.cursor.symbol() == Symbol::OpenBrace {
            let statement = self.scoped(Parser::compound_statement)?;
            self.cursor.expect(Symbol::CloseParenthesis)?;
            return Ok(Expression::Statement(Box::new(statement)));
        }
        let inner = self.expression()?;
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(inner.node)
    }

    fn compound_literal(
        &mut self,
        type_name: Node<TypeName>,
        start: usize,
    ) -> Outcome<Node<Expression>> {
        if self.cursor.symbol() != Symbol::OpenBrace
            || self.cursor.symbol_at(1) == Symbol::CloseBrace
        {
            return Err(GaveUp);
        }
        let literal = CompoundLiteral {
            type_name,
            initializer_list: self.initialiser_list()?,
        };
        let literal = self.cursor.node(literal, start);
        let expression = Expression::CompoundLiteral(Box::new(literal));
        Ok(self.cursor.node(expression, start))
    }

    fn generic_selection(&mut self) -> Outcome<Expression> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::Generic)?;
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let expression = Box::new(self.assignment_expression()?);
        let mut associations = Vec::new();
        while self.cursor.symbol() == Symbol::Comma {
            self.cursor.expect_and_skip(Symbol::Comma)?;
            associations.push(self.generic_association()?);
        }
        if associations.is_empty() {
            return Err(GaveUp);
        }
        self.cursor.expect(Symbol::CloseParenthesis)?;
        let selection = GenericSelection {
            expression,
            associations,
        };
        let selection = self.cursor.node(selection, start);
        Ok(Expression::GenericSelection(Box::new(selection)))
    }

    fn generic_association(&mut self) -> Outcome<Node<GenericAssociation>> {
        let start = self.cursor.position();
        if self.cursor.symbol() == Symbol::Default {
            self.cursor.bump();
            self.cursor.expect_and_skip(Symbol::Colon)?;
            let expression = Box::new(self.assignment_expression()?);
            let association = GenericAssociation::Default(expression);
            return Ok(self.cursor.node(association, start));
        }
        let type_name = self.type_name()?;
        self.cursor.expect_and_skip(Symbol::Colon)?;
        let expression = Box::new(self.assignment_expression()?);
        let span = Span::span(type_name.span.start, expression.span.end);
        let association = GenericAssociationType {
            type_name,
            expression,
        };
        let association = GenericAssociation::Type(Node::new(association, span));
        Ok(self.cursor.node(association, start))
    }

    fn va_arg(&mut self) -> Outcome<Expression> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::VaArg)?;
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let va_list = Box::new(self.assignment_expression()?);
        self.cursor.expect_and_skip(Symbol::Comma)?;
        let type_name = self.type_name()?;
        self.cursor.expect(Symbol::CloseParenthesis)?;
        let va_arg = VaArgExpression { va_list, type_name };
        Ok(Expression::VaArg(Box::new(self.cursor.node(va_arg, start))))
    }

    fn offset_of(&mut self) -> Outcome<Expression> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::OffsetOf)?;
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let type_name = self.type_name()?;
        self.cursor.expect_and_skip(Symbol::Comma)?;
        let designator = self.offset_designator()?;
        self.cursor.expect(Symbol::CloseParenthesis)?;
        let offset_of = OffsetOfExpression {
            type_name,
            designator,
        };
        Ok(Expression::OffsetOf(Box::new(
            self.cursor.node(offset_of, start),
        )))
    }

    fn offset_designator(&mut self) -> Outcome<Node<OffsetDesignator>> {
        let start = self.cursor.position();
        let base = self.cursor.identifier()?;
        self.cursor.skip();
        let mut members = Vec::new();
        loop {
            let before = self.cursor.position();
            self.cursor.skip();
            let member_start = self.cursor.position();
            let symbol = self.cursor.symbol();
            if !matches!(symbol, Symbol::Dot | Symbol::Arrow | Symbol::OpenBracket) {
                self.cursor.set_position(before);
                break;
            }
            self.cursor.bump();
            self.cursor.skip();
            let member = match symbol {
                Symbol::Dot => OffsetMember::Member(self.cursor.identifier()?),
                Symbol::Arrow => OffsetMember::IndirectMember(self.cursor.identifier()?),
                _ => {
                    let index = self.expression()?;
                    self.cursor.expect(Symbol::CloseBracket)?;
                    OffsetMember::Index(index)
                }
            };
            members.push(self.cursor.node(member, member_start));
        }
        let designator = OffsetDesignator { base, members };
        Ok(self.cursor.node(designator, start))
    }
}
