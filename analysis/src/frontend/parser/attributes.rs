//! GNU attributes.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{Attribute, Extension};
use lang_c::span::Node;

impl Parser<'_> {
    /// All attributes that stand here, which may be none.
    pub(super) fn attributes(&mut self) -> Outcome<Vec<Node<Extension>>> {
        let mut extensions = Vec::new();
        while self.cursor.symbol() == Symbol::Attribute {
            extensions.extend(self.attribute_specifier()?);
        }
        Ok(extensions)
    }

    /// `__attribute__ (( a , b ))`.
    pub(super) fn attribute_specifier(&mut self) -> Outcome<Vec<Node<Extension>>> {
        self.cursor.expect(Symbol::Attribute)?;
        self.double_bracket(Symbol::OpenParenthesis)?;
        self.cursor.skip();
        let mut extensions = Vec::new();
        if self.cursor.symbol() != Symbol::CloseParenthesis {
            loop {
                extensions.push(self.attribute()?);
                self.cursor.skip();
                if self.cursor.symbol() != Symbol::Comma {
                    break;
                }
                self.cursor.expect_and_skip(Symbol::Comma)?;
            }
        }
        self.double_bracket(Symbol::CloseParenthesis)?;
        Ok(extensions)
    }

    /// To lang-c both brackets are one token.
    fn double_bracket(&mut self, bracket: Symbol) -> Outcome<()> {
        if !self.cursor.touches_next() {
            return Err(GaveUp);
        }
        self.cursor.expect(bracket)?;
        self.cursor.expect(bracket)
    }

    fn attribute(&mut self) -> Outcome<Node<Extension>> {
        let start = self.cursor.position();
        // Words of the language can be names of attributes, but need not be known here.
        if self.cursor.symbol() != Symbol::Identifier {
            return Err(GaveUp);
        }
        let name = self.cursor.text_at(0).to_owned();
        let name = self.cursor.bump_as(name);
        self.cursor.skip();
        let arguments = match self.cursor.symbol() {
            Symbol::OpenParenthesis => self.arguments()?,
            _ => Vec::new(),
        };
        let attribute = Extension::Attribute(Attribute { name, arguments });
        Ok(self.cursor.node(attribute, start))
    }
}
