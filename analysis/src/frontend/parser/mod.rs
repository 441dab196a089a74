//! Our own parser: builds lang-c's tree, spans included, in a fraction of lang-c's time.
//!
//! It is a plain recursive descent over the tokens of normalised text. Whatever it does not know,
//! and every syntax error, makes it give up; the caller then asks lang-c, whose answer counts. So it
//! must never accept what lang-c refuses, nor build another tree; the tests compare the two.
//!
//! lang-c's grammar decides by trying alternatives in order, and a try that fails can still have
//! declared names. Here each choice is made by looking ahead, and where an earlier alternative of
//! the grammar might have succeeded, or might have left a trace, the parser gives up.

mod attributes;
mod constants;
mod cursor;
mod declarations;
mod declarators;
mod expressions;
mod initialisers;
mod operators;
mod parameters;
mod records;
mod specifiers;
mod statements;
mod symbols;
mod typedefs;

#[cfg(test)]
mod tests;

use super::lex::Token;
use cursor::Cursor;
use lang_c::ast::ExternalDeclaration;
use typedefs::Typedefs;

/// The tree of the one external declaration that `text` holds, or `None` if this parser does not
/// know something in it. `tokens` are those of `text`, `is_typedef` tells the names of types at file
/// scope, and `base` is added to every position.
pub fn parse_item(
    text: &str,
    tokens: &[Token],
    is_typedef: &dyn Fn(&str) -> bool,
    base: usize,
) -> Option<ExternalDeclaration> {
    let mut parser = Parser {
        cursor: Cursor::new(text, tokens, base)?,
        typedefs: Typedefs::new(is_typedef),
    };
    parser.external_declaration().ok()
}

/// Whether a word can be declared as the name of a type; lang-c refuses its own words.
pub fn can_name_type(word: &str) -> bool {
    symbols::word(word) == symbols::Symbol::Identifier && symbols::is_plain_word(word)
}

/// Whether the word is one of the language, and names nothing.
pub fn is_reserved(word: &str) -> bool {
    symbols::word(word) != symbols::Symbol::Identifier
}

/// The parser met something that it leaves to lang-c.
#[derive(Clone, Copy, Debug)]
struct GaveUp;

type Outcome<T> = Result<T, GaveUp>;

struct Parser<'t> {
    cursor: Cursor<'t>,
    typedefs: Typedefs<'t>,
}
