//! A text that is open in the editor, at one of its versions.

use super::position_encoding::PositionEncoding;
use std::sync::Arc;
use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

#[derive(Clone, Debug)]
pub struct Document {
    /// As the client spells it, so that it recognises answers.
    pub uri: Uri,
    pub version: i32,
    pub text: Arc<str>,
}

impl Document {
    /// The next version. Each change is relative to the text that the ones before it have made.
    pub fn changed(
        &self,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: PositionEncoding,
    ) -> Document {
        let mut text = self.text.to_string();
        for change in changes {
            match change.range {
                Some(range) => {
                    let (start, end) = bytes(&text, range, encoding);
                    text.replace_range(start..end, &change.text);
                }
                None => text.clone_from(&change.text),
            }
        }
        Document {
            uri: self.uri.clone(),
            version,
            text: text.into(),
        }
    }
}

fn bytes(text: &str, range: Range, encoding: PositionEncoding) -> (usize, usize) {
    let start = offset(text, range.start, encoding);
    (start, offset(text, range.end, encoding).max(start))
}

/// The byte of a text at which a position lies. What is behind a line's end is the line's end, and what is
/// behind the last line is the end of the text.
pub fn offset(text: &str, position: Position, encoding: PositionEncoding) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        match line_end(&text[start..]) {
            Some((_, next)) => start += next,
            None => return text.len(),
        }
    }
    let rest = &text[start..];
    let line = line_end(rest).map_or(rest, |(end, _)| &rest[..end]);
    start + encoding.byte(line, position.character)
}

/// Where the first line ends, and where the next one begins.
fn line_end(text: &str) -> Option<(usize, usize)> {
    let end = text.find(['\n', '\r'])?;
    let is_pair = text[end..].starts_with("\r\n");
    Some((end, end + if is_pair { 2 } else { 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: range.map(|[line, character, end_line, end_character]| {
                Range::new(
                    Position::new(line, character),
                    Position::new(end_line, end_character),
                )
            }),
            range_length: None,
            text: text.to_owned(),
        }
    }

    fn check(before: &str, changes: &[TextDocumentContentChangeEvent], after: &str) {
        let document = Document {
            uri: "file:///a.c".parse().unwrap(),
            version: 1,
            text: before.into(),
        };
        let changed = document.changed(2, changes, PositionEncoding::Utf16);
        assert_eq!((&*changed.text, changed.version), (after, 2));
    }

    #[test]
    fn changes_follow_each_other() {
        check(
            "one\ntwo\n",
            &[
                change(Some([0, 3, 1, 0]), " "),
                change(Some([0, 0, 0, 3]), "1"),
            ],
            "1 two\n",
        );
        check("one", &[change(None, "new")], "new");
        check("a😀b", &[change(Some([0, 3, 0, 4]), "c")], "a😀c");
        check("a\r\nb\rc", &[change(Some([2, 0, 2, 1]), "d")], "a\r\nb\rd");
    }

    #[test]
    fn positions_that_do_not_exist_are_the_nearest_ones() {
        check("ab\ncd", &[change(Some([0, 9, 1, 0]), "-")], "ab-cd");
        check("ab", &[change(Some([7, 0, 9, 9]), "!")], "ab!");
        // The end lies in front of the start.
        check("abc", &[change(Some([0, 2, 0, 1]), "x")], "abxc");
    }
}
