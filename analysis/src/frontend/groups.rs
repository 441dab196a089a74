//! A content-addressed store of top-level items.
//!
//! Almost all preprocessed text is headers that come again in every translation unit, and an edit
//! leaves almost all of a file as it was. So text is cut into groups of whole items, and a group is
//! lexed and split once per content, however often it comes.

use super::lex::{Token, TokenKind, lex_into, skip_group};
use super::markers::{LineOrigin, Piece, pieces};
use super::names::{NameSpace, StorageWords, declared_names, storage_words};
use super::normalise::canonical_identifier;
use super::split::{Item, ItemKind, split};
use dashmap::DashMap;
use rapidhash::v3::rapidhash_v3;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use ustr::Ustr;

/// Some whole items that stand one behind the other.
#[derive(Debug)]
pub struct Group {
    /// The preprocessed text without line markers: one or more pieces, one behind the other.
    pub text: Box<str>,
    /// Where each piece ends in the text.
    piece_ends: SmallVec<[u32; 1]>,
    pub items: Vec<GroupItem>,
    pub declared: Vec<Declared>,
}

/// An item by its place in the group's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupItem {
    pub kind: ItemKind,
    /// The name of a function that is defined here.
    pub function: Option<Ustr>,
    /// Byte offsets in the group's text.
    pub start: u32,
    /// Where a function's `{` stands; `end` for every other kind.
    pub body: u32,
    pub end: u32,
    /// Whether a variable gets a value here.
    pub initialises: bool,
    /// Marks of the tokens, whatever the space between them.
    pub declaration_mark: u64,
    pub body_mark: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    pub name: Ustr,
    pub space: NameSpace,
    pub storage: StorageWords,
    pub item: u32,
}

/// A group and where its pieces come from in one translation unit.
#[derive(Clone, Debug)]
pub struct PlacedGroup {
    pub group: Arc<Group>,
    /// The first line of each piece.
    origins: SmallVec<[LineOrigin; 1]>,
}

impl PlacedGroup {
    /// Where the byte at `offset` of the group's text comes from.
    pub fn origin_of(&self, offset: u32) -> LineOrigin {
        let piece = self.group.piece_at(offset);
        let start = if piece == 0 {
            0
        } else {
            self.group.piece_ends[piece - 1] as usize
        };
        let mut origin = self.origins[piece];
        let before = &self.group.text.as_bytes()[start..(offset as usize).max(start)];
        origin.line += memchr::memchr_iter(b'\n', before).count() as u32;
        origin
    }

    /// The file that an item stands in, and whether it is one of the system's headers.
    pub fn file_of(&self, item: &GroupItem) -> (Ustr, bool) {
        let origin = &self.origins[self.group.piece_at(item.start)];
        (origin.file, origin.system)
    }

    /// Whether nothing in the group is from the user's own files.
    pub fn is_system(&self) -> bool {
        self.origins.iter().all(|origin| origin.system)
    }
}

/// One item by its content: equal wherever and in whichever group it stands.
#[derive(Clone, Debug)]
pub struct ItemSource {
    pub group: Arc<Group>,
    pub index: u32,
}

impl ItemSource {
    pub fn item(&self) -> &GroupItem {
        &self.group.items[self.index as usize]
    }

    fn marks(&self) -> (u64, u64) {
        let item = self.item();
        (item.declaration_mark, item.body_mark)
    }
}

impl PartialEq for ItemSource {
    fn eq(&self, other: &ItemSource) -> bool {
        self.marks() == other.marks()
    }
}

impl Eq for ItemSource {}

/// An item without a function's body: equal as long as the declaration stays the same.
#[derive(Clone, Debug)]
pub struct DeclarationSource(pub ItemSource);

impl DeclarationSource {
    pub fn mark(&self) -> u64 {
        self.0.item().declaration_mark
    }

    pub fn text(&self) -> &str {
        self.0.group.declaration_text(self.0.item())
    }
}

impl PartialEq for DeclarationSource {
    fn eq(&self, other: &DeclarationSource) -> bool {
        self.mark() == other.mark()
    }
}

impl Eq for DeclarationSource {}

impl Hash for DeclarationSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.mark().hash(state);
    }
}

/// All groups that are in use.
#[derive(Default)]
pub struct GroupStore {
    /// By the hash of a group's first piece.
    groups: DashMap<u64, SmallVec<[Arc<Group>; 1]>, FxBuildHasher>,
}

/// A group grows until its last item is complete, but not beyond this: then a bracket is missing.
const LONGEST_ITEM: usize = 2 << 20;

impl GroupStore {
    /// Cuts a translation unit's preprocessed text into groups, most of which are known.
    pub fn place(&self, text: &str, main_file: Ustr) -> Vec<PlacedGroup> {
        let pieces = pieces(text, main_file);
        let mut placed = Vec::with_capacity(pieces.len());
        let mut next = 0;
        while next < pieces.len() {
            let group = self.group_at(text, &pieces[next..]);
            let taken = group.piece_ends.len();
            let origins = pieces[next..next + taken]
                .iter()
                .map(|piece| piece.origin)
                .collect();
            placed.push(PlacedGroup { group, origins });
            next += taken;
        }
        placed
    }

    /// Drops what nobody else holds.
    pub fn collect_garbage(&self) {
        self.groups.retain(|_, groups| {
            groups.retain(|group| Arc::strong_count(group) > 1);
            !groups.is_empty()
        });
    }

    pub fn len(&self) -> usize {
        self.groups.iter().map(|groups| groups.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The group that starts with the first piece.
    fn group_at(&self, text: &str, pieces: &[Piece]) -> Arc<Group> {
        let first = &pieces[0];
        let key = rapidhash_v3(&text.as_bytes()[first.start..first.end]);
        if let Some(known) = self.groups.get(&key)
            && let Some(group) = known.iter().find(|group| group.consists_of(text, pieces))
        {
            return group.clone();
        }
        let (group, complete) = read_group(text, pieces);
        let group = Arc::new(group);
        // How a group with a missing bracket ends depends on what follows: it is not shared.
        if complete {
            self.groups.entry(key).or_default().push(group.clone());
        }
        group
    }
}

/// Reads pieces until the items in them are whole.
fn read_group(text: &str, pieces: &[Piece]) -> (Group, bool) {
    let mut source = String::new();
    let mut ends: SmallVec<[u32; 1]> = SmallVec::new();
    let mut tokens = Vec::new();
    let mut items: Vec<Item> = Vec::new();
    let mut unfinished = 0;
    let mut open_braces = 0isize;
    for piece in pieces {
        let (from, first_token) = (source.len(), tokens.len());
        source.push_str(&text[piece.start..piece.end]);
        ends.push(source.len() as u32);
        lex_into(&source, from, &mut tokens);
        // Inside braces that stay open, an item cannot end: do not look for its end again.
        if open_braces > 0 && !closes(&tokens[first_token..], &mut open_braces) {
            if source.len() > LONGEST_ITEM {
                break;
            }
            continue;
        }
        let (more, rest) = split(&source, &tokens[unfinished..], false);
        append(&mut items, &more, unfinished);
        unfinished += rest;
        if unfinished == tokens.len() {
            return (Group::new(&source, ends, &tokens, &items), true);
        }
        if source.len() > LONGEST_ITEM {
            break;
        }
        open_braces = 0;
        closes(&tokens[unfinished..], &mut open_braces);
    }
    // A bracket is missing. Split as well as possible, and end the group with the first piece in
    // which no item is open, so that what follows is found in the store again.
    let whole = items.len();
    let (more, _) = split(&source, &tokens[unfinished..], true);
    append(&mut items, &more, unfinished);
    let item_end = |item: &Item| tokens[item.end - 1].end;
    let mut used = whole;
    for (index, end) in ends.iter().copied().enumerate() {
        while items
            .get(used)
            .is_some_and(|item| tokens[item.start].start < end)
        {
            used += 1;
        }
        if used > whole && item_end(&items[used - 1]) <= end {
            items.truncate(used);
            source.truncate(end as usize);
            ends.truncate(index + 1);
            break;
        }
    }
    (Group::new(&source, ends, &tokens, &items), false)
}

/// Counts braces, and tells whether all that were open have closed.
fn closes(tokens: &[Token], open: &mut isize) -> bool {
    let mut closed = false;
    for token in tokens {
        *open += match token.kind {
            TokenKind::Punctuation(b'{') => 1,
            TokenKind::Punctuation(b'}') => -1,
            _ => 0,
        };
        closed |= *open <= 0;
    }
    closed
}

fn append(items: &mut Vec<Item>, more: &[Item], offset: usize) {
    items.extend(more.iter().map(|item| Item {
        kind: item.kind,
        start: item.start + offset,
        body: item.body + offset,
        end: item.end + offset,
    }));
}

impl Group {
    fn new(text: &str, piece_ends: SmallVec<[u32; 1]>, tokens: &[Token], items: &[Item]) -> Group {
        let mut declared = Vec::new();
        let mut group_items = Vec::with_capacity(items.len());
        let mut buffer = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let mut function = None;
            let storage = storage_words(text, &tokens[item.start..item.body]);
            declared_names(
                text,
                item.kind,
                &tokens[item.start..item.body],
                &mut |name, space| {
                    let name = Ustr::from(&canonical_identifier(&name));
                    if space == NameSpace::FunctionDefinition {
                        function = Some(name);
                    }
                    declared.push(Declared {
                        name,
                        space,
                        storage,
                        item: index as u32,
                    });
                },
            );
            let declaration_mark = mark(text, &tokens[item.start..item.body], &mut buffer);
            group_items.push(GroupItem {
                kind: item.kind,
                function,
                start: tokens[item.start].start,
                body: tokens
                    .get(item.body)
                    .filter(|_| item.body < item.end)
                    .map_or(tokens[item.end - 1].end, |brace| brace.start),
                end: tokens[item.end - 1].end,
                initialises: item.kind == ItemKind::Declaration
                    && initialises(&tokens[item.start..item.end]),
                declaration_mark,
                body_mark: mark(text, &tokens[item.body..item.end], &mut buffer),
            });
        }
        Group {
            text: text.into(),
            piece_ends,
            items: group_items,
            declared,
        }
    }

    /// Whether the text of these pieces starts with that of the group.
    fn consists_of(&self, text: &str, pieces: &[Piece]) -> bool {
        let mut start = 0;
        pieces.len() >= self.piece_ends.len()
            && self.piece_ends.iter().zip(pieces).all(|(&end, piece)| {
                let mine = &self.text[start as usize..end as usize];
                start = end;
                *mine == text[piece.start..piece.end]
            })
    }

    fn piece_at(&self, offset: u32) -> usize {
        self.piece_ends
            .partition_point(|&end| end <= offset)
            .min(self.piece_ends.len() - 1)
    }

    pub fn item_text(&self, item: &GroupItem) -> &str {
        &self.text[item.start as usize..item.end as usize]
    }

    /// A function's text up to its body; the whole of any other item.
    pub fn declaration_text(&self, item: &GroupItem) -> &str {
        &self.text[item.start as usize..item.body as usize]
    }
}

fn initialises(tokens: &[Token]) -> bool {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.is(b'=') {
            return true;
        }
        at = if token.is(b'(') || token.is(b'{') || token.is(b'[') {
            skip_group(tokens, at)
        } else {
            at + 1
        };
    }
    false
}

fn mark(text: &str, tokens: &[Token], buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    for token in tokens {
        buffer.extend_from_slice(token.bytes(text));
        buffer.push(0);
    }
    rapidhash_v3(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(store: &GroupStore, text: &str) -> Vec<String> {
        let placed = store.place(text, Ustr::from("a.c"));
        placed
            .iter()
            .flat_map(|placed| placed.group.items.iter())
            .filter_map(|item| item.function)
            .map(|name| name.to_string())
            .collect()
    }

    #[test]
    fn a_function_over_several_pieces_is_one_item() {
        let store = GroupStore::default();
        let text = "# 1 \"a.c\"\nint f(void)\n{\n# 20 \"a.c\"\n  return 1;\n}\n# 40 \"a.c\"\nint g(void) { return 2; }\n";
        assert_eq!(functions(&store, text), ["f", "g"]);
        assert_eq!(store.len(), 2);
    }

    #[test]
    fn the_same_header_is_split_once() {
        let store = GroupStore::default();
        let header = "# 1 \"h.h\" 1\nint shared(void);\nstruct s { int a; };\n";
        store.place(
            &format!("{header}# 2 \"a.c\" 2\nint a(void) {{ return 1; }}\n"),
            Ustr::from("a.c"),
        );
        store.place(
            &format!("{header}# 2 \"b.c\" 2\nint b(void) {{ return 1; }}\n"),
            Ustr::from("b.c"),
        );
        assert_eq!(store.len(), 3);
        store.collect_garbage();
        assert!(store.is_empty());
    }

    #[test]
    fn a_missing_brace_costs_one_function_and_shares_nothing_wrong() {
        let store = GroupStore::default();
        let good = "int f(void)\n{\n  if (1) {\n  }\n}\n# 10 \"a.c\"\nint g(void)\n{\n  return 1;\n}\n# 20 \"a.c\"\nint h(void)\n{\n}\n";
        let broken = good.replacen("  }\n", "", 1);
        assert_eq!(functions(&store, &broken), ["f", "g", "h"]);
        assert_eq!(functions(&store, good), ["f", "g", "h"]);
        assert_eq!(functions(&store, &broken), ["f", "g", "h"]);
    }
}
