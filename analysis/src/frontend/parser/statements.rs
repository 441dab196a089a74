//! Statements.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    BlockItem, CaseRange, DoWhileStatement, Expression, ForInitializer, ForStatement, IfStatement,
    Label, LabeledStatement, Statement, SwitchStatement, WhileStatement,
};
use lang_c::span::{Node, Span};

impl<'t> Parser<'t> {
    /// Parses inside a scope of its own. A parser that gives up needs no scopes any more.
    pub(super) fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.typedefs.enter_scope();
        let result = parse(self)?;
        self.typedefs.leave_scope();
        Ok(result)
    }

    pub(super) fn compound_statement(&mut self) -> Outcome<Node<Statement>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::OpenBrace)?;
        let mut items = Vec::new();
        while self.cursor.symbol() != Symbol::CloseBrace {
            self.cursor.skip();
            let item_start = self.cursor.position();
            let item = if self.starts_declaration() {
                BlockItem::Declaration(self.declaration()?)
            } else {
                BlockItem::Statement(self.statement()?)
            };
            items.push(self.cursor.node(item, item_start));
        }
        self.cursor.expect(Symbol::CloseBrace)?;
        Ok(self.cursor.node(Statement::Compound(items), start))
    }

    fn statement(&mut self) -> Outcome<Node<Statement>> {
        let start = self.cursor.position();
        let statement = match self.cursor.symbol() {
            Symbol::OpenBrace => return self.scoped(Parser::compound_statement),
            Symbol::Identifier if self.cursor.symbol_at(1) == Symbol::Colon => self.labelled()?,
            Symbol::Case | Symbol::Default => self.labelled()?,
            Symbol::If => Statement::If(self.scoped(Parser::if_statement)?),
            Symbol::Switch => Statement::Switch(self.scoped(Parser::switch_statement)?),
            Symbol::While => Statement::While(self.scoped(Parser::while_statement)?),
            Symbol::Do => Statement::DoWhile(self.scoped(Parser::do_statement)?),
            Symbol::For => Statement::For(self.scoped(Parser::for_statement)?),
            Symbol::Goto => {
                self.cursor.bump();
                let label = self.cursor.identifier()?;
                self.cursor.expect(Symbol::Semicolon)?;
                Statement::Goto(label)
            }
            Symbol::Continue => {
                self.cursor.bump();
                self.cursor.expect(Symbol::Semicolon)?;
                Statement::Continue
            }
            Symbol::Break => {
                self.cursor.bump();
                self.cursor.expect(Symbol::Semicolon)?;
                Statement::Break
            }
            Symbol::Return => {
                self.cursor.bump();
                self.cursor.skip();
                Statement::Return(self.optional_expression_until(Symbol::Semicolon)?)
            }
            _ => Statement::Expression(self.optional_expression_until(Symbol::Semicolon)?),
        };
        Ok(self.cursor.node(statement, start))
    }

    /// An expression or nothing, and the symbol behind it.
    fn optional_expression_until(&mut self, end: Symbol) -> Outcome<Option<Box<Node<Expression>>>> {
        let expression = match self.cursor.symbol() {
            symbol if symbol == end => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.cursor.expect(end)?;
        Ok(expression)
    }

    fn boxed_statement(&mut self) -> Outcome<Box<Node<Statement>>> {
        self.cursor.skip();
        self.statement().map(Box::new)
    }

    /// `( expression )`.
    fn condition(&mut self) -> Outcome<Box<Node<Expression>>> {
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let expression = Box::new(self.expression()?);
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(expression)
    }

    fn labelled(&mut self) -> Outcome<Statement> {
        let start = self.cursor.position();
        let label = match self.cursor.symbol() {
            Symbol::Identifier => Label::Identifier(self.cursor.identifier()?),
            Symbol::Default => {
                self.cursor.bump();
                Label::Default
            }
            Symbol::Case => {
                self.cursor.bump();
                self.cursor.skip();
                self.case_value()?
            }
            _ => return Err(GaveUp),
        };
        let label = self.cursor.node(label, start);
        self.cursor.expect(Symbol::Colon)?;
        let labelled = LabeledStatement {
            label,
            statement: self.boxed_statement()?,
        };
        Ok(Statement::Labeled(self.cursor.node(labelled, start)))
    }

    fn case_value(&mut self) -> Outcome<Label> {
        let low = Box::new(self.conditional_expression()?);
        if self.cursor.symbol() != Symbol::Ellipsis {
            return Ok(Label::Case(low));
        }
        self.cursor.expect_and_skip(Symbol::Ellipsis)?;
        let high = Box::new(self.conditional_expression()?);
        let span = Span::span(low.span.start, high.span.end);
        Ok(Label::CaseRange(Node::new(CaseRange { low, high }, span)))
    }

    fn if_statement(&mut self) -> Outcome<Node<IfStatement>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::If)?;
        let condition = self.condition()?;
        let then_statement = self.boxed_statement()?;
        self.cursor.skip();
        let mut else_statement = None;
        if self.cursor.symbol() == Symbol::Else {
            self.cursor.bump();
            else_statement = Some(self.boxed_statement()?);
        }
        let statement = IfStatement {
            condition,
            then_statement,
            else_statement,
        };
        Ok(self.cursor.node(statement, start))
    }

    fn switch_statement(&mut self) -> Outcome<Node<SwitchStatement>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::Switch)?;
        let statement = SwitchStatement {
            expression: self.condition()?,
            statement: self.boxed_statement()?,
        };
        Ok(self.cursor.node(statement, start))
    }

    fn while_statement(&mut self) -> Outcome<Node<WhileStatement>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::While)?;
        let statement = WhileStatement {
            expression: self.condition()?,
            statement: self.boxed_statement()?,
        };
        Ok(self.cursor.node(statement, start))
    }

    fn do_statement(&mut self) -> Outcome<Node<DoWhileStatement>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::Do)?;
        let statement = self.boxed_statement()?;
        self.cursor.expect(Symbol::While)?;
        let expression = self.condition()?;
        self.cursor.expect(Symbol::Semicolon)?;
        let statement = DoWhileStatement {
            statement,
            expression,
        };
        Ok(self.cursor.node(statement, start))
    }

    fn for_statement(&mut self) -> Outcome<Node<ForStatement>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::For)?;
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let initializer_start = self.cursor.position();
        let initializer = self.for_initialiser()?;
        let initializer = self.cursor.node(initializer, initializer_start);
        self.cursor.skip();
        let condition = self.optional_expression_until(Symbol::Semicolon)?;
        self.cursor.skip();
        let step = self.optional_expression_until(Symbol::CloseParenthesis)?;
        let statement = ForStatement {
            initializer,
            condition,
            step,
            statement: self.boxed_statement()?,
        };
        Ok(self.cursor.node(statement, start))
    }

    /// Includes its `;`. lang-c tries an expression first, and a name is one even if it names a type.
    fn for_initialiser(&mut self) -> Outcome<ForInitializer> {
        let symbol = self.cursor.symbol();
        let is_declaration = match symbol {
            Symbol::Semicolon => {
                self.cursor.bump();
                return Ok(ForInitializer::Empty);
            }
            // To lang-c's expressions `typeof` is a function.
            Symbol::TypeOf => return Err(GaveUp),
            Symbol::Identifier if self.typedefs.is_type(self.cursor.text_at(0)) => {
                self.is_for_declaration()?
            }
            symbol => symbol.starts_specifier(),
        };
        if is_declaration {
            return Ok(ForInitializer::Declaration(self.declaration()?));
        }
        let expression = Box::new(self.expression()?);
        self.cursor.expect(Symbol::Semicolon)?;
        Ok(ForInitializer::Expression(expression))
    }

    /// Behind a name of a type, in a place where an expression has precedence.
    fn is_for_declaration(&self) -> Outcome<bool> {
        let mut ahead = 1;
        while self.cursor.symbol_at(ahead) == Symbol::Star {
            ahead += 1;
        }
        let after_name = self.cursor.symbol_at(ahead + 1);
        match self.cursor.symbol_at(ahead) {
            // `T x`: no expression goes on like that.
            Symbol::Identifier if ahead == 1 => Ok(true),
            // `T * x = y`: the product is no lvalue to lang-c either.
            Symbol::Identifier if after_name == Symbol::Assign => Ok(true),
            Symbol::Identifier | Symbol::OpenParenthesis => Err(GaveUp),
            symbol if symbol.is_plain_qualifier() => Ok(true),
            // `T = 0`: no declaration goes on like that, but a parameter may have that name.
            Symbol::Assign if ahead == 1 => Ok(false),
            _ => Err(GaveUp),
        }
    }
}
