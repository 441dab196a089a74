//! Refuses text that is nested too deeply for a recursive parser, before it is parsed.

use super::lex::{Token, TokenKind};
use std::fmt;

/// Bounds under which lang-c stays quick and within the stack that [`super::parse`] gives it.
/// Measured: its time is quadratic in nested calls, and exponential in nested `sizeof` and in signs without a space between
/// them, which it reads as `--` or as `-` if nothing that they could belong to follows.
const MAX_BRACKETS: usize = 256;
const MAX_CHAIN: usize = 6_000;
const MAX_TYPE_OPERATORS: usize = 12;
const MAX_SIGNS: usize = 12;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooDeep {
    Brackets,
    /// `else if`, unary operators, casts, labels, assignments: whatever nests without a bracket.
    Chain,
    TypeOperators,
    /// `+` and `-` that wait for something to belong to.
    Signs,
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
            TooDeep::TypeOperators => write!(
                f,
                "more than {MAX_TYPE_OPERATORS} `sizeof` or `typeof` are nested in each other"
            ),
            TooDeep::Signs => write!(
                f,
                "more than {MAX_SIGNS} signs stand in front of each other"
            ),
        }
    }
}

/// How deep the tokens nest, in steps of recursion of a parser.
pub fn nesting(source: &str, tokens: &[Token]) -> Result<usize, TooDeep> {
    let mut levels = vec![Level::default()];
    let mut type_operators = 0usize;
    let mut chained = 0usize;
    let mut signs = 0usize;
    // Where the last sign ended.
    let mut sign_end = None;
    // Whether the last token may be the end of what a `++` stands behind.
    let mut is_behind_operand = false;
    let mut deepest = 0usize;
    let mut last_word = "";
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
                let of_type_operator = is_type_operator(last_word);
                type_operators += usize::from(of_type_operator);
                levels.push(Level {
                    of_type_operator,
                    ..Level::default()
                });
                if levels.len() > MAX_BRACKETS {
                    return Err(TooDeep::Brackets);
                }
                if type_operators > MAX_TYPE_OPERATORS {
                    return Err(TooDeep::TypeOperators);
                }
            }
            TokenKind::Punctuation(b')' | b']' | b'}') if open > 1 => {
                let closed = levels.pop().expect("more than one level");
                type_operators -= usize::from(closed.of_type_operator);
                chained -= closed.chain;
                let outer = levels
                    .last_mut()
                    .expect("the outermost level is never left");
                signs -= closed.signs + std::mem::take(&mut outer.signs);
                outer.ended = token.is(b'}');
                // It may have been a cast or a call, which nest.
                outer.chain += 1;
                chained += 1;
            }
            TokenKind::Punctuation(b';' | b',') => {
                level.ended = true;
                signs -= std::mem::take(&mut level.signs);
            }
            TokenKind::Punctuation(_) | TokenKind::Operator => {
                level.chain += 1;
                chained += 1;
                let sign = token.text(source);
                let is_sign = sign.bytes().all(|byte| matches!(byte, b'+' | b'-'));
                // A second one behind the first has nothing that it could belong to.
                let is_first = sign_end != Some(token.start);
                let is_postfix = is_sign && sign.len() > 1 && is_behind_operand && is_first;
                if is_sign && !is_postfix && (sign.len() > 1 || !is_first) {
                    level.signs += sign.len();
                    signs += sign.len();
                }
                if is_sign {
                    sign_end = Some(token.end);
                }
                is_behind_operand = is_postfix;
            }
            TokenKind::Identifier if is_nesting_word(text) => {
                level.chain += 1;
                chained += 1;
            }
            // What the signs in front of it belong to.
            _ => signs -= std::mem::take(&mut level.signs),
        }
        if signs > MAX_SIGNS {
            return Err(TooDeep::Signs);
        }
        is_behind_operand = match token.kind {
            TokenKind::Punctuation(b')' | b']') => true,
            TokenKind::Punctuation(b'(' | b'[' | b'{' | b'}' | b';' | b',') => false,
            TokenKind::Punctuation(_) | TokenKind::Operator => is_behind_operand,
            _ => !is_nesting_word(text),
        };
        last_word = text;
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
    of_type_operator: bool,
    chain: usize,
    /// Signs that nothing has followed that they could belong to.
    signs: usize,
    ended: bool,
}

fn is_type_operator(word: &str) -> bool {
    matches!(
        word,
        "sizeof"
            | "typeof"
            | "__typeof__"
            | "__typeof"
            | "_Alignof"
            | "__alignof__"
            | "_Atomic"
            | "_Generic"
    )
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
    fn signs_with_something_that_they_belong_to_are_not_deep() {
        for text in [
            "x = a - -b + --c * (--d) - f(--e, --g, --h) - -1;\n".repeat(20),
            format!("x = {}1;", "- ".repeat(100)),
            format!("x = {}1;", "a - -".repeat(100)),
            format!("x = {}1{};", "a++ + (".repeat(100), ")".repeat(100)),
            format!(
                "x = {}1{};",
                "a[i]-- - f(i)++ - (".repeat(100),
                ")".repeat(100)
            ),
            "for (;;) { if (--a) while (--b) { c--; --d; } }\n".repeat(20),
        ] {
            check(&text).unwrap();
        }
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
            ("sizeof(char[".repeat(30), TooDeep::TypeOperators),
            (format!("x = {}=;", "-".repeat(30)), TooDeep::Signs),
            (format!("f(x){}=-a;", "-".repeat(30)), TooDeep::Signs),
            (format!("x = {}=;", "+-".repeat(30)), TooDeep::Signs),
            (format!("x = {}=;", "--(".repeat(30)), TooDeep::Signs),
        ] {
            assert_eq!(check(&text), Err(expected), "{}", &text[..40]);
        }
    }
}
