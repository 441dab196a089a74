//! Lexes preprocessed C text into tokens that remember only where they stand.

/// What a token is, as far as splitting and normalising need to know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    Identifier,
    Number,
    String,
    Character,
    /// A punctuator of one character.
    Punctuation(u8),
    /// A punctuator of two or three characters, such as `->` or `<<=`.
    Operator,
}

/// One token: its kind and its byte range in the text it was lexed from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn text<'t>(&self, source: &'t str) -> &'t str {
        &source[self.start as usize..self.end as usize]
    }

    pub fn bytes<'t>(&self, source: &'t str) -> &'t [u8] {
        &source.as_bytes()[self.start as usize..self.end as usize]
    }

    pub fn is(&self, character: u8) -> bool {
        self.kind == TokenKind::Punctuation(character)
    }

    /// Whether the token is the first thing on its line, in column 0.
    pub fn in_column_zero(&self, source: &str) -> bool {
        self.start == 0 || source.as_bytes()[self.start as usize - 1] == b'\n'
    }
}

/// Lexes the whole text. Line markers, other `#` lines and comments leave no token;
/// whatever is not C comes out as single punctuation characters.
pub fn lex(source: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(source.len() / 5);
    lex_into(source, 0, &mut tokens);
    tokens
}

/// Lexes `source[from..]` and appends to `tokens`; offsets count from the start of `source`.
pub fn lex_into(source: &str, from: usize, tokens: &mut Vec<Token>) {
    let bytes = source.as_bytes();
    let mut at = from;
    let mut line_start = true;
    while at < bytes.len() {
        let first = bytes[at];
        match first {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            b' ' => {
                // Indentation comes in runs.
                at += 1;
                while bytes.get(at) == Some(&b' ') {
                    at += 1;
                }
                continue;
            }
            b'\t' | b'\r' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'#' if line_start => {
                at = line_end(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = memchr::memmem::find(&bytes[at + 2..], b"*/")
                    .map_or(bytes.len(), |found| at + 4 + found);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            _ => {}
        }
        line_start = false;
        let start = at;
        let kind = if IDENTIFIER[first as usize] && !first.is_ascii_digit() {
            at += bytes[at..]
                .iter()
                .position(|&byte| !IDENTIFIER[byte as usize])
                .unwrap_or(bytes.len() - at);
            match bytes.get(at) {
                Some(&quote @ (b'"' | b'\''))
                    if matches!(&bytes[start..at], b"L" | b"u" | b"U" | b"u8") =>
                {
                    at = literal_end(bytes, at);
                    literal_kind(quote)
                }
                _ => TokenKind::Identifier,
            }
        } else if first.is_ascii_digit()
            || (first == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
        {
            at = number_end(bytes, at);
            TokenKind::Number
        } else if first == b'"' || first == b'\'' {
            at = literal_end(bytes, at);
            literal_kind(first)
        } else {
            let length = operator_length(&bytes[at..]);
            at += length;
            if length == 1 {
                TokenKind::Punctuation(first)
            } else {
                TokenKind::Operator
            }
        };
        tokens.push(Token {
            kind,
            start: start as u32,
            end: at as u32,
        });
    }
}

const IDENTIFIER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        // Bytes from 0x80 are UTF-8 identifiers; `$` is a GNU extension.
        table[byte] = character.is_ascii_alphanumeric()
            || character == b'_'
            || character == b'$'
            || character >= 0x80;
        byte += 1;
    }
    table
};

fn literal_kind(quote: u8) -> TokenKind {
    if quote == b'"' {
        TokenKind::String
    } else {
        TokenKind::Character
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found)
}

/// The end of a string or character literal. An unterminated one ends with its line, so that a
/// quote that was just typed costs one line and not the rest of the file.
fn literal_end(bytes: &[u8], open: usize) -> usize {
    let quote = bytes[open];
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        let byte = bytes[at];
        let exponent_sign =
            matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        // C23 digit separator: 1'000'000.
        let separator = byte == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if exponent_sign || separator || byte == b'.' || IDENTIFIER[byte as usize] {
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn operator_length(rest: &[u8]) -> usize {
    let Some(&second) = rest.get(1) else { return 1 };
    let pair = match rest[0] {
        b'.' | b'<' | b'>'
            if rest.starts_with(b"...") || rest.starts_with(b"<<=") || rest.starts_with(b">>=") =>
        {
            return 3;
        }
        b'-' => matches!(second, b'>' | b'-' | b'='),
        b'+' => matches!(second, b'+' | b'='),
        b'<' => matches!(second, b'<' | b'='),
        b'>' => matches!(second, b'>' | b'='),
        b'&' => matches!(second, b'&' | b'='),
        b'|' => matches!(second, b'|' | b'='),
        b'=' | b'!' | b'*' | b'/' | b'%' | b'^' => second == b'=',
        _ => false,
    };
    if pair { 2 } else { 1 }
}

/// The index just behind the bracket that closes the one at `open`, or the end of the tokens.
pub fn skip_group(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punctuation(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(source: &str, expected: Expect) {
        let words: Vec<&str> = lex(source).iter().map(|token| token.text(source)).collect();
        expected.assert_eq(&words.join(" | "));
    }

    #[test]
    fn operators_take_the_longest_match() {
        check(
            "a->b<<=c--...d",
            expect!["a | -> | b | <<= | c | -- | ... | d"],
        );
    }

    #[test]
    fn line_markers_pragmas_and_comments_leave_no_token() {
        check(
            "# 1 \"x.c\" 2\nint /* c */ a; // b\n#pragma once\nint b;",
            expect!["int | a | ; | int | b | ;"],
        );
    }

    #[test]
    fn literals_keep_their_prefix_and_escapes() {
        check(
            r#"L"a\"b" u8"x" '\'' 1'000.5e-3f 0x1p+2"#,
            expect![[r#"L"a\"b" | u8"x" | '\'' | 1'000.5e-3f | 0x1p+2"#]],
        );
    }

    #[test]
    fn an_unterminated_string_ends_with_its_line() {
        check(
            "a = \"oops;\nint b;",
            expect!["a | = | \"oops; | int | b | ;"],
        );
    }
}
