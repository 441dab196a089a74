//! A source file as the user wrote it, cut into tokens so that columns can be found in it.

use crate::frontend::lex::{Token, TokenKind, lex};
use std::sync::{Arc, OnceLock};

/// The text of a file before preprocessing.
#[derive(Debug)]
pub struct SourceFile {
    text: Arc<str>,
    /// Where each line begins.
    line_starts: Vec<u32>,
    /// The whole file is cut at once: only so is it known which lines stand inside a comment. After most edits nobody asks for a
    /// column, so it is cut when the first is asked for.
    tokens: OnceLock<Vec<Token>>,
}

impl SourceFile {
    pub fn new(text: Arc<str>) -> SourceFile {
        let line_starts = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline as u32 + 1))
            .collect();
        SourceFile {
            text,
            line_starts,
            tokens: OnceLock::new(),
        }
    }

    fn all_tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| {
            let mut tokens = lex(&self.text);
            // A backslash in front of a line's end joins two lines; it is no token.
            tokens.retain(|token| token.kind != TokenKind::Punctuation(b'\\'));
            tokens
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// A line by its number, counted from 1, without its end.
    pub fn line(&self, line: u32) -> Option<&str> {
        let start = *self.line_starts.get(line.checked_sub(1)? as usize)? as usize;
        let end = self.line_end(line);
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// The tokens that begin on the lines `first..=last`.
    pub(super) fn tokens(&self, first: u32, last: u32) -> &[Token] {
        let Some(&start) = self.line_starts.get(first.saturating_sub(1) as usize) else {
            return &[];
        };
        let end = self.line_end(last);
        let tokens = self.all_tokens();
        let from = tokens.partition_point(|token| token.start < start);
        let to = tokens.partition_point(|token| (token.start as usize) < end);
        &tokens[from..to.max(from)]
    }

    /// Whether a backslash joins the line to the next one.
    pub(super) fn is_continued(&self, line: u32) -> bool {
        self.line(line)
            .is_some_and(|text| text.trim_end().ends_with('\\'))
    }

    pub(super) fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The line and the column of a byte, both counted from 1, the column in bytes.
    pub(super) fn position(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        (line as u32, offset - self.line_starts[line - 1] + 1)
    }

    fn line_end(&self, line: u32) -> usize {
        self.line_starts
            .get(line as usize)
            .map_or(self.text.len(), |&next| next as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_line_leave_out_comments_that_began_above() {
        let file = SourceFile::new("int a; /* b\n c */ int d; \\\r\nint e;".into());
        let shown = |first, last| -> Vec<&str> {
            file.tokens(first, last)
                .iter()
                .map(|token| token.text(file.text()))
                .collect()
        };
        assert_eq!(shown(2, 2), ["int", "d", ";"]);
        assert_eq!(shown(3, 9), ["int", "e", ";"]);
        assert!(shown(7, 9).is_empty());
        assert_eq!(file.line(2), Some(" c */ int d; \\"));
        assert!(file.is_continued(2) && !file.is_continued(1));
        assert_eq!(file.position(file.text().find('e').unwrap() as u32), (3, 5));
    }
}
