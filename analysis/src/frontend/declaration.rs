//! Parsed declarations, shared by content between all translation units.

use super::groups::DeclarationSource;
use super::lex::{Token, TokenKind, lex, skip_group};
use super::names::{NameSpace, declared_names};
use super::normalise::{Attributes, Part, canonical_identifier, normalise};
use super::parse::{Parsed, SyntaxError, mentioned_typedefs, with_parsed};
use super::split::ItemKind;
use dashmap::DashMap;
use lang_c::ast::StructKind;
use lang_c::visit::Visit;
use rapidhash::v3::rapidhash_v3;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use ustr::Ustr;

/// A declaration's tree, without function bodies, and without initialisers except those that have
/// to tell how long an array is.
#[derive(Debug)]
pub struct ParsedDeclaration {
    key: String,
    pub parsed: Result<Parsed, SyntaxError>,
    /// The records in it, in the order in which their bodies open.
    pub records: Vec<RecordHead>,
    /// For `int a[] = { … }`: how many elements the initialiser has, where tokens alone tell.
    pub array_lengths: Vec<(Ustr, u64)>,
    /// A name that the declaration binds, by which its unnamed records are found again.
    pub anchor: Option<(NameSpace, Ustr)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordHead {
    pub is_union: bool,
    pub tag: Option<Ustr>,
    /// Where the record stands in the parsed text, by which its node in the tree is known.
    pub start: usize,
}

/// Every declaration that was parsed, by its content.
#[derive(Default)]
pub struct DeclarationStore {
    declarations: DashMap<u64, SmallVec<[Arc<ParsedDeclaration>; 1]>, FxBuildHasher>,
    parsed: AtomicUsize,
    /// How many there were when the program was new.
    used: AtomicUsize,
}

/// Fewer trees are not worth parsing again.
const LEAST_GARBAGE: usize = 1_000;

impl DeclarationStore {
    /// The tree of a declaration in a place where `is_typedef` tells the names of types.
    pub fn get(
        &self,
        source: &DeclarationSource,
        is_typedef: &dyn Fn(Ustr) -> bool,
    ) -> Arc<ParsedDeclaration> {
        let text = source.text();
        let kind = source.kind();
        let tokens = lex(text);
        let (kept, array_lengths) = without_initialisers(text, &tokens, kind);
        let mut names = Vec::new();
        declared_names(text, kind, &tokens, &mut |name, space| {
            names.push((space, Ustr::from(&canonical_identifier(&name))));
        });
        let mut normalised = normalise(text, &kept, Part::Declaration, Attributes::Meaningful);
        if kind == ItemKind::Function {
            normalised.append_semicolon();
        }
        let own = |name: Ustr| names.contains(&(NameSpace::Typedef, name));
        let typedefs = mentioned_typedefs(&normalised, &|name| !own(name) && is_typedef(name));
        let key = format!("{}\n{}", typedefs.join(","), normalised.text);
        let hash = rapidhash_v3(key.as_bytes());
        if let Some(known) = self.declarations.get(&hash)
            && let Some(declaration) = known.iter().find(|declaration| declaration.key == key)
        {
            return declaration.clone();
        }
        let mentioned = |name: Ustr| typedefs.binary_search(&name.as_str()).is_ok();
        let mut parsed = with_parsed(&mentioned, &normalised, Part::Declaration, |parsed| parsed);
        if parsed.is_err() && kind == ItemKind::Typedef {
            // `typedef struct s { s_t *next; } s_t;` behind a first `typedef struct s s_t;`. Seeing
            // its own name is the second choice: `typedef int (t)(void)` would be misunderstood.
            let with_own = |name: Ustr| own(name) || is_typedef(name);
            let again = with_parsed(&with_own, &normalised, Part::Declaration, |parsed| parsed);
            parsed = again.or(parsed);
        }
        let mut heads = RecordHeads::default();
        if let Ok(parsed) = &parsed
            && let Some(declaration) = &parsed.declaration
        {
            let nowhere = lang_c::span::Span::none();
            heads.visit_external_declaration(declaration, &nowhere);
        }
        let anchor = names.first().copied();
        let declaration = Arc::new(ParsedDeclaration {
            key,
            parsed,
            records: heads.0,
            array_lengths,
            anchor,
        });
        let mut known = self.declarations.entry(hash).or_default();
        // Another unit may have parsed the same header in the meantime.
        if let Some(first) = known.iter().find(|known| known.key == declaration.key) {
            return first.clone();
        }
        self.parsed.fetch_add(1, Ordering::Relaxed);
        known.push(declaration.clone());
        declaration
    }

    /// How many declarations were parsed since the store was made.
    pub fn parse_count(&self) -> usize {
        self.parsed.load(Ordering::Relaxed)
    }

    /// Frees the trees; they are parsed again when needed.
    pub fn clear(&self) {
        self.declarations.clear();
    }

    /// Frees the trees if most of them must be of texts that are gone by now: nobody says which, and what is still
    /// used is mostly in results that stay.
    pub fn collect_garbage(&self) {
        let used = self.used.load(Ordering::Relaxed);
        if self.declarations.len() > 2 * used + LEAST_GARBAGE {
            self.clear();
        } else if used == 0 {
            self.used.store(self.declarations.len(), Ordering::Relaxed);
        }
    }
}

/// The tokens without `= value`, and what the values say about the length of arrays.
fn without_initialisers(
    text: &str,
    tokens: &[Token],
    kind: ItemKind,
) -> (Vec<Token>, Vec<(Ustr, u64)>) {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut lengths = Vec::new();
    if kind == ItemKind::Function {
        // An old-style definition's parameter declarations stand between the header and the body.
        let end = tokens
            .iter()
            .position(|token| token.is(b';'))
            .and_then(|semicolon| {
                tokens[..semicolon]
                    .iter()
                    .rposition(|token| token.is(b')'))
                    .map(|close| close + 1)
            });
        kept.extend_from_slice(&tokens[..end.unwrap_or(tokens.len())]);
        return (kept, lengths);
    }
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                let end = skip_group(tokens, at);
                kept.extend_from_slice(&tokens[at..end]);
                at = end;
            }
            TokenKind::Punctuation(b'=') => {
                let unsized_array = unsized_array_name(text, &kept);
                let is_plain = declares_plain_type(text, &kept);
                let length = initialiser_length(tokens, at + 1, is_plain);
                let keeps =
                    mentions_unsized_array(&kept) && (unsized_array.is_none() || length.is_none());
                if let (Some(name), Some(length)) = (unsized_array, length) {
                    lengths.push((name, length));
                }
                let start = at;
                at += 1;
                while at < tokens.len() && !tokens[at].is(b',') && !tokens[at].is(b';') {
                    at = match tokens[at].kind {
                        TokenKind::Punctuation(b'(' | b'[' | b'{') => skip_group(tokens, at),
                        _ => at + 1,
                    };
                }
                if keeps {
                    kept.extend_from_slice(&tokens[start..at]);
                }
            }
            _ => {
                kept.push(token);
                at += 1;
            }
        }
    }
    (kept, lengths)
}

/// Whether `[]` occurs in the declarator that ends what was kept so far.
fn mentions_unsized_array(kept: &[Token]) -> bool {
    kept.windows(2)
        .rev()
        .take_while(|pair| !pair[1].is(b'}') && !pair[1].is(b';'))
        .any(|pair| pair[0].is(b'[') && pair[1].is(b']'))
}

/// `… name [ ]` at the end of what was kept so far.
fn unsized_array_name(text: &str, kept: &[Token]) -> Option<Ustr> {
    let mut end = kept.len();
    while end >= 1 && kept[end - 1].is(b']') {
        end = super::split::group_start(kept, 0, end - 1)?;
    }
    (end < kept.len()
        && kept.get(end + 1)?.is(b']')
        && end >= 1
        && kept[end - 1].kind == TokenKind::Identifier)
        .then(|| Ustr::from(&canonical_identifier(kept[end - 1].text(text))))
}

/// Whether the element is surely a number or a pointer: `static const unsigned char name[]`.
fn declares_plain_type(text: &str, kept: &[Token]) -> bool {
    let mut words = kept
        .iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| token.text(text));
    let is_plain =
        |word: &str| super::names::is_specifier(word) && !super::split::is_tag_keyword(word);
    let is_row = kept.iter().filter(|token| token.is(b'[')).count() == 1;
    // The last word is the name; all in front of it must be words of the language.
    is_row && words.next_back().is_some() && words.all(is_plain)
}

/// How many elements a braced initialiser has, where counting commas is enough: if every element
/// has its own braces, or if elements are plain and so have none.
fn initialiser_length(tokens: &[Token], at: usize, is_plain: bool) -> Option<u64> {
    if !tokens.get(at)?.is(b'{') {
        return None;
    }
    let end = skip_group(tokens, at) - 1;
    let mut count = 0;
    let mut inside = at + 1;
    let mut element = false;
    while inside < end {
        let token = tokens[inside];
        // A designator or a string says more than a count of commas can.
        if !element && (token.is(b'[') || token.is(b'.') || token.kind == TokenKind::String) {
            return None;
        }
        if !element && !token.is(b'{') && !token.is(b',') && !is_plain {
            return None;
        }
        match token.kind {
            TokenKind::Punctuation(b',') => {
                count += u64::from(element);
                element = false;
                inside += 1;
            }
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                element = true;
                inside = skip_group(tokens, inside);
            }
            _ => {
                element = true;
                inside += 1;
            }
        }
    }
    Some(count + u64::from(element))
}

/// Collects the records that have bodies, outer before inner.
#[derive(Default)]
pub struct RecordHeads(pub Vec<RecordHead>);

impl<'ast> Visit<'ast> for RecordHeads {
    fn visit_struct_type(
        &mut self,
        node: &'ast lang_c::ast::StructType,
        span: &'ast lang_c::span::Span,
    ) {
        if node.declarations.is_some() {
            self.0.push(RecordHead {
                is_union: node.kind.node == StructKind::Union,
                tag: node
                    .identifier
                    .as_ref()
                    .map(|identifier| Ustr::from(&identifier.node.name)),
                start: span.start,
            });
        }
        lang_c::visit::visit_struct_type(self, node, span);
    }
}
