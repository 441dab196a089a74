//! The place in the token stream, and the position in the text that lang-c would be at.

use super::super::lex::Token;
use super::symbols::{Symbol, is_plain_word};
use super::{GaveUp, Outcome};
use lang_c::ast::Identifier;
use lang_c::span::{Node, Span};

/// lang-c works on characters: a node may end behind the white space that follows its last token,
/// namely where the grammar skips white space in front of something optional. So the position is
/// kept beside the index of the next token: it lies at the end of the last token, or, after
/// [`Cursor::skip`], at the start of the next one.
pub(super) struct Cursor<'t> {
    text: &'t str,
    tokens: &'t [Token],
    symbols: Vec<Symbol>,
    next: usize,
    base: usize,
    position: usize,
}

impl<'t> Cursor<'t> {
    /// `None` if the tokens are not spaced as the normaliser does it.
    pub fn new(text: &'t str, tokens: &'t [Token], base: usize) -> Option<Cursor<'t>> {
        let mut symbols = Vec::with_capacity(tokens.len() + 1);
        let mut end = 0;
        let mut previous = Symbol::End;
        let has_odd_characters = !is_plain_word(text);
        for &token in tokens {
            let symbol = match Symbol::of(text, token) {
                Symbol::Identifier if has_odd_characters && !is_plain_word(token.text(text)) => {
                    Symbol::Unknown
                }
                symbol => symbol,
            };
            let gap = &text.as_bytes()[end..token.start as usize];
            // lang-c wants the two brackets of an attribute side by side. Other tokens that touch
            // might be cut differently by it.
            let is_known = match gap {
                b" " => previous != Symbol::End,
                b"" => {
                    previous == Symbol::End
                        || (previous == symbol
                            && matches!(symbol, Symbol::OpenParenthesis | Symbol::CloseParenthesis))
                }
                _ => false,
            };
            if !is_known {
                return None;
            }
            symbols.push(symbol);
            end = token.end as usize;
            previous = symbol;
        }
        symbols.push(Symbol::End);
        (end == text.len()).then_some(Cursor {
            text,
            tokens,
            symbols,
            next: 0,
            base,
            position: base,
        })
    }

    /// The symbol of the next token.
    pub fn symbol(&self) -> Symbol {
        self.symbol_at(0)
    }

    /// The symbol of the token that is `ahead` tokens behind the next one.
    pub fn symbol_at(&self, ahead: usize) -> Symbol {
        self.symbols
            .get(self.next + ahead)
            .copied()
            .unwrap_or(Symbol::End)
    }

    /// The text of the token that is `ahead` tokens behind the next one.
    pub fn text_at(&self, ahead: usize) -> &'t str {
        self.tokens
            .get(self.next + ahead)
            .map_or("", |token| token.text(self.text))
    }

    /// Whether the next two tokens stand side by side.
    pub fn touches_next(&self) -> bool {
        match self.tokens.get(self.next..self.next + 2) {
            Some([first, second]) => first.end == second.start,
            _ => false,
        }
    }

    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes back over white space: to a position behind the last token.
    pub fn set_position(&mut self, position: usize) {
        self.position = position;
    }

    /// Goes over white space.
    pub fn skip(&mut self) {
        self.position = self.base
            + self
                .tokens
                .get(self.next)
                .map_or(self.text.len(), |token| token.start as usize);
    }

    /// Goes over the next token.
    pub fn bump(&mut self) {
        if let Some(token) = self.tokens.get(self.next) {
            self.position = self.base + token.end as usize;
            self.next += 1;
        }
    }

    /// Goes over white space and then over the token, which must be `symbol`.
    pub fn expect(&mut self, symbol: Symbol) -> Outcome<()> {
        if self.symbol() != symbol {
            return Err(GaveUp);
        }
        self.bump();
        Ok(())
    }

    /// Goes over the token, which must be `symbol`, and over the white space behind it.
    pub fn expect_and_skip(&mut self, symbol: Symbol) -> Outcome<()> {
        self.expect(symbol)?;
        self.skip();
        Ok(())
    }

    /// A node that reaches from `start` to the present position.
    pub fn node<T>(&self, value: T, start: usize) -> Node<T> {
        Node::new(value, Span::span(start, self.position))
    }

    /// The next token as a node of its own.
    pub fn bump_as<T>(&mut self, value: T) -> Node<T> {
        self.skip();
        let start = self.position;
        self.bump();
        self.node(value, start)
    }

    pub fn identifier(&mut self) -> Outcome<Node<Identifier>> {
        if self.symbol() != Symbol::Identifier {
            return Err(GaveUp);
        }
        let name = self.text_at(0).to_owned();
        Ok(self.bump_as(Identifier { name }))
    }
}
