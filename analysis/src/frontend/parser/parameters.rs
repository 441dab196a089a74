//! Parameter lists.

use super::specifiers::TypedefWord;
use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    DerivedDeclarator, Ellipsis, FunctionDeclarator, Identifier, ParameterDeclaration,
};
use lang_c::span::Node;

/// Whether lang-c gives a parameter list a scope of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParameterScope {
    Own,
    /// Behind a declarator without a name: the parameters are declared around it.
    Surrounding,
}

impl<'t> Parser<'t> {
    pub(super) fn derived_function(&mut self) -> Outcome<DerivedDeclarator> {
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        if !self.starts_parameter() {
            let names = self.old_style_names()?;
            self.cursor.expect(Symbol::CloseParenthesis)?;
            return Ok(DerivedDeclarator::KRFunction(names));
        }
        self.typedefs.enter_scope();
        let function = self.parameters(ParameterScope::Own)?;
        self.typedefs.leave_scope();
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(DerivedDeclarator::Function(function))
    }

    pub(super) fn abstract_derived_function(&mut self) -> Outcome<DerivedDeclarator> {
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let function = if self.cursor.symbol() == Symbol::CloseParenthesis {
            let empty = FunctionDeclarator {
                parameters: Vec::new(),
                ellipsis: Ellipsis::None,
            };
            self.cursor.node(empty, self.cursor.position())
        } else {
            self.parameters(ParameterScope::Surrounding)?
        };
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(DerivedDeclarator::Function(function))
    }

    fn starts_parameter(&self) -> bool {
        match self.cursor.symbol() {
            Symbol::Identifier => self.typedefs.is_type(self.cursor.text_at(0)),
            symbol => symbol.starts_specifier(),
        }
    }

    /// `( a , b )` of an old-style definition, and `( )`.
    fn old_style_names(&mut self) -> Outcome<Vec<Node<Identifier>>> {
        let mut names = Vec::new();
        if self.cursor.symbol() != Symbol::CloseParenthesis {
            loop {
                names.push(self.cursor.identifier()?);
                if self.cursor.symbol() != Symbol::Comma {
                    break;
                }
                self.cursor.expect_and_skip(Symbol::Comma)?;
            }
        }
        Ok(names)
    }

    /// Ends behind the white space in front of the `)`, unless it ends in `...`.
    fn parameters(&mut self, scope: ParameterScope) -> Outcome<Node<FunctionDeclarator>> {
        let start = self.cursor.position();
        let mut parameters = Vec::new();
        let mut ellipsis = Ellipsis::None;
        loop {
            parameters.push(self.parameter(scope)?);
            self.cursor.skip();
            if self.cursor.symbol() != Symbol::Comma {
                break;
            }
            self.cursor.expect_and_skip(Symbol::Comma)?;
            if self.cursor.symbol() == Symbol::Ellipsis {
                self.cursor.bump();
                ellipsis = Ellipsis::Some;
                break;
            }
        }
        let function = FunctionDeclarator {
            parameters,
            ellipsis,
        };
        Ok(self.cursor.node(function, start))
    }

    fn parameter(&mut self, scope: ParameterScope) -> Outcome<Node<ParameterDeclaration>> {
        let start = self.cursor.position();
        let specifiers = self.declaration_specifiers(TypedefWord::Refused)?.nodes;
        let declarator = match self.parameter_form()? {
            ParameterForm::TypeOnly => None,
            ParameterForm::Abstract => Some(self.abstract_declarator()?),
            ParameterForm::Named { name_ahead } => {
                let name = self.cursor.text_at(name_ahead);
                let declarator = self.declarator()?;
                match scope {
                    ParameterScope::Own => self.typedefs.declare_value(name),
                    ParameterScope::Surrounding => self.declare_parsed_repeatedly(name)?,
                }
                Some(declarator)
            }
        };
        self.cursor.skip();
        let extensions = self.attributes()?;
        let parameter = ParameterDeclaration {
            specifiers,
            declarator,
            extensions,
        };
        Ok(self.cursor.node(parameter, start))
    }

    /// Looks ahead for the name of a parameter: behind stars, qualifiers and open brackets.
    fn parameter_form(&self) -> Outcome<ParameterForm> {
        let mut ahead = 0;
        loop {
            let follows_bracket =
                ahead > 0 && self.cursor.symbol_at(ahead - 1) == Symbol::OpenParenthesis;
            match self.cursor.symbol_at(ahead) {
                Symbol::Star | Symbol::OpenParenthesis => {}
                symbol if symbol.is_plain_qualifier() && ahead > 0 && !follows_bracket => {}
                Symbol::Identifier => {
                    // `int ( T )` is a parameter `T` to lang-c, `int ( T x )` is a function.
                    if follows_bracket && self.typedefs.is_type(self.cursor.text_at(ahead)) {
                        return Err(GaveUp);
                    }
                    return Ok(ParameterForm::Named { name_ahead: ahead });
                }
                Symbol::Attribute | Symbol::Atomic | Symbol::Unknown => return Err(GaveUp),
                Symbol::OpenBracket => return Ok(ParameterForm::Abstract),
                _ if ahead == 0 => return Ok(ParameterForm::TypeOnly),
                _ => return Ok(ParameterForm::Abstract),
            }
            ahead += 1;
        }
    }
}

enum ParameterForm {
    TypeOnly,
    Abstract,
    /// The name is so many tokens behind the next one.
    Named {
        name_ahead: usize,
    },
}
