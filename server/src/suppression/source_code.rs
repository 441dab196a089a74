//! The code of a source file by lines, and the comments that accept races in it.

use super::comment_scanner;
use super::directive::{Directive, Mistake, written};
use crate::project::Place;
use racelens_analysis::frontend::lex::{Token, TokenKind, lex};
use racelens_analysis::races::fingerprint;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

/// A source file without its comments.
pub struct SourceCode {
    text: String,
    /// The text with spaces for comments.
    code: String,
    comments: Vec<Range<usize>>,
    line_starts: Vec<usize>,
    tokens: Vec<Token>,
}

/// A comment that is meant for Racelens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenignComment {
    pub place: Place,
    /// As it stands in the source.
    pub text: String,
    pub content: Result<Directive, Mistake>,
    /// The lines whose accesses it is about. `None` if it stands above no code.
    pub lines: Option<RangeInclusive<u32>>,
    /// Outside of all brackets, where no statement can be.
    pub is_at_top_level: bool,
}

/// A statement that goes on for more lines is cut.
const MOST_LINES: u32 = 100;

impl SourceCode {
    pub fn new(text: String) -> SourceCode {
        let comments = comment_scanner::comments(&text);
        let code = comment_scanner::without(&comments, &text);
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(at, _)| at + 1))
            .collect();
        let mut tokens = lex(&code);
        // A backslash in front of a line's end joins two lines; it is no token.
        tokens.retain(|token| !token.is(b'\\'));
        SourceCode {
            text,
            code,
            comments,
            line_starts,
            tokens,
        }
    }

    /// The comments that are meant for Racelens, from top to bottom.
    pub fn benign_comments(&self, path: &Path) -> Vec<BenignComment> {
        let comments = self.comments.iter();
        comments
            .filter_map(|range| {
                let text = &self.text[range.clone()];
                let content = Directive::read(text)?;
                let before = self.tokens.iter();
                let before = before.take_while(|token| (token.start as usize) < range.start);
                let depth = before.fold(0i64, |depth, token| depth + brace(token));
                Some(BenignComment {
                    place: Place::at_offset(path, &self.text, range.start),
                    text: text.to_owned(),
                    content,
                    lines: self.lines_under(range),
                    is_at_top_level: depth <= 0,
                })
            })
            .collect()
    }

    /// A comment that accepts the races of a line as long as its code stays as it is.
    pub fn comment_for(&self, line: u32, reason: &str) -> String {
        let fingerprint = self.fingerprint(self.statement_lines(line));
        written(Some(&fingerprint), reason, false)
    }

    /// Four digits that change with the code of some lines, and not with its layout or comments.
    pub fn fingerprint(&self, lines: RangeInclusive<u32>) -> String {
        let tokens = self.tokens_of(*lines.start(), *lines.end()).iter();
        let hash = fingerprint(tokens.map(|token| token.text(&self.code)));
        let folded = (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) & 0xffff;
        format!("{folded:04x}")
    }

    /// The code that a comment is about: that beside it, or else the statement under it.
    fn lines_under(&self, comment: &Range<usize>) -> Option<RangeInclusive<u32>> {
        let first = self.line_of(comment.start);
        let last = self.line_of(comment.end.saturating_sub(1));
        for beside in [last, first] {
            if self.has_code(beside) {
                return Some(self.statement_lines(beside));
            }
        }
        // Other comments and directives may stand between, but no empty line.
        let mut lines = last + 1..=self.line_starts.len() as u32;
        let is_end = |line: &u32| self.has_code(*line) || self.line(*line).trim().is_empty();
        let under = lines.find(is_end)?;
        self.has_code(under).then(|| self.statement_lines(under))
    }

    /// The line, and those into which what begins there goes on.
    fn statement_lines(&self, first: u32) -> RangeInclusive<u32> {
        let mut depth = 0i64;
        let mut line = first;
        while line < first.saturating_add(MOST_LINES) && (line as usize) < self.line_starts.len() {
            let tokens = self.tokens_of(line, line);
            depth += tokens.iter().map(round_bracket).sum::<i64>();
            let goes_on = match tokens.last() {
                Some(last) => depth > 0 || wants_more(last, &self.code),
                None => depth > 0,
            };
            if !goes_on && !self.line(line).trim_end().ends_with('\\') {
                break;
            }
            line += 1;
        }
        first..=line
    }

    fn has_code(&self, line: u32) -> bool {
        !self.tokens_of(line, line).is_empty()
    }

    /// The tokens that begin on these lines.
    fn tokens_of(&self, first: u32, last: u32) -> &[Token] {
        let start = |line: u32| {
            let start = self.line_starts.get(line as usize - 1);
            start.copied().unwrap_or(self.text.len())
        };
        let index = |offset: usize| {
            let tokens = &self.tokens;
            tokens.partition_point(|token| (token.start as usize) < offset)
        };
        &self.tokens[index(start(first))..index(start(last + 1))]
    }

    fn line_of(&self, offset: usize) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    fn line(&self, line: u32) -> &str {
        let start = self.line_starts[line as usize - 1];
        let end = self.line_starts.get(line as usize);
        &self.text[start..end.copied().unwrap_or(self.text.len())]
    }
}

fn brace(token: &Token) -> i64 {
    match token.kind {
        TokenKind::Punctuation(b'{') => 1,
        TokenKind::Punctuation(b'}') => -1,
        _ => 0,
    }
}

fn round_bracket(token: &Token) -> i64 {
    match token.kind {
        TokenKind::Punctuation(b'(' | b'[') => 1,
        TokenKind::Punctuation(b')' | b']') => -1,
        _ => 0,
    }
}

/// Whether an expression cannot end with the token.
fn wants_more(token: &Token, code: &str) -> bool {
    match token.kind {
        TokenKind::Operator => !matches!(token.text(code), "++" | "--" | "..."),
        TokenKind::Punctuation(character) => b"=+-*/%&|^<>?,.!~".contains(&character),
        _ => token.text(code) == "return",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Option<(u32, u32)>> {
        let code = SourceCode::new(text.to_owned());
        let comments = code.benign_comments(Path::new("a.c"));
        let lines = comments.into_iter().map(|comment| comment.lines);
        lines
            .map(|lines| lines.map(|lines| (*lines.start(), *lines.end())))
            .collect()
    }

    const COMMENT: &str = "// racelens: benign -- x";

    #[test]
    fn a_comment_is_about_the_code_beside_or_under_it() {
        for (text, expected) in [
            (format!("a++; {COMMENT}\nb++;"), Some((1, 1))),
            (format!("{COMMENT}\na++;\nb++;"), Some((2, 2))),
            (format!("{COMMENT}\r\na++;\r\nb++;"), Some((2, 2))),
            (format!("{COMMENT}\n// more\n#if A\na++;"), Some((4, 4))),
            (format!("{COMMENT}\n\na++;"), None),
            (COMMENT.to_owned(), None),
            (
                "/* racelens: benign -- x */ a++;\nb++;".to_owned(),
                Some((1, 1)),
            ),
            (
                "/* racelens: benign -- x\n */\na++;".to_owned(),
                Some((3, 3)),
            ),
        ] {
            assert_eq!(lines(&text), [expected], "{text}");
        }
    }

    #[test]
    fn a_statement_of_several_lines_is_covered_whole() {
        for (code, last) in [
            ("f(a,\n  b);\nc;", 3),
            ("a =\n  b;\nc;", 3),
            ("if (a)\n  b++;", 2),
            ("while (x &&\n    y) {\n  b++;", 3),
            ("a++ \\\n, b;\nc;", 3),
            ("a++;\nb++;", 2),
            ("case 1:\n a++;", 2),
            ("return\n a;", 3),
        ] {
            let text = format!("{COMMENT}\n{code}");
            assert_eq!(lines(&text), [Some((2, last))], "{text}");
        }
    }

    #[test]
    fn a_fingerprint_changes_with_the_code_alone() {
        let fingerprint = |text: &str| SourceCode::new(text.to_owned()).fingerprint(1..=2);
        let first = fingerprint("hits += n;");
        assert_eq!(first.len(), 4);
        assert_eq!(first, fingerprint("  hits+= /* sum */ n ; // end"));
        assert_eq!(first, fingerprint("hits\\\r\n += n;"));
        assert_ne!(first, fingerprint("hits -= n;"));
        assert_ne!(first, fingerprint("hit s += n;"));
    }

    #[test]
    fn the_comment_that_is_offered_fits_the_line() {
        let code = SourceCode::new("f(a,\n  b);\n".to_owned());
        let comment = code.comment_for(1, "x");
        let text = format!("{comment}\nf(a, b);\n");
        let commented = SourceCode::new(text);
        let found = &commented.benign_comments(Path::new("a.c"))[0];
        let lines = found.lines.clone().unwrap();
        let directive = found.content.as_ref().unwrap();
        assert_eq!(directive.fingerprint, Some(commented.fingerprint(lines)));
    }

    #[test]
    fn what_stands_outside_of_functions_is_known() {
        let text = format!("int a; {COMMENT}\nvoid f(void) {{ a++; {COMMENT}\n}}\n");
        let code = SourceCode::new(text);
        let comments = code.benign_comments(Path::new("a.c"));
        let at_top: Vec<bool> = comments.iter().map(|one| one.is_at_top_level).collect();
        assert_eq!(at_top, [true, false]);
    }
}
