//! Refuses text on which lang-c would try every way there is, before it is asked.
//!
//! lang-c's grammar tries alternatives in order and forgets what a failed one has read; it remembers postfix
//! expressions only. So it reads what stands behind a `--` twice, which may be two signs as well, and twice what stands in
//! the brackets of a type, which may belong to a cast, a literal, a parameter with or without a name. Where these stand in
//! each other, the times multiply. lang-c cannot be stopped, so how much it may read is counted here.

use super::lex::{Token, TokenKind};
use super::parser::is_reserved;
use std::fmt;

/// How many tokens lang-c may read again, and how many more for each that there is. It takes a tenth of a second for the
/// former. Real programs stay below three for each, even if every name in them were that of a type.
const MAX_REREAD: u64 = 300_000;
const MAX_REREAD_PER_TOKEN: u64 = 16;

/// The text can be read in so many ways that lang-c would not come to an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyWays {
    /// The token at which it was too much.
    pub offset: u32,
}

impl fmt::Display for TooManyWays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "too ambiguous to be analysed: types in brackets, or `++` and `--`, stand in each other too often",
        )
    }
}

/// How many tokens lang-c reads again at most, where `is_type` tells the names of types.
pub fn reread_tokens(
    source: &str,
    tokens: &[Token],
    is_type: &dyn Fn(&str) -> bool,
) -> Result<u64, TooManyWays> {
    // A name may become that of a type on the way.
    let declares_types = tokens.iter().any(|token| word(source, token) == "typedef");
    let may_be_type = |token: &Token| {
        token.kind == TokenKind::Identifier
            && (declares_types || {
                let text = token.text(source);
                is_reserved(text) || is_type(text)
            })
    };
    let mut levels = vec![Level::new(1, false)];
    let limit = MAX_REREAD + MAX_REREAD_PER_TOKEN * tokens.len() as u64;
    let mut reread = 0u64;
    let mut is_behind_operand = false;
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        let open = levels.len();
        let level = levels
            .last_mut()
            .expect("the outermost level is never left");
        reread += level.ways - 1;
        if reread > limit {
            return Err(TooManyWays {
                offset: token.start,
            });
        }
        match token.kind {
            TokenKind::Punctuation(b'{') if before.is_some_and(|before| before.is(b'(')) => {
                // A block that is an expression is a postfix expression, which is read once.
                levels.push(Level::new(1, false));
            }
            TokenKind::Punctuation(b'{') => {
                let in_type = level.in_type || opens_record(source, &tokens[..index]);
                let ways = level.ways;
                levels.push(Level::new(ways, in_type));
            }
            TokenKind::Punctuation(bracket @ (b'(' | b'[')) => {
                let in_type = level.in_type
                    || bracket == b'('
                        && (before.is_some_and(|before| {
                            may_be_type(before) && !is_statement(word(source, before))
                        }) || tokens.get(index + 1).is_some_and(may_be_type));
                let ways = level.ways * if in_type { WAYS_OF_TYPE } else { 1 };
                levels.push(Level::new(ways, in_type));
            }
            TokenKind::Punctuation(b')' | b']' | b'}') if open > 1 => {
                levels.pop();
                if token.is(b'}') {
                    levels
                        .last_mut()
                        .expect("more than one level")
                        .forget_signs();
                }
            }
            TokenKind::Operator if matches!(token.bytes(source), b"++" | b"--") => {
                if !is_behind_operand {
                    level.ways *= WAYS_OF_SIGN;
                }
            }
            TokenKind::Punctuation(b';' | b',') => level.forget_signs(),
            TokenKind::Punctuation(_) | TokenKind::Operator => {}
            TokenKind::Identifier if is_reserved(token.text(source)) => {}
            // What the signs in front of it belong to.
            _ => level.forget_signs(),
        }
        is_behind_operand = match token.kind {
            TokenKind::Punctuation(_) => false,
            TokenKind::Operator => {
                is_behind_operand && matches!(token.bytes(source), b"++" | b"--")
            }
            TokenKind::Identifier => !is_reserved(token.text(source)),
            _ => true,
        };
    }
    Ok(reread)
}

const WAYS_OF_TYPE: u64 = 2;
const WAYS_OF_SIGN: u64 = 2;

struct Level {
    /// How often what comes next is read.
    ways: u64,
    /// The same where no sign stands in front of it.
    ways_without_signs: u64,
    /// Whether this is a part of a type.
    in_type: bool,
}

impl Level {
    fn new(ways: u64, in_type: bool) -> Level {
        Level {
            ways,
            ways_without_signs: ways,
            in_type,
        }
    }

    fn forget_signs(&mut self) {
        self.ways = self.ways_without_signs;
    }
}

fn word<'t>(source: &'t str, token: &Token) -> &'t str {
    match token.kind {
        TokenKind::Identifier => token.text(source),
        _ => "",
    }
}

/// Whether a `{` behind these tokens is that of a `struct`, `union` or `enum`.
fn opens_record(source: &str, before: &[Token]) -> bool {
    before
        .iter()
        .rev()
        .take(2)
        .any(|token| matches!(word(source, token), "struct" | "union" | "enum"))
}

/// Words in front of a bracket that has an expression in it.
fn is_statement(word: &str) -> bool {
    matches!(
        word,
        "if" | "while" | "for" | "switch" | "return" | "case" | "do" | "else"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lex::lex;

    fn check(source: &str) -> Result<u64, TooManyWays> {
        reread_tokens(source, &lex(source), &|name| name == "T")
    }

    #[test]
    fn what_programs_look_like_is_read_about_once() {
        for text in [
            "x = a - -b + --c * (--d) - f(--e, --g, --h) - -1;\n".repeat(1_000),
            "for (int i = 0; i < n; i++) { if (--a) while (--b) { c[i]--; (*d)++; f(x)->y++; } }\n"
                .repeat(1_000),
            "struct s { int (*f)(struct s *, int (*)(T)); T x[sizeof(T) * 8]; };\n".repeat(1_000),
            "int x = (T)(((T)y & (T)sizeof(T)) + (int)(T)f((T)z, (T[]){ (T)1 }));\n".repeat(1_000),
            format!("x = {}1;", "- ".repeat(5_000)),
            format!("x = {}1;", "a - -".repeat(5_000)),
            format!("x = {}1;", "(T) - (T) ".repeat(5_000)),
            format!("x = {}1{};", "a++ + (".repeat(200), ")".repeat(200)),
            "x = a[i]-- - f(i)++ - (a[i]-- - f(i)++);
"
            .repeat(1_000),
            format!("x = {}1{};", "f(".repeat(200), ")".repeat(200)),
        ] {
            let tokens = lex(&text).len() as u64;
            let reread = check(&text).unwrap();
            assert!(reread < 2 * tokens, "{reread} of {tokens}: {}", &text[..40]);
        }
    }

    #[test]
    fn blocks_that_are_expressions_are_read_once_wherever_they_stand() {
        let open = "({ typeof(x) y = (x); typeof(".repeat(100);
        check(&format!("x = {open}")).unwrap();
    }

    #[test]
    fn whatever_stands_in_itself_is_refused() {
        for unit in [
            "--",
            "++",
            "-- -",
            "-- +",
            "& --",
            "-- (T)",
            "- -- (int)",
            "-- sizeof",
            "-- (",
            "-- __attribute__((a))",
            "-- __extension__",
            "sizeof(T[",
            "sizeof(typeof(",
            "_Alignof(T[",
            "_Generic(x, T[",
            "(T[",
            "(int(",
            "-- (T[",
            "T(",
            "(T",
            "int(T(",
            "T(const T(",
            "T(T((",
            "T(__attribute__((a))",
            "int[sizeof(",
            "(struct { T x[",
            "struct { int x[sizeof(",
            "enum { x = sizeof(",
            "(__attribute__((a(",
        ] {
            for text in [
                format!("int x = {}", format!("{unit} ").repeat(40)),
                format!("f(x) {} = 1;", format!("{unit} ").repeat(40)),
            ] {
                assert!(check(&text).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn a_name_that_becomes_that_of_a_type_is_one() {
        let open = "U(".repeat(40);
        check(&format!("{{ x = {open} }}")).unwrap();
        check(&format!("{{ typedef int U; x = {open} }}")).unwrap_err();
    }

    #[test]
    fn many_that_are_bearable_by_themselves_are_refused_together() {
        let once = "x = -- -- -- -- -- -- -- -- -- -- a;\n";
        check(once).unwrap();
        check(&once.repeat(10_000)).unwrap_err();
    }
}
