//! Initialisers, braced lists and designators.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{Designator, Initializer, InitializerListItem, RangeDesignator};
use lang_c::span::{Node, Span};

impl Parser<'_> {
    pub(super) fn initialiser(&mut self) -> Outcome<Initializer> {
        if self.cursor.symbol() != Symbol::OpenBrace {
            let expression = Box::new(self.assignment_expression()?);
            return Ok(Initializer::Expression(expression));
        }
        if self.cursor.symbol_at(1) == Symbol::CloseBrace {
            self.cursor.bump();
            self.cursor.bump();
            return Ok(Initializer::List(Vec::new()));
        }
        self.initialiser_list().map(Initializer::List)
    }

    /// `{ a , b , }`, with at least one element.
    pub(super) fn initialiser_list(&mut self) -> Outcome<Vec<Node<InitializerListItem>>> {
        self.braced_list(Self::initialiser_list_item)
    }

    /// At least one item in braces, with commas between them and perhaps one behind the last.
    pub(super) fn braced_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Outcome<T>,
    ) -> Outcome<Vec<T>> {
        self.cursor.expect_and_skip(Symbol::OpenBrace)?;
        let mut items = Vec::new();
        loop {
            items.push(item(self)?);
            if self.cursor.symbol() != Symbol::Comma {
                break;
            }
            self.cursor.expect_and_skip(Symbol::Comma)?;
            if self.cursor.symbol() == Symbol::CloseBrace {
                break;
            }
        }
        self.cursor.expect(Symbol::CloseBrace)?;
        Ok(items)
    }

    fn initialiser_list_item(&mut self) -> Outcome<Node<InitializerListItem>> {
        let start = self.cursor.position();
        let designation = self.designation()?;
        self.cursor.skip();
        let initialiser_start = self.cursor.position();
        let initialiser = self.initialiser()?;
        let item = InitializerListItem {
            designation,
            initializer: Box::new(self.cursor.node(initialiser, initialiser_start)),
        };
        Ok(self.cursor.node(item, start))
    }

    fn designation(&mut self) -> Outcome<Vec<Node<Designator>>> {
        let mut designators = Vec::new();
        // `member : value`, as GNU C had it before C99.
        if self.cursor.symbol() == Symbol::Identifier && self.cursor.symbol_at(1) == Symbol::Colon {
            let start = self.cursor.position();
            let member = Designator::Member(self.cursor.identifier()?);
            self.cursor.bump();
            return Ok(vec![self.cursor.node(member, start)]);
        }
        loop {
            self.cursor.skip();
            let start = self.cursor.position();
            let designator = match self.cursor.symbol() {
                Symbol::OpenBracket => self.array_designator()?,
                Symbol::Dot => {
                    self.cursor.bump();
                    Designator::Member(self.cursor.identifier()?)
                }
                _ => break,
            };
            designators.push(self.cursor.node(designator, start));
        }
        if !designators.is_empty() {
            self.cursor.expect(Symbol::Assign)?;
        }
        Ok(designators)
    }

    fn array_designator(&mut self) -> Outcome<Designator> {
        self.cursor.expect_and_skip(Symbol::OpenBracket)?;
        let from = self.conditional_expression()?;
        let designator = match self.cursor.symbol() {
            Symbol::CloseBracket => Designator::Index(from),
            Symbol::Ellipsis => {
                self.cursor.expect_and_skip(Symbol::Ellipsis)?;
                let to = self.conditional_expression()?;
                let span = Span::span(from.span.start, to.span.end);
                Designator::Range(Node::new(RangeDesignator { from, to }, span))
            }
            _ => return Err(GaveUp),
        };
        self.cursor.expect(Symbol::CloseBracket)?;
        Ok(designator)
    }
}
