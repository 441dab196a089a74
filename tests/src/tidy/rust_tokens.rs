//! Splits Rust text into tokens and comments, as far as the tidy checks need it.

/// What remains of a file when comments and the contents of literals are taken out of the code.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RustText<'a> {
    pub tokens: Vec<Token<'a>>,
    pub comments: Vec<Comment<'a>>,
}

/// An identifier, a `::` or one character of punctuation; literals are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: u32,
}

/// A comment with its slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment<'a> {
    pub text: &'a str,
    pub line: u32,
}

impl Token<'_> {
    pub fn is_identifier(&self) -> bool {
        self.text.starts_with(is_identifier_start)
    }
}

pub fn scan(text: &str) -> RustText<'_> {
    let mut scanner = Scanner {
        rest: text,
        line: 1,
        result: RustText::default(),
    };
    while scanner.step() {}
    scanner.result
}

struct Scanner<'a> {
    rest: &'a str,
    line: u32,
    result: RustText<'a>,
}

impl<'a> Scanner<'a> {
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else {
            return false;
        };
        let line = self.line;
        if self.rest.starts_with("//") {
            let text = self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            self.result.comments.push(Comment { text, line });
        } else if self.rest.starts_with("/*") {
            let text = self.take(block_comment_length(self.rest));
            self.result.comments.push(Comment { text, line });
        } else if let Some(length) = literal_length(self.rest) {
            self.take(length);
        } else if is_identifier_start(first) {
            let raw = if self.rest.starts_with("r#") { 2 } else { 0 };
            self.take(raw);
            let length = self.rest.find(|c| !is_identifier_part(c));
            let text = self.take(length.unwrap_or(self.rest.len()));
            self.result.tokens.push(Token { text, line });
        } else if first.is_ascii_digit() {
            let length = self.rest.find(|c| !is_identifier_part(c));
            self.take(length.unwrap_or(self.rest.len()));
        } else if first.is_whitespace() {
            self.take(first.len_utf8());
        } else {
            let length = if self.rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let text = self.take(length);
            self.result.tokens.push(Token { text, line });
        }
        true
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count() as u32;
        self.rest = rest;
        taken
    }
}

/// Block comments nest in Rust.
fn block_comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the string, character or lifetime that `text` begins with.
fn literal_length(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let after = text.strip_prefix(prefix);
        after.is_some_and(|after| {
            let raw = prefix.ends_with('r') && after.trim_start_matches('#').starts_with('"');
            let plain = !prefix.ends_with('r') && after.starts_with('"');
            let byte = matches!(*prefix, "b" | "") && after.starts_with('\'');
            raw || plain || byte
        })
    })?;
    let body = &text[prefix.len()..];
    let length = if prefix.ends_with('r') {
        raw_string_length(body)
    } else if body.starts_with('"') {
        quoted_length(body, '"')
    } else {
        character_or_lifetime_length(body)
    };
    Some(prefix.len() + length)
}

fn raw_string_length(body: &str) -> usize {
    let hashes = body.len() - body.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let content = &body[hashes + 1..];
    match content.find(&end) {
        Some(at) => hashes + 1 + at + end.len(),
        None => body.len(),
    }
}

fn quoted_length(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in body.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    body.len()
}

/// `'a'` and `'\n'` are characters; `'a` without a closing quote is a lifetime.
fn character_or_lifetime_length(body: &str) -> usize {
    let mut characters = body.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), _) => quoted_length(body, '\''),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => {
            let name = &body[1..];
            1 + name.find(|c| !is_identifier_part(c)).unwrap_or(name.len())
        }
    }
}

fn is_identifier_start(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn is_identifier_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        scan(text).tokens.iter().map(|token| token.text).collect()
    }

    #[test]
    fn paths_and_punctuation_are_tokens() {
        assert_eq!(
            tokens("use a::{b};"),
            ["use", "a", "::", "{", "b", "}", ";"]
        );
    }

    #[test]
    fn literals_and_comments_are_not_code() {
        let text = r##"x("std::fs", r#"a "quoted" b"#, b"c", 'd', '\'', 12u8) // std::fs"##;
        assert_eq!(tokens(text), ["x", "(", ",", ",", ",", ",", ",", ")"]);
        assert_eq!(tokens("a /* b /* c */ d */ e"), ["a", "e"]);
    }

    #[test]
    fn a_lifetime_does_not_open_a_character() {
        assert_eq!(tokens("&'a str, 'b'"), ["&", "str", ","]);
        assert_eq!(
            tokens("f::<'static>(x)"),
            ["f", "::", "<", ">", "(", "x", ")"]
        );
    }

    #[test]
    fn raw_identifiers_lose_their_prefix() {
        assert_eq!(tokens("r#type"), ["type"]);
    }

    #[test]
    fn lines_are_counted_through_literals_and_comments() {
        let scanned = scan("\"a\nb\" /* c\n */ d // e\n// f");
        assert_eq!(scanned.tokens, [Token { text: "d", line: 3 }]);
        let lines: Vec<u32> = scanned
            .comments
            .iter()
            .map(|comment| comment.line)
            .collect();
        assert_eq!(lines, [2, 3, 4]);
    }

    #[test]
    fn unfinished_text_ends_the_scan() {
        for text in ["\"abc", "r#\"abc", "/* abc", "'", "b'", "'\\"] {
            assert!(tokens(text).is_empty(), "{text}");
        }
    }
}
