//! A content-addressed store of top-level items.
//!
//! Almost all preprocessed text is headers that come again in every translation unit, and an edit
//! leaves almost all of a file as it was. So text is cut into groups of whole items, and a group is
//! lexed and split once per content, however often it comes.

use super::lex::{Token, lex_into, skip_group};
use super::markers::{LineOrigin, Piece, origin_of, pieces};
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
    /// The preprocessed text, with line markers only inside.
    pub text: Box<str>,
    pub items: Vec<GroupItem>,
    pub declared: Vec<Declared>,
    /// Whether line markers stand inside, so that lines cannot simply be counted.
    pub has_markers: bool,
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

/// A group and where its first line comes from in one translation unit.
#[derive(Clone, Debug)]
pub struct PlacedGroup {
    pub group: Arc<Group>,
    pub origin: LineOrigin,
}

impl PlacedGroup {
    /// Where the byte at `offset` of the group's text comes from.
    pub fn origin_of(&self, offset: u32) -> LineOrigin {
        origin_of(&self.group.text, self.origin, offset as usize)
    }

    /// The file that an item stands in, and whether it is one of the system's headers.
    pub fn file_of(&self, item: &GroupItem) -> (Ustr, bool) {
        let origin = if self.group.has_markers {
            self.origin_of(item.start)
        } else {
            self.origin
        };
        (origin.file, origin.system)
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
            let origin = pieces[next].origin;
            let (group, taken) = self.group_at(text, &pieces[next..]);
            placed.push(PlacedGroup { group, origin });
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

    /// The group that starts with the first piece, and how many pieces it takes.
    fn group_at(&self, text: &str, pieces: &[Piece]) -> (Arc<Group>, usize) {
        let first = &pieces[0];
        let key = rapidhash_v3(&text.as_bytes()[first.start..first.end]);
        if let Some(known) = self.groups.get(&key) {
            for group in known.iter() {
                let end = first.start + group.text.len();
                if text.get(first.start..end) == Some(&group.text) {
                    let taken = pieces.partition_point(|piece| piece.end <= end);
                    return (group.clone(), taken.max(1));
                }
            }
        }
        let (group, taken, complete) = read_group(text, pieces);
        let group = Arc::new(group);
        // How a group with a missing bracket ends depends on what follows: it is not shared.
        if complete {
            self.groups.entry(key).or_default().push(group.clone());
        }
        (group, taken)
    }
}

/// Reads pieces until the items in them are whole.
fn read_group(text: &str, pieces: &[Piece]) -> (Group, usize, bool) {
    let start = pieces[0].start;
    let mut tokens = Vec::new();
    let mut items: Vec<Item> = Vec::new();
    let mut unfinished = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let source = &text[start..piece.end];
        let from = if index == 0 { 0 } else { piece.start - start };
        lex_into(source, from, &mut tokens);
        let (more, rest) = split(source, &tokens[unfinished..], false);
        append(&mut items, &more, unfinished);
        unfinished += rest;
        if unfinished == tokens.len() {
            return (Group::new(source, &tokens, &items), index + 1, true);
        }
        if source.len() > LONGEST_ITEM {
            break;
        }
    }
    // A bracket is missing. Split as well as possible, and end the group as early as possible, so
    // that what follows is found in the store again.
    let last = pieces
        .partition_point(|piece| piece.end - start <= LONGEST_ITEM)
        .clamp(1, pieces.len());
    let source = &text[start..pieces[last - 1].end];
    tokens.truncate(tokens.partition_point(|token| (token.end as usize) <= source.len()));
    let (more, _) = split(source, &tokens[unfinished..], true);
    append(&mut items, &more[..more.len().min(1)], unfinished);
    let Some(broken) = items.last().copied() else {
        return (Group::new(source, &tokens, &items), last, false);
    };
    let rest = &more[1.min(more.len())..];
    let mut broken_end = tokens[broken.end - 1].end as usize;
    let mut used = 0;
    for (index, piece) in pieces[..last].iter().enumerate() {
        let end = piece.end - start;
        while let Some(item) = rest.get(used)
            && (tokens[unfinished + item.start].start as usize) < end
        {
            broken_end = broken_end.max(tokens[unfinished + item.end - 1].end as usize);
            append(&mut items, &[*item], unfinished);
            used += 1;
        }
        if broken_end <= end {
            return (
                Group::new(&text[start..piece.end], &tokens, &items),
                index + 1,
                false,
            );
        }
    }
    (Group::new(source, &tokens, &items), last, false)
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
    fn new(text: &str, tokens: &[Token], items: &[Item]) -> Group {
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
        let has_markers = text.starts_with('#') || text.contains("\n#");
        Group {
            text: text.into(),
            items: group_items,
            declared,
            has_markers,
        }
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
