//! Declarators with a name, and type names with those that have none.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    ArrayDeclarator, ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, PointerQualifier,
    TypeName, TypeQualifier,
};
use lang_c::span::{Node, Span};

impl<'t> Parser<'t> {
    pub(super) fn declarator(&mut self) -> Outcome<Node<Declarator>> {
        let start = self.cursor.position();
        let extensions = self.attributes()?;
        self.cursor.skip();
        let mut derived = self.pointers()?;
        self.cursor.skip();
        let kind_start = self.cursor.position();
        let kind = match self.cursor.symbol() {
            Symbol::Identifier => DeclaratorKind::Identifier(self.cursor.identifier()?),
            Symbol::OpenParenthesis => {
                self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
                let inner = Box::new(self.declarator()?);
                self.cursor.expect(Symbol::CloseParenthesis)?;
                DeclaratorKind::Declarator(inner)
            }
            _ => return Err(GaveUp),
        };
        let kind = self.cursor.node(kind, kind_start);
        self.cursor.skip();
        self.derived(&mut derived, Parser::derived_function)?;
        let declarator = Declarator {
            kind,
            derived,
            extensions,
        };
        Ok(self.cursor.node(declarator, start))
    }

    /// Brackets behind a declarator. Ends where it starts if there are none, else behind the last.
    fn derived(
        &mut self,
        derived: &mut Vec<Node<DerivedDeclarator>>,
        function: fn(&mut Self) -> Outcome<DerivedDeclarator>,
    ) -> Outcome<()> {
        loop {
            let before = self.cursor.position();
            self.cursor.skip();
            let start = self.cursor.position();
            let declarator = match self.cursor.symbol() {
                Symbol::OpenBracket => self.array_declarator()?,
                Symbol::OpenParenthesis => function(self)?,
                _ => {
                    self.cursor.set_position(before);
                    return Ok(());
                }
            };
            derived.push(self.cursor.node(declarator, start));
        }
    }

    /// `* const *`: ends behind the white space after a last `*`, but not after a qualifier.
    fn pointers(&mut self) -> Outcome<Vec<Node<DerivedDeclarator>>> {
        let mut pointers = Vec::new();
        while self.cursor.symbol() == Symbol::Star {
            self.cursor.skip();
            let start = self.cursor.position();
            self.cursor.bump();
            self.cursor.skip();
            let mut qualifiers = Vec::new();
            loop {
                let before = self.cursor.position();
                self.cursor.skip();
                let qualifier_start = self.cursor.position();
                let qualifier = if let Some(qualifier) = self.type_qualifier() {
                    PointerQualifier::TypeQualifier(qualifier)
                } else if self.cursor.symbol() == Symbol::Attribute {
                    PointerQualifier::Extension(self.attribute_specifier()?)
                } else {
                    self.cursor.set_position(before);
                    break;
                };
                qualifiers.push(self.cursor.node(qualifier, qualifier_start));
            }
            let pointer = DerivedDeclarator::Pointer(qualifiers);
            pointers.push(self.cursor.node(pointer, start));
        }
        Ok(pointers)
    }

    fn array_declarator(&mut self) -> Outcome<DerivedDeclarator> {
        self.cursor.expect_and_skip(Symbol::OpenBracket)?;
        let start = self.cursor.position();
        let is_static_first = self.cursor.symbol() == Symbol::Static;
        if is_static_first {
            self.cursor.bump();
        }
        let qualifiers = self.array_qualifiers();
        self.cursor.skip();
        let size = match self.cursor.symbol() {
            _ if is_static_first => {
                ArraySize::StaticExpression(Box::new(self.assignment_expression()?))
            }
            Symbol::CloseBracket => ArraySize::Unknown,
            Symbol::Static if !qualifiers.is_empty() => {
                self.cursor.expect_and_skip(Symbol::Static)?;
                ArraySize::StaticExpression(Box::new(self.assignment_expression()?))
            }
            Symbol::Star if self.cursor.symbol_at(1) == Symbol::CloseBracket => {
                // A type without a name takes no qualifiers here; that is rare enough.
                if !qualifiers.is_empty() {
                    return Err(GaveUp);
                }
                self.cursor.bump();
                ArraySize::VariableUnknown
            }
            _ => ArraySize::VariableExpression(Box::new(self.assignment_expression()?)),
        };
        self.cursor.expect(Symbol::CloseBracket)?;
        let array = self
            .cursor
            .node(ArrayDeclarator { qualifiers, size }, start);
        Ok(DerivedDeclarator::Array(array))
    }

    fn array_qualifiers(&mut self) -> Vec<Node<TypeQualifier>> {
        let mut qualifiers = Vec::new();
        while let Some(qualifier) = self.type_qualifier() {
            qualifiers.push(qualifier);
        }
        qualifiers
    }

    /// Ends behind the white space if it has no declarator.
    pub(super) fn type_name(&mut self) -> Outcome<Node<TypeName>> {
        let start = self.cursor.position();
        let specifiers = self.specifier_qualifiers()?;
        let declarator = match self.cursor.symbol() {
            Symbol::Star | Symbol::OpenParenthesis | Symbol::OpenBracket => {
                Some(self.abstract_declarator()?)
            }
            _ => None,
        };
        let type_name = TypeName {
            specifiers,
            declarator,
        };
        Ok(self.cursor.node(type_name, start))
    }

    pub(super) fn abstract_declarator(&mut self) -> Outcome<Node<Declarator>> {
        let start = self.cursor.position();
        let mut derived = self.pointers()?;
        let behind_pointers = self.cursor.position();
        let has_inner = self.cursor.symbol() == Symbol::OpenParenthesis
            && matches!(
                self.cursor.symbol_at(1),
                Symbol::Star | Symbol::OpenParenthesis | Symbol::OpenBracket
            );
        let kind = if has_inner {
            self.cursor.skip();
            let kind_start = self.cursor.position();
            self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
            let inner = Box::new(self.abstract_declarator()?);
            self.cursor.expect(Symbol::CloseParenthesis)?;
            let kind = self
                .cursor
                .node(DeclaratorKind::Declarator(inner), kind_start);
            self.cursor.skip();
            kind
        } else {
            let place = Span::span(behind_pointers, behind_pointers);
            Node::new(DeclaratorKind::Abstract, place)
        };
        let pointers = derived.len();
        self.derived(&mut derived, Parser::abstract_derived_function)?;
        if !has_inner && derived.is_empty() {
            return Err(GaveUp);
        }
        if !has_inner && derived.len() == pointers {
            self.cursor.set_position(behind_pointers);
        }
        let declarator = Declarator {
            kind,
            derived,
            extensions: Vec::new(),
        };
        Ok(self.cursor.node(declarator, start))
    }
}

/// The name that a declarator declares.
pub(super) fn declared_name(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(identifier) => Some(&identifier.node.name),
        DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}
