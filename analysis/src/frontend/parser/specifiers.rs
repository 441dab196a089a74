//! Declaration specifiers, and the specifiers of type names and members.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    DeclarationSpecifier, FunctionSpecifier, SpecifierQualifier, StorageClassSpecifier,
    TS18661FloatFormat, TS18661FloatType, TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;

/// Which type was named so far. A type that stands alone admits no second one, which is how
/// `T x` is told from `unsigned T` when `T` is the name of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Nothing,
    Alone,
    Combinable,
}

/// Whether `typedef` may stand among the specifiers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypedefWord {
    Allowed,
    Refused,
}

/// The specifiers of a declaration, and whether `typedef` is one of them.
pub(super) struct Specifiers {
    pub nodes: Vec<Node<DeclarationSpecifier>>,
    pub is_typedef: bool,
}

impl Parser<'_> {
    /// Ends behind the white space that follows the specifiers.
    pub(super) fn declaration_specifiers(&mut self, typedef: TypedefWord) -> Outcome<Specifiers> {
        let mut nodes = Vec::with_capacity(2);
        let mut named = Named::Nothing;
        let mut is_typedef = false;
        loop {
            self.cursor.skip();
            let start = self.cursor.position();
            let symbol = self.cursor.symbol();
            let specifier = if let Some(storage) = storage_class(symbol) {
                DeclarationSpecifier::StorageClass(self.cursor.bump_as(storage))
            } else if let Some(qualifier) = self.type_qualifier() {
                DeclarationSpecifier::TypeQualifier(qualifier)
            } else if symbol == Symbol::Inline {
                let inline = self.cursor.bump_as(FunctionSpecifier::Inline);
                DeclarationSpecifier::Function(inline)
            } else if symbol == Symbol::Noreturn {
                let noreturn = self.cursor.bump_as(FunctionSpecifier::Noreturn);
                DeclarationSpecifier::Function(noreturn)
            } else if symbol == Symbol::Attribute {
                DeclarationSpecifier::Extension(self.attribute_specifier()?)
            } else if symbol == Symbol::Typedef
                && typedef == TypedefWord::Allowed
                && !is_typedef
                && named == Named::Nothing
            {
                is_typedef = true;
                let storage = self.cursor.bump_as(StorageClassSpecifier::Typedef);
                DeclarationSpecifier::StorageClass(storage)
            } else if let Some(specifier) = self.type_specifier(&mut named)? {
                DeclarationSpecifier::TypeSpecifier(specifier)
            } else {
                break;
            };
            nodes.push(self.cursor.node(specifier, start));
        }
        if named == Named::Nothing {
            return Err(GaveUp);
        }
        Ok(Specifiers { nodes, is_typedef })
    }

    /// Ends behind the white space that follows the specifiers.
    pub(super) fn specifier_qualifiers(&mut self) -> Outcome<Vec<Node<SpecifierQualifier>>> {
        let mut nodes = Vec::with_capacity(2);
        let mut named = Named::Nothing;
        loop {
            self.cursor.skip();
            let start = self.cursor.position();
            let specifier = if let Some(qualifier) = self.type_qualifier() {
                SpecifierQualifier::TypeQualifier(qualifier)
            } else if self.cursor.symbol() == Symbol::Attribute {
                SpecifierQualifier::Extension(self.attribute_specifier()?)
            } else if let Some(specifier) = self.type_specifier(&mut named)? {
                SpecifierQualifier::TypeSpecifier(specifier)
            } else {
                break;
            };
            nodes.push(self.cursor.node(specifier, start));
        }
        if named == Named::Nothing {
            return Err(GaveUp);
        }
        Ok(nodes)
    }

    pub(super) fn type_qualifier(&mut self) -> Option<Node<TypeQualifier>> {
        let qualifier = match self.cursor.symbol() {
            Symbol::Const => TypeQualifier::Const,
            Symbol::Restrict => TypeQualifier::Restrict,
            Symbol::Volatile => TypeQualifier::Volatile,
            // `_Atomic ( T )` is a type.
            Symbol::Atomic if self.cursor.symbol_at(1) != Symbol::OpenParenthesis => {
                self.cursor.skip();
                let start = self.cursor.position();
                self.cursor.bump();
                self.cursor.skip();
                return Some(self.cursor.node(TypeQualifier::Atomic, start));
            }
            _ => return None,
        };
        Some(self.cursor.bump_as(qualifier))
    }

    /// The type specifier that stands here, if there is one that may follow those before it.
    fn type_specifier(&mut self, named: &mut Named) -> Outcome<Option<Node<TypeSpecifier>>> {
        if *named == Named::Alone {
            return Ok(None);
        }
        let start = self.cursor.position();
        let symbol = self.cursor.symbol();
        if let Some(specifier) = combinable_word(symbol) {
            *named = Named::Combinable;
            return Ok(Some(self.cursor.bump_as(specifier)));
        }
        let specifier = match symbol {
            Symbol::ExtendedFloat => {
                let float = extended_float(self.cursor.text_at(0)).ok_or(GaveUp)?;
                *named = Named::Combinable;
                self.cursor.bump();
                TypeSpecifier::TS18661Float(float)
            }
            Symbol::TypeOf => {
                *named = Named::Combinable;
                self.type_of()?
            }
            _ if *named == Named::Combinable => return Ok(None),
            _ => {
                let Some(specifier) = self.type_alone()? else {
                    return Ok(None);
                };
                *named = Named::Alone;
                specifier
            }
        };
        Ok(Some(self.cursor.node(specifier, start)))
    }

    fn type_alone(&mut self) -> Outcome<Option<TypeSpecifier>> {
        Ok(Some(match self.cursor.symbol() {
            Symbol::Void => {
                self.cursor.bump();
                TypeSpecifier::Void
            }
            Symbol::Bool => {
                self.cursor.bump();
                TypeSpecifier::Bool
            }
            Symbol::Atomic => {
                self.cursor.bump();
                self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
                let type_name = self.type_name()?;
                self.cursor.expect(Symbol::CloseParenthesis)?;
                TypeSpecifier::Atomic(type_name)
            }
            Symbol::Struct | Symbol::Union => TypeSpecifier::Struct(self.record()?),
            Symbol::Enum => TypeSpecifier::Enum(self.enumeration()?),
            Symbol::Identifier if self.typedefs.is_type(self.cursor.text_at(0)) => {
                TypeSpecifier::TypedefName(self.cursor.identifier()?)
            }
            _ => return Ok(None),
        }))
    }

    /// `typeof ( … )`: lang-c takes a lone name for an expression even if it names a type.
    fn type_of(&mut self) -> Outcome<TypeSpecifier> {
        self.cursor.bump();
        self.cursor.expect_and_skip(Symbol::OpenParenthesis)?;
        let start = self.cursor.position();
        let symbol = self.cursor.symbol();
        // `typeof` itself is an ordinary identifier inside an expression of lang-c.
        if symbol == Symbol::TypeOf {
            return Err(GaveUp);
        }
        let operand = if symbol.is_type_word() || symbol.is_qualifier_or_attribute() {
            TypeOf::Type(self.type_name()?)
        } else {
            TypeOf::Expression(self.expression()?)
        };
        let operand = self.cursor.node(operand, start);
        self.cursor.expect(Symbol::CloseParenthesis)?;
        Ok(TypeSpecifier::TypeOf(operand))
    }

    /// Whether a declaration starts here that lang-c tries before a statement, and in which it
    /// can get further than the specifiers.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.cursor.symbol() {
            Symbol::Identifier => {
                let next = self.cursor.symbol_at(1);
                let goes_on = matches!(
                    next,
                    Symbol::Identifier | Symbol::Star | Symbol::OpenParenthesis | Symbol::Semicolon
                ) || next.is_specifier_without_type()
                    || matches!(next, Symbol::Typedef | Symbol::Unknown);
                goes_on && self.typedefs.is_type(self.cursor.text_at(0))
            }
            symbol => symbol.starts_specifier(),
        }
    }

    /// Whether a cast or a compound literal starts at the `(` in front of the cursor. Where nothing
    /// behind `( T )` can be cast, lang-c takes `T` for a variable.
    pub(super) fn starts_cast(&self) -> bool {
        let is_lone_name = self.cursor.symbol_at(1) == Symbol::Identifier
            && self.cursor.symbol_at(2) == Symbol::CloseParenthesis;
        self.starts_type_name(1) && (!is_lone_name || self.cursor.symbol_at(3).can_follow_cast())
    }

    /// Whether the tokens from `ahead` on can be a type name that a `)` ends.
    pub(super) fn starts_type_name(&self, ahead: usize) -> bool {
        match self.cursor.symbol_at(ahead) {
            Symbol::Identifier => {
                let next = self.cursor.symbol_at(ahead + 1);
                let goes_on = matches!(
                    next,
                    Symbol::CloseParenthesis
                        | Symbol::Star
                        | Symbol::OpenParenthesis
                        | Symbol::OpenBracket
                        | Symbol::Unknown
                ) || next.is_qualifier_or_attribute();
                goes_on && self.typedefs.is_type(self.cursor.text_at(ahead))
            }
            symbol => symbol.is_type_word() || symbol.is_qualifier_or_attribute(),
        }
    }
}

fn storage_class(symbol: Symbol) -> Option<StorageClassSpecifier> {
    Some(match symbol {
        Symbol::Extern => StorageClassSpecifier::Extern,
        Symbol::Static => StorageClassSpecifier::Static,
        Symbol::ThreadLocal => StorageClassSpecifier::ThreadLocal,
        Symbol::Auto => StorageClassSpecifier::Auto,
        Symbol::Register => StorageClassSpecifier::Register,
        _ => return None,
    })
}

fn combinable_word(symbol: Symbol) -> Option<TypeSpecifier> {
    Some(match symbol {
        Symbol::Char => TypeSpecifier::Char,
        Symbol::Short => TypeSpecifier::Short,
        Symbol::Int => TypeSpecifier::Int,
        Symbol::Long => TypeSpecifier::Long,
        Symbol::Float => TypeSpecifier::Float,
        Symbol::Double => TypeSpecifier::Double,
        Symbol::Signed => TypeSpecifier::Signed,
        Symbol::Unsigned => TypeSpecifier::Unsigned,
        Symbol::Complex => TypeSpecifier::Complex,
        _ => return None,
    })
}

/// `_Float64x`, `_Decimal32`.
fn extended_float(word: &str) -> Option<TS18661FloatType> {
    let (is_binary, rest) = match word.strip_prefix("_Float") {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix("_Decimal")?),
    };
    let (is_extended, width) = match rest.strip_suffix('x') {
        Some(width) => (true, width),
        None => (false, rest),
    };
    Some(TS18661FloatType {
        format: match (is_binary, is_extended) {
            (true, false) => TS18661FloatFormat::BinaryInterchange,
            (true, true) => TS18661FloatFormat::BinaryExtended,
            (false, false) => TS18661FloatFormat::DecimalInterchange,
            (false, true) => TS18661FloatFormat::DecimalExtended,
        },
        width: width.parse().ok()?,
    })
}
