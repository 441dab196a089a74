//! The statement around a byte of a source file, found from its tokens.

use racelens_analysis::frontend::lex::{Token, lex, skip_group};
use std::ops::Range;

/// A statement that could be put between two others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Without labels and without the `if (…)` whose body it is; with its semicolon.
    pub bytes: Range<usize>,
    pub kind: Kind,
    /// It is the body of an `if`, `else` or loop that has no braces.
    pub needs_braces: bool,
    /// The byte behind what stands in front of it.
    pub before: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An expression or a declaration.
    Plain,
    /// `return` with a value, which stands here.
    Return(Range<usize>),
}

/// `None` where code in front of and behind the statement would not surround it: in conditions, in macros, in
/// statements with blocks, and where the preprocessor has a say.
pub fn around(text: &str, byte: usize) -> Option<Statement> {
    let tokens = lex(text);
    let at = tokens.partition_point(|token| token.end as usize <= byte);
    let (mut first, mut needs_braces) = (begin(text, &tokens, at), false);
    // Down from `if (…) while (…) x++;` to `x++;`.
    loop {
        match tokens.get(first)?.text(text) {
            "if" | "while" | "for" | "switch" => {
                let behind = skip_group(&tokens, first + 1);
                if at < behind {
                    return None;
                }
                (first, needs_braces) = (behind, true);
            }
            "else" | "do" => (first, needs_braces) = (first + 1, true),
            "case" | "default" => {
                let rest = tokens[first..at].iter();
                let colon = rest.enumerate().find(|(_, token)| token.is(b':'));
                first += colon?.0 + 1;
            }
            _ if is_label(text, &tokens, first) => first += 2,
            _ => break,
        }
    }
    let last = end(&tokens, first)?;
    let bytes = tokens[first].start as usize..tokens[last].end as usize;
    let holds = (first..=last).contains(&at);
    let is_whole = !text[bytes.clone()].contains('#') && holds;
    let kind = if tokens[first].text(text) == "return" {
        Kind::Return(tokens.get(first + 1)?.start as usize..tokens[last].start as usize)
    } else {
        Kind::Plain
    };
    is_whole.then_some(Statement {
        bytes,
        kind,
        needs_braces,
        before: first
            .checked_sub(1)
            .map_or(0, |before| tokens[before].end as usize),
    })
}

/// The first token behind what ends the statement before, or begins the block.
fn begin(text: &str, tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for index in (0..at).rev() {
        match tokens[index].text(text) {
            ")" | "]" => depth += 1,
            // At 0 it is one around the byte.
            "(" | "[" => depth = depth.saturating_sub(1),
            // Inside of `for (a; b; c)` the head is still to come.
            ";" | "{" | "}" if depth == 0 && !is_in_parentheses(tokens, index) => return index + 1,
            _ => {}
        }
    }
    0
}

/// Whether a token stands in parentheses that were opened in the same block.
fn is_in_parentheses(tokens: &[Token], index: usize) -> bool {
    let mut depth = 0;
    for token in tokens[..index].iter().rev() {
        if token.is(b')') {
            depth += 1;
        } else if token.is(b'(') {
            depth -= 1;
            if depth < 0 {
                return true;
            }
        } else if token.is(b'{') || token.is(b'}') {
            return false;
        }
    }
    false
}

fn is_label(text: &str, tokens: &[Token], first: usize) -> bool {
    let is_name = |token: &Token| {
        token
            .text(text)
            .starts_with(|it: char| it.is_alphabetic() || it == '_')
    };
    tokens.get(first).is_some_and(is_name)
        && tokens.get(first + 1).is_some_and(|token| token.is(b':'))
}

/// The semicolon of a simple statement.
fn end(tokens: &[Token], first: usize) -> Option<usize> {
    let mut index = first;
    while let Some(token) = tokens.get(index) {
        if token.is(b';') {
            return Some(index);
        }
        if token.is(b'{') && !is_initialiser(tokens, index) {
            return None;
        }
        if token.is(b'}') {
            return None;
        }
        index = if token.is(b'(') || token.is(b'[') || token.is(b'{') {
            skip_group(tokens, index)
        } else {
            index + 1
        };
    }
    None
}

/// Whether a brace begins values, as in `= { 1, 2 }`.
fn is_initialiser(tokens: &[Token], brace: usize) -> bool {
    brace > 0 && (tokens[brace - 1].is(b'=') || tokens[brace - 1].is(b')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement around `@`, with its kind, or nothing.
    fn check(marked: &str, expected: Option<(&str, bool)>) {
        let byte = marked.find('@').expect("a mark");
        let text = marked.replace('@', "");
        let found = around(&text, byte);
        let shown = found.map(|found| (text[found.bytes].to_owned(), found.needs_braces));
        let expected = expected.map(|(text, braces)| (text.to_owned(), braces));
        assert_eq!(shown, expected, "{marked}");
    }

    #[test]
    fn simple_statements_are_found() {
        check("void f(void) { a; @x++; b; }", Some(("x++;", false)));
        check(
            "void f(void) { int y = f(@x, 1); }",
            Some(("int y = f(x, 1);", false)),
        );
        check(
            "void f(void) { if (c) { } @x = 1; }",
            Some(("x = 1;", false)),
        );
        check("void f(void) { again: @x = 1; }", Some(("x = 1;", false)));
        check(
            "void f(void) { switch (y) { case 1: @x = 1; } }",
            Some(("x = 1;", false)),
        );
        check(
            "int f(void) { return @x + 1; }",
            Some(("return x + 1;", false)),
        );
        check(
            "void f(void) { for (i = 0; i < 2; i++) { @x++; } }",
            Some(("x++;", false)),
        );
        check(
            "void f(void) { /* ; */ g(\";\", @x); }",
            Some(("g(\";\", x);", false)),
        );
    }

    #[test]
    fn bodies_without_braces_need_them() {
        check("void f(void) { if (c) @x++; }", Some(("x++;", true)));
        check(
            "void f(void) { if (c) y++; else @x++; }",
            Some(("x++;", true)),
        );
        check(
            "void f(void) { while (c) if (d) @x++; }",
            Some(("x++;", true)),
        );
        check(
            "void f(void) { for (i = 0; i < 2; i++) @x++; }",
            Some(("x++;", true)),
        );
    }

    #[test]
    fn conditions_and_blocks_are_no_statements_to_wrap() {
        check("void f(void) { if (@x) y++; }", None);
        check("void f(void) { while (@x) y++; }", None);
        check("void f(void) { for (i = 0; i < @x; i++) y++; }", None);
        check("void f(void) { do y++; while (@x); }", None);
        check("void f(void) { for (i = 0; i < 9; i += @x) y++; }", None);
    }
}
