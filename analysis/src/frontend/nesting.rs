//! Refuses text that is nested too deeply for a recursive parser, before it is parsed.

use super::lex::{Token, TokenKind};
use std::fmt;

/// Bounds under which lang-c stays quick and within the stack that [`super::parse`] gives it.
/// Measured: its time is quadratic in nested calls. What it takes longer for is refused by `ways.rs`.
const MAX_BRACKETS: usize = 256;
const MAX_CHAIN: usize = 6_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooDeep {
    Brackets,
    /// `else if`, unary operators, casts, labels, assignments: whatever nests without a bracket.
    Chain,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooDeep::Brackets => write!(
                f,
                "more than {MAX_BRACKETS} brackets are nested in each other"
            ),
            TooDeep::Chain => write!(
                f,
                "more than {MAX_CHAIN} operators or statements are chained"
            ),
        }
    }
}

/// How deep the tokens nest, in steps of recursion of a parser.
pub fn nesting(source: &str, tokens: &[Token]) -> Result<usize, TooDeep> {
    let mut levels = vec![Level::default()];
    let mut chained = 0usize;
    let mut deepest = 0usize;
    for token in tokens {
        let text = if token.kind == TokenKind::Identifier {
            token.text(source)
        } else {
            ""
        };
        let open = levels.len();
        let level = levels
            .last_mut()
            .expect("the outermost level is never left");
        // A statement is over, unless an `else` hangs on to it.
        if std::mem::take(&mut level.ended) && text != "else" {
            chained -= std::mem::take(&mut level.chain);
        }
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                levels.push(Level::default());
                if levels.len() > MAX_BRACKETS {
                    return Err(TooDeep::Brackets);
                }
            }
            TokenKind::Punctuation(b')' | b']' | b'}') if open > 1 => {
                let closed = levels.pop().expect("more than one level");
                chained -= closed.chain;
                let outer = levels
                    .last_mut()
                    .expect("the outermost level is never left");
                outer.ended = token.is(b'}');
                // It may have been a cast or a call, which nest.
                outer.chain += 1;
                chained += 1;
            }
            TokenKind::Punctuation(b';' | b',') => level.ended = true,
            TokenKind::Punctuation(_) | TokenKind::Operator => {
                level.chain += 1;
                chained += 1;
            }
            TokenKind::Identifier if is_nesting_word(text) => {
                level.chain += 1;
                chained += 1;
            }
            _ => {}
        }
        if chained > MAX_CHAIN {
            return Err(TooDeep::Chain);
        }
        deepest = deepest.max(chained + levels.len() * BRACKET_WEIGHT);
    }
    Ok(deepest)
}

/// A bracket costs about as many steps of recursion as there are levels of precedence.
const BRACKET_WEIGHT: usize = 16;

#[derive(Default)]
struct Level {
    chain: usize,
    ended: bool,
}

fn is_nesting_word(word: &str) -> bool {
    matches!(
        word,
        "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "default" | "sizeof"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lex::lex;

    fn check(source: &str) -> Result<usize, TooDeep> {
        nesting(source, &lex(source))
    }

    #[test]
    fn a_long_file_of_short_statements_is_not_deep() {
        let statements = "if (a) { b(); } else c(); x = y + z;\n".repeat(5_000);
        assert!(check(&statements).unwrap() < 100);
    }

    #[test]
    fn each_kind_of_nesting_is_refused() {
        for (text, expected) in [
            (
                format!("x = {}1{};", "(".repeat(10_000), ")".repeat(10_000)),
                TooDeep::Brackets,
            ),
            ("{".repeat(10_000), TooDeep::Brackets),
            ("if (a) b(); else ".repeat(10_000), TooDeep::Chain),
            (
                format!("int a[] = {}", "{".repeat(10_000)),
                TooDeep::Brackets,
            ),
            (format!("x = {}1;", "!".repeat(10_000)), TooDeep::Chain),
            (format!("x = {}1;", "(int)".repeat(10_000)), TooDeep::Chain),
            (format!("x = {}1;", "a + ".repeat(10_000)), TooDeep::Chain),
            (
                format!("x = {}1;", "a ? b : ".repeat(10_000)),
                TooDeep::Chain,
            ),
            ("for (;;) ".repeat(10_000), TooDeep::Chain),
        ] {
            assert_eq!(check(&text), Err(expected), "{}", &text[..40]);
        }
    }
}
