//! Labels, label addresses and nested functions.

use super::super::lex::{TokenKind, skip_group};
use super::super::split::{is_attribute_word, is_statement_keyword};
use super::{NormalisationNote, Normaliser};

impl Normaliser<'_> {
    /// Whether a statement of the innermost block starts at `at`.
    fn at_block_item(&self, at: usize) -> bool {
        self.label_blocks.last() == Some(&true)
            && at.checked_sub(1).is_some_and(|before| {
                let token = self.tokens[before];
                token.is(b';')
                    || token.is(b'{')
                    || token.is(b'}')
                    || (token.is(b':') && self.ended_label())
            })
    }

    /// Whether the text so far ends in a label that already has its own empty statement.
    fn ended_label(&self) -> bool {
        self.output.text.ends_with(": ;")
    }

    pub(super) fn is_label(&self, at: usize) -> bool {
        self.next_is(at, b':') && self.at_block_item(at)
    }

    /// Behind a label in a block C wants a statement; before C23 neither a declaration nor a `}`
    /// is one. An empty statement changes nothing.
    pub(super) fn close_label(&mut self, colon: usize) {
        if !self.next_is(colon, b';') {
            self.emit_text(colon, ";");
        }
    }

    /// `case 1:` and `default:`.
    pub(super) fn case_label(&mut self, at: usize, end: usize) -> usize {
        if !self.at_block_item(at) || !self.is_switch_label(at) {
            self.emit(at);
            return at + 1;
        }
        let mut colon = at + 1;
        let mut conditionals = 0usize;
        while colon < end {
            match self.tokens[colon].kind {
                TokenKind::Punctuation(b'?') => conditionals += 1,
                TokenKind::Punctuation(b':') if conditionals == 0 => break,
                TokenKind::Punctuation(b':') => conditionals -= 1,
                TokenKind::Punctuation(b';' | b'}') => break,
                TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                    colon = skip_group(self.tokens, colon);
                    continue;
                }
                _ => {}
            }
            colon += 1;
        }
        self.emit(at);
        if colon >= end || !self.tokens[colon].is(b':') {
            return at + 1;
        }
        self.run(at + 1, colon);
        self.emit(colon);
        self.close_label(colon);
        colon + 1
    }

    /// `default` also occurs in `_Generic`, where it is no label.
    fn is_switch_label(&self, at: usize) -> bool {
        !at.checked_sub(1)
            .is_some_and(|before| self.tokens[before].is(b','))
    }

    /// `&&name` where an operand is expected.
    pub(super) fn is_label_address(&self, at: usize) -> bool {
        if !self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.kind == TokenKind::Identifier)
        {
            return false;
        }
        match self.previous {
            None => true,
            Some(previous) => match previous.kind {
                TokenKind::Punctuation(b')' | b']' | b'}')
                | TokenKind::Number
                | TokenKind::String
                | TokenKind::Character => false,
                TokenKind::Identifier => previous.text(self.source) == "return",
                TokenKind::Operator => !matches!(previous.text(self.source), "++" | "--"),
                TokenKind::Punctuation(_) => true,
            },
        }
    }

    /// `[[…]]` is an attribute except where it indexes.
    pub(super) fn is_attribute_bracket(&self, at: usize) -> bool {
        let end = skip_group(self.tokens, at);
        end >= 2 && self.tokens[end - 2].is(b']')
    }

    /// A function defined inside another one becomes a prototype; returns where to go on.
    pub(super) fn nested_function(&mut self, at: usize) -> Option<usize> {
        if !self.at_block_item(at) {
            return None;
        }
        let mut words = 0;
        let mut index = at;
        let open = loop {
            let token = self.tokens.get(index)?;
            match token.kind {
                TokenKind::Identifier => {
                    let text = token.text(self.source);
                    if is_statement_keyword(text) || text == "typedef" {
                        return None;
                    }
                    if is_attribute_word(text) && self.next_is(index, b'(') {
                        index = skip_group(self.tokens, index + 1);
                        continue;
                    }
                    words += 1;
                }
                TokenKind::Punctuation(b'*') => {}
                TokenKind::Punctuation(b'(') if words >= 2 => break index,
                _ => return None,
            }
            index += 1;
        };
        let body = skip_group(self.tokens, open);
        if !self.tokens.get(body).is_some_and(|next| next.is(b'{')) {
            return None;
        }
        self.output.notes.push(NormalisationNote::NestedFunction {
            at: self.tokens[at].start,
        });
        // Not through `run`: the first word would be taken for the nested function again.
        for index in at..body {
            self.emit(index);
        }
        self.emit_text(body, ";");
        Some(skip_group(self.tokens, body))
    }
}
