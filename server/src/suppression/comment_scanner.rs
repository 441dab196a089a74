//! Finds the comments of a C source text.

use std::ops::Range;

/// The bytes of every comment, with its delimiters and without the end of its last line.
pub(super) fn comments(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        at = match (bytes[at], bytes.get(at + 1)) {
            (b'"' | b'\'', _) => literal_end(bytes, at),
            (b'/', Some(b'/')) => {
                let end = line_comment_end(text, at);
                found.push(at..end);
                end
            }
            (b'/', Some(b'*')) => {
                let end = text[at + 2..].find("*/");
                let end = end.map_or(bytes.len(), |length| at + 2 + length + 2);
                found.push(at..end);
                end
            }
            (byte, _) if byte.is_ascii_digit() => number_end(bytes, at),
            (byte, _) if is_word(byte) => word_end(bytes, at),
            _ => at + 1,
        };
    }
    found
}

/// The text with spaces for comments, so that every byte of code stands where it stood.
pub(super) fn without(comments: &[Range<usize>], text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    for comment in comments {
        code.push_str(&text[at..comment.start]);
        let blanks = text[comment.clone()].bytes();
        code.extend(blanks.map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        at = comment.end;
    }
    code.push_str(&text[at..]);
    code
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes[start..].iter();
    start + rest.take_while(|byte| is_word(**byte)).count()
}

/// The quotes in `1'000'000` (C23) open no character.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = word_end(bytes, start);
    while bytes.get(at) == Some(&b'\'') && bytes.get(at + 1).is_some_and(|&byte| is_word(byte)) {
        at = word_end(bytes, at + 1);
    }
    at
}

/// A literal that is not closed ends with its line, as in `#error don't`.
fn literal_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == bytes[open] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A backslash at the end of its line lets the comment go on in the next one.
fn line_comment_end(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let newline = text[at..].find('\n').map(|length| at + length);
        let line = text[at..newline.unwrap_or(text.len())].trim_end();
        match newline {
            Some(newline) if line.ends_with('\\') => at = newline + 1,
            _ => return at + line.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = comments(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_of_both_kinds_are_found() {
        check(
            "a; // one\nb; /* two\nlines */ c;",
            &["// one", "/* two\nlines */"],
        );
        check("a; // one\r\nb;", &["// one"]);
        check("/* open", &["/* open"]);
        check("a / b /", &[]);
    }

    #[test]
    fn literals_have_no_comments() {
        check(r#"f("// no", '"', "\"/* no */"); // yes"#, &["// yes"]);
        check("s = \"a\\\n// no\"; // yes", &["// yes"]);
        check("s = \"a\\\r\n// no\"; // yes", &["// yes"]);
        check("n = 1'000'000; // yes", &["// yes"]);
        check("c = L'\\''; // yes", &["// yes"]);
        check("#error don't\nx; // yes", &["// yes"]);
    }

    #[test]
    fn a_backslash_continues_a_line_comment() {
        check("// one \\\n two\nthree;", &["// one \\\n two"]);
        check("// one \\\r\n two\r\nthree;", &["// one \\\r\n two"]);
    }

    #[test]
    fn code_stays_in_its_place() {
        let text = "a /* ü\n */ b; // c";
        let code = without(&comments(text), text);
        assert_eq!(code, "a      \n    b;     ");
        assert_eq!(code.len(), text.len());
    }
}
