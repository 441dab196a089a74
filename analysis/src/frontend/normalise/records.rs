//! What attributes say about the layout of records and enums.
//!
//! lang-c keeps no attribute of a `struct`, `union` or `enum` of its own, so they become members:
//! `struct s { char __racelens_packed ; … }` and `struct s { char __racelens_aligned [ 8 ] ; … }`,
//! and for enums an enumerator whose type and value say the same.

use super::super::lex::skip_group;
use super::super::split::{group_start, is_tag_keyword};
use super::{ALIGNED, Normaliser, PACKED, UNDERLYING};

impl Normaliser<'_> {
    /// Behind the `{` of a record or enum: what its attributes say.
    pub(super) fn record_marks(&mut self, brace: usize) {
        let Some(keyword) = self.tag_keyword_before(brace) else {
            return;
        };
        let mut attributes = Vec::new();
        let mut at = keyword + 1;
        let mut underlying = None;
        while at < brace {
            if self.is_attribute(at) {
                attributes.push(at);
                at = skip_group(self.tokens, at + 1);
            } else {
                if self.tokens[at].is(b':') {
                    underlying = Some(at + 1);
                }
                at += 1;
            }
        }
        at = skip_group(self.tokens, brace);
        while self.is_attribute(at) {
            attributes.push(at);
            at = skip_group(self.tokens, at + 1);
        }
        let is_enum = self.tokens[keyword].text(self.source) == "enum";
        if let Some(start) = underlying.filter(|_| is_enum) {
            self.emit_text(brace, UNDERLYING);
            self.emit_text(brace, "= ( (");
            self.run(start, brace);
            self.emit_text(brace, ") - 1 ) ,");
        }
        for attribute in attributes {
            self.layout_attributes(attribute, is_enum);
        }
    }

    fn layout_attributes(&mut self, attribute: usize, is_enum: bool) {
        let end = skip_group(self.tokens, attribute + 1);
        let mut inner = attribute + 3;
        while inner < end {
            let next = if self.next_is(inner, b'(') {
                skip_group(self.tokens, inner + 1)
            } else {
                inner + 1
            };
            match self.tokens[inner].text(self.source).trim_matches('_') {
                "packed" if is_enum => {
                    self.emit_text(inner, PACKED);
                    self.emit_text(inner, "= - 1 ,");
                }
                "packed" => {
                    self.emit_text(inner, "char");
                    self.emit_text(inner, PACKED);
                    self.emit_text(inner, ";");
                }
                "aligned" if !is_enum => {
                    self.emit_text(inner, "char");
                    self.emit_text(inner, ALIGNED);
                    self.emit_text(inner, "[");
                    if next > inner + 1 {
                        self.run(inner + 2, next - 1);
                    } else {
                        self.emit_text(inner, LARGEST_ALIGNMENT);
                    }
                    self.emit_text(inner, "] ;");
                }
                _ => {}
            }
            inner = next;
        }
    }

    /// Whether an attribute at `at` belongs to the record or enum that it stands beside, so that
    /// `record_marks` has taken care of it.
    pub(super) fn is_record_attribute(&self, at: usize) -> bool {
        let Some(before) = self.before_attributes(at) else {
            return false;
        };
        let token = self.tokens[before];
        token.is(b'}') || is_tag_keyword(token.text(self.source))
    }

    /// `_Alignas(n)` on a member is `__attribute__((aligned(n)))`; elsewhere it moves nothing that
    /// a layout tells.
    pub(super) fn align_as(&mut self, at: usize) -> usize {
        let end = skip_group(self.tokens, at + 1);
        if self.label_blocks.last() != Some(&false) {
            return end;
        }
        let names_type = self
            .tokens
            .get(at + 2)
            .is_some_and(|first| super::super::names::is_specifier(first.text(self.source)));
        for word in ["__attribute__", "((", "aligned", "("] {
            self.emit_text(at, word);
        }
        if names_type {
            self.emit_text(at, "_Alignof");
            self.run(at + 1, end);
        } else {
            self.run(at + 2, end - 1);
        }
        self.emit_text(at, ")");
        self.emit_text(at, "))");
        end
    }

    fn is_attribute(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| matches!(token.text(self.source), "__attribute__" | "__attribute"))
            && self.next_is(at, b'(')
    }

    /// The last token in front of `at` that is not part of an attribute.
    fn before_attributes(&self, at: usize) -> Option<usize> {
        let mut before = at.checked_sub(1)?;
        while self.tokens[before].is(b')') {
            let open = group_start(self.tokens, 0, before)?;
            if !self.is_attribute(open.checked_sub(1)?) {
                break;
            }
            before = open.checked_sub(2)?;
        }
        Some(before)
    }

    /// The `struct`, `union` or `enum` whose body opens at `brace`.
    pub(super) fn tag_keyword_before(&self, brace: usize) -> Option<usize> {
        let mut at = self.before_attributes(brace)?;
        let is_word = |at: usize| {
            let text = self.tokens[at].text(self.source);
            text.starts_with(|first: char| first == '_' || first.is_alphabetic())
        };
        // An enum may name its type: `enum e : unsigned char {`.
        let mut colon = at;
        while is_word(colon) && !is_tag_keyword(self.tokens[colon].text(self.source)) {
            colon = colon.checked_sub(1)?;
        }
        if self.tokens[colon].is(b':') {
            at = self.before_attributes(colon)?;
        }
        if !is_tag_keyword(self.tokens[at].text(self.source)) {
            if !is_word(at) {
                return None;
            }
            at = self.before_attributes(at)?;
        }
        is_tag_keyword(self.tokens[at].text(self.source)).then_some(at)
    }
}

/// What `aligned` without a number means on the systems that are known.
const LARGEST_ALIGNMENT: &str = "16";
