//! Declarations, and functions with their bodies.

use super::declarators::declared_name;
use super::specifiers::{Specifiers, TypedefWord};
use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    Declaration, Declarator, DeclaratorKind, ExternalDeclaration, FunctionDefinition,
    InitDeclarator,
};
use lang_c::span::Node;

impl<'t> Parser<'t> {
    /// The only item of the text.
    pub(super) fn external_declaration(&mut self) -> Outcome<ExternalDeclaration> {
        let start = self.cursor.position();
        let specifiers = self.declaration_specifiers(TypedefWord::Allowed)?;
        let item = if self.cursor.symbol() == Symbol::Semicolon {
            let declaration = self.declaration_end(specifiers, Vec::new(), start)?;
            ExternalDeclaration::Declaration(declaration)
        } else {
            let declarator_start = self.cursor.position();
            let name = self.name_ahead();
            let declarator = self.declarator()?;
            if self.is_function_definition() && !specifiers.is_typedef {
                let function = self.function_definition(specifiers, declarator, name, start)?;
                ExternalDeclaration::FunctionDefinition(function)
            } else {
                let first = self.init_declarator_from(
                    declarator,
                    name,
                    specifiers.is_typedef,
                    declarator_start,
                )?;
                let declarators = self.more_init_declarators(first, specifiers.is_typedef)?;
                let declaration = self.declaration_end(specifiers, declarators, start)?;
                ExternalDeclaration::Declaration(declaration)
            }
        };
        while self.cursor.symbol() == Symbol::Semicolon {
            self.cursor.bump();
        }
        match self.cursor.symbol() {
            Symbol::End => Ok(item),
            _ => Err(GaveUp),
        }
    }

    pub(super) fn declaration(&mut self) -> Outcome<Node<Declaration>> {
        let start = self.cursor.position();
        let specifiers = self.declaration_specifiers(TypedefWord::Allowed)?;
        if self.cursor.symbol() == Symbol::Semicolon {
            return self.declaration_end(specifiers, Vec::new(), start);
        }
        let first = self.init_declarator(specifiers.is_typedef)?;
        let declarators = self.more_init_declarators(first, specifiers.is_typedef)?;
        self.declaration_end(specifiers, declarators, start)
    }

    fn declaration_end(
        &mut self,
        specifiers: Specifiers,
        declarators: Vec<Node<InitDeclarator>>,
        start: usize,
    ) -> Outcome<Node<Declaration>> {
        self.cursor.expect(Symbol::Semicolon)?;
        let declaration = Declaration {
            specifiers: specifiers.nodes,
            declarators,
        };
        Ok(self.cursor.node(declaration, start))
    }

    fn more_init_declarators(
        &mut self,
        first: Node<InitDeclarator>,
        is_typedef: bool,
    ) -> Outcome<Vec<Node<InitDeclarator>>> {
        let mut declarators = vec![first];
        while self.cursor.symbol() == Symbol::Comma {
            self.cursor.expect_and_skip(Symbol::Comma)?;
            declarators.push(self.init_declarator(is_typedef)?);
        }
        Ok(declarators)
    }

    fn init_declarator(&mut self, is_typedef: bool) -> Outcome<Node<InitDeclarator>> {
        let start = self.cursor.position();
        let name = self.name_ahead();
        let declarator = self.declarator()?;
        self.init_declarator_from(declarator, name, is_typedef, start)
    }

    /// A variable's name is known in its own initialiser.
    fn init_declarator_from(
        &mut self,
        mut declarator: Node<Declarator>,
        name: &'t str,
        is_typedef: bool,
        start: usize,
    ) -> Outcome<Node<InitDeclarator>> {
        check_name(&declarator.node, name)?;
        if !is_typedef {
            self.typedefs.declare_value(name);
        }
        self.cursor.skip();
        declarator.node.extensions.extend(self.attributes()?);
        let mut initializer = None;
        if is_typedef {
            self.typedefs.declare_type(name);
        } else {
            self.cursor.skip();
            if self.cursor.symbol() == Symbol::Assign {
                let start = self.cursor.position();
                self.cursor.expect_and_skip(Symbol::Assign)?;
                let value = self.initialiser()?;
                initializer = Some(self.cursor.node(value, start));
            }
        }
        let declarator = InitDeclarator {
            declarator,
            initializer,
        };
        Ok(self.cursor.node(declarator, start))
    }

    /// The name that the declarator in front of the cursor will declare: the first identifier
    /// behind stars, qualifiers and brackets.
    fn name_ahead(&self) -> &'t str {
        let mut ahead = 0;
        loop {
            match self.cursor.symbol_at(ahead) {
                Symbol::Identifier => return self.cursor.text_at(ahead),
                Symbol::Star | Symbol::OpenParenthesis => {}
                symbol if symbol.is_plain_qualifier() || symbol == Symbol::Atomic => {}
                // Attributes come first only rarely; what follows then is not worth a search.
                _ => return "",
            }
            ahead += 1;
        }
    }

    /// Whether a body, or the declarations of an old-style definition, follow the declarator.
    fn is_function_definition(&self) -> bool {
        match self.cursor.symbol() {
            Symbol::OpenBrace => true,
            Symbol::Identifier => true,
            Symbol::Attribute => false,
            symbol => symbol.starts_specifier(),
        }
    }

    fn function_definition(
        &mut self,
        specifiers: Specifiers,
        declarator: Node<Declarator>,
        name: &'t str,
        start: usize,
    ) -> Outcome<Node<FunctionDefinition>> {
        check_name(&declarator.node, name)?;
        // lang-c first takes the header for a declaration, and knows the name when it reads it again.
        self.declare_parsed_repeatedly(name)?;
        self.typedefs.enter_scope();
        let mut declarations = Vec::new();
        self.cursor.skip();
        while self.cursor.symbol() != Symbol::OpenBrace {
            declarations.push(self.declaration()?);
            self.cursor.skip();
        }
        let statement = self.compound_statement()?;
        self.typedefs.leave_scope();
        let function = FunctionDefinition {
            specifiers: specifiers.nodes,
            declarator,
            declarations,
            statement,
        };
        Ok(self.cursor.node(function, start))
    }
}

/// The name that was seen ahead must be the one that was declared.
fn check_name(declarator: &Declarator, name: &str) -> Outcome<()> {
    match &declarator.kind.node {
        DeclaratorKind::Identifier(identifier) if identifier.node.name == name => Ok(()),
        _ if declared_name(declarator) == Some(name) => Ok(()),
        _ => Err(GaveUp),
    }
}
