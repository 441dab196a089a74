//! Structs, unions and enums.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    EnumType, Enumerator, StructDeclaration, StructDeclarator, StructField, StructKind, StructType,
};
use lang_c::span::Node;

impl<'t> Parser<'t> {
    pub(super) fn record(&mut self) -> Outcome<Node<StructType>> {
        let start = self.cursor.position();
        let kind = match self.cursor.symbol() {
            Symbol::Struct => StructKind::Struct,
            Symbol::Union => StructKind::Union,
            _ => return Err(GaveUp),
        };
        let kind = self.cursor.bump_as(kind);
        let identifier = match self.cursor.symbol() {
            Symbol::Identifier => Some(self.cursor.identifier()?),
            _ => None,
        };
        // lang-c looks for a body behind the white space even if there is none.
        self.cursor.skip();
        let declarations = match self.cursor.symbol() {
            Symbol::OpenBrace => Some(self.members()?),
            _ if identifier.is_none() => return Err(GaveUp),
            _ => None,
        };
        let record = StructType {
            kind,
            identifier,
            declarations,
        };
        Ok(self.cursor.node(record, start))
    }

    fn members(&mut self) -> Outcome<Vec<Node<StructDeclaration>>> {
        self.cursor.expect_and_skip(Symbol::OpenBrace)?;
        let mut members = Vec::new();
        while self.cursor.symbol() != Symbol::CloseBrace {
            self.cursor.skip();
            let start = self.cursor.position();
            let field = StructDeclaration::Field(self.field()?);
            members.push(self.cursor.node(field, start));
        }
        self.cursor.expect(Symbol::CloseBrace)?;
        Ok(members)
    }

    fn field(&mut self) -> Outcome<Node<StructField>> {
        let start = self.cursor.position();
        let specifiers = self.specifier_qualifiers()?;
        let mut declarators = Vec::new();
        if self.cursor.symbol() != Symbol::Semicolon {
            loop {
                declarators.push(self.field_declarator()?);
                if self.cursor.symbol() != Symbol::Comma {
                    break;
                }
                self.cursor.expect_and_skip(Symbol::Comma)?;
            }
        }
        self.cursor.expect(Symbol::Semicolon)?;
        while self.cursor.symbol() == Symbol::Semicolon {
            self.cursor.bump();
        }
        let field = StructField {
            specifiers,
            declarators,
        };
        Ok(self.cursor.node(field, start))
    }

    fn field_declarator(&mut self) -> Outcome<Node<StructDeclarator>> {
        let start = self.cursor.position();
        let mut declarator = match self.cursor.symbol() {
            Symbol::Colon => None,
            _ => Some(self.declarator()?),
        };
        let mut bit_width = None;
        if self.cursor.symbol() == Symbol::Colon {
            self.cursor.expect_and_skip(Symbol::Colon)?;
            bit_width = Some(Box::new(self.conditional_expression()?));
        }
        self.cursor.skip();
        let attributes = self.attributes()?;
        if let Some(declarator) = &mut declarator {
            declarator.node.extensions.extend(attributes);
        }
        let declarator = StructDeclarator {
            declarator,
            bit_width,
        };
        Ok(self.cursor.node(declarator, start))
    }

    pub(super) fn enumeration(&mut self) -> Outcome<Node<EnumType>> {
        let start = self.cursor.position();
        self.cursor.expect(Symbol::Enum)?;
        let identifier = match self.cursor.symbol() {
            Symbol::Identifier => Some(self.cursor.identifier()?),
            _ => None,
        };
        let mut enumerators = Vec::new();
        if self.cursor.symbol() == Symbol::OpenBrace {
            enumerators = self.braced_list(Self::enumerator)?;
        } else if identifier.is_none() {
            return Err(GaveUp);
        }
        let enumeration = EnumType {
            identifier,
            enumerators,
        };
        Ok(self.cursor.node(enumeration, start))
    }

    fn enumerator(&mut self) -> Outcome<Node<Enumerator>> {
        let start = self.cursor.position();
        self.declare_parsed_repeatedly(self.cursor.text_at(0))?;
        let identifier = self.cursor.identifier()?;
        self.cursor.skip();
        let extensions = self.attributes()?;
        self.cursor.skip();
        let expression = match self.cursor.symbol() {
            Symbol::Assign => {
                self.cursor.expect_and_skip(Symbol::Assign)?;
                Some(Box::new(self.conditional_expression()?))
            }
            _ => None,
        };
        let enumerator = Enumerator {
            identifier,
            expression,
            extensions,
        };
        Ok(self.cursor.node(enumerator, start))
    }

    /// Declares a value in a place that lang-c may parse several times, so that it would see its
    /// own name the second time. If that hides a type, the outcome is left to lang-c.
    pub(super) fn declare_parsed_repeatedly(&self, name: &'t str) -> Outcome<()> {
        if self.typedefs.is_type(name) {
            return Err(GaveUp);
        }
        Ok(())
    }
}
