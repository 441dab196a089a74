//! Lists the paths that Rust text names, with the groups of `use a::{b, c}` written out.

use super::rust_tokens::{Token, scan};

/// `std::fs::File` as its segments; `*` and `self` at the end of a group stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath<'a> {
    pub segments: Vec<&'a str>,
    pub line: u32,
    /// How many modules are written around the path in the same file.
    pub inline_modules: usize,
}

pub fn named_paths(text: &str) -> Vec<NamedPath<'_>> {
    let scanned = scan(text);
    let mut reader = Reader {
        tokens: &scanned.tokens,
        at: 0,
        braces: Vec::new(),
        paths: Vec::new(),
    };
    reader.read();
    reader.paths
}

struct Reader<'tokens, 'text> {
    tokens: &'tokens [Token<'text>],
    at: usize,
    /// For each open brace, whether it is the body of a module.
    braces: Vec<bool>,
    paths: Vec<NamedPath<'text>>,
}

impl<'text> Reader<'_, 'text> {
    fn read(&mut self) {
        while let Some(token) = self.tokens.get(self.at) {
            match token.text {
                "{" => {
                    let is_module = self.at >= 2 && self.tokens[self.at - 2].text == "mod";
                    self.braces.push(is_module);
                    self.at += 1;
                }
                "}" => {
                    self.braces.pop();
                    self.at += 1;
                }
                _ if token.is_identifier() => self.read_path(Vec::new()),
                _ => self.at += 1,
            }
        }
    }

    /// Reads a path whose first segments were read already; stands behind it afterwards.
    fn read_path(&mut self, mut segments: Vec<&'text str>) {
        loop {
            let Some(token) = self.tokens.get(self.at).copied() else {
                return;
            };
            if token.text == "{" {
                return self.read_group(&segments);
            }
            if !token.is_identifier() && token.text != "*" {
                return self.push(segments, token.line);
            }
            segments.push(token.text);
            self.at += 1;
            let goes_on = self
                .tokens
                .get(self.at)
                .is_some_and(|next| next.text == "::");
            let is_turbofish = self
                .tokens
                .get(self.at + 1)
                .is_some_and(|next| next.text == "<");
            if !goes_on || is_turbofish {
                return self.push(segments, token.line);
            }
            self.at += 1;
        }
    }

    fn read_group(&mut self, prefix: &[&'text str]) {
        self.at += 1;
        while let Some(token) = self.tokens.get(self.at).copied() {
            match token.text {
                "}" => {
                    self.at += 1;
                    return;
                }
                "as" => self.at += 2,
                "{" | "*" => self.read_path(prefix.to_vec()),
                _ if token.is_identifier() => self.read_path(prefix.to_vec()),
                _ => self.at += 1,
            }
        }
    }

    fn push(&mut self, segments: Vec<&'text str>, line: u32) {
        let inline_modules = self.braces.iter().filter(|is_module| **is_module).count();
        self.paths.push(NamedPath {
            segments,
            line,
            inline_modules,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let paths = named_paths(text);
        paths.iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn groups_are_written_out() {
        let text = "use std::{fs, io::{self, Read as _}, env::*};";
        let expected = [
            "use",
            "std::fs",
            "std::io::self",
            "std::io::Read",
            "std::env::*",
        ];
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn paths_in_expressions_are_read_up_to_the_turbofish() {
        assert_eq!(
            paths("std::mem::take::<u8>(x)"),
            ["std::mem::take", "u8", "x"]
        );
        assert_eq!(paths("<T as a::B>::c"), ["T", "as", "a::B", "c"]);
    }

    #[test]
    fn a_leading_separator_changes_nothing() {
        assert_eq!(paths("::std::fs::read(p)"), ["std::fs::read", "p"]);
    }

    #[test]
    fn lines_and_inline_modules_are_known() {
        let text = "a::b;\nmod tests {\n    fn f() { c::d }\n}\ne::f;";
        let found = named_paths(text);
        let of = |name: &str| {
            let path = found
                .iter()
                .find(|path| path.segments.join("::") == name)
                .unwrap();
            (path.line, path.inline_modules)
        };
        assert_eq!(of("a::b"), (1, 0));
        assert_eq!(of("c::d"), (3, 1));
        assert_eq!(of("e::f"), (5, 0));
    }

    #[test]
    fn broken_text_ends_the_reading() {
        assert_eq!(paths("use a::{b"), ["use", "a::b"]);
        assert_eq!(paths("use a::"), ["use"]);
    }
}
