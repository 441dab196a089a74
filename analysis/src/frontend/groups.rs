//! Groups of whole top-level items, and the items in them by content.

use super::lex::{Token, skip_group};
use super::markers::Piece;
use super::names::{NameSpace, StorageWords, declared_names, storage_words};
use super::normalise::{canonical_identifier, may_have_contracts};
use super::split::{Item, ItemKind};
use rapidhash::v3::rapidhash_v3;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use ustr::Ustr;

/// Some whole items that stand one behind the other.
#[derive(Debug)]
pub struct Group {
    /// The preprocessed text without line markers: one or more pieces, one behind the other.
    pub text: Box<str>,
    /// Where each piece ends in the text.
    pub(super) piece_ends: SmallVec<[u32; 1]>,
    /// Whether all brackets close. How a group ends in which they do not depends on the text behind
    /// it, so it is not shared.
    pub(super) is_complete: bool,
    pub items: Vec<GroupItem>,
    pub declared: Vec<Declared>,
    /// One for each item, made when it is first asked for.
    declarations: Box<[OnceLock<Arc<DeclarationText>>]>,
    annotated: OnceLock<Box<[u32]>>,
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

    /// The same for the same tokens.
    pub fn marks(&self) -> (u64, u64) {
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

/// An item without a function's body: equal as long as the declaration stays the same. It has its own text, so that
/// whoever keeps it, a database for a long time, does not keep all that stands around the declaration.
#[derive(Clone, Debug)]
pub struct DeclarationSource(Arc<DeclarationText>);

#[derive(Debug)]
struct DeclarationText {
    text: Box<str>,
    kind: ItemKind,
    mark: u64,
}

impl DeclarationSource {
    /// The item with this index in its group.
    pub fn new(group: &Group, index: u32) -> DeclarationSource {
        let index = index as usize;
        let made = group.declarations[index].get_or_init(|| {
            let item = &group.items[index];
            Arc::new(DeclarationText {
                text: group.declaration_text(item).into(),
                kind: item.kind,
                mark: item.declaration_mark,
            })
        });
        DeclarationSource(made.clone())
    }

    pub fn mark(&self) -> u64 {
        self.0.mark
    }

    pub fn text(&self) -> &str {
        &self.0.text
    }

    pub fn kind(&self) -> ItemKind {
        self.0.kind
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

impl Group {
    pub(super) fn new(
        text: &str,
        piece_ends: SmallVec<[u32; 1]>,
        tokens: &[Token],
        items: &[Item],
        is_complete: bool,
    ) -> Group {
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
            declarations: group_items.iter().map(|_| OnceLock::new()).collect(),
            annotated: OnceLock::new(),
            text: text.into(),
            piece_ends,
            is_complete,
            items: group_items,
            declared,
        }
    }

    /// The items in which attributes about locks may stand outside of functions' bodies, by their index.
    pub fn annotated_items(&self) -> &[u32] {
        self.annotated.get_or_init(|| {
            if !may_have_contracts(&self.text) {
                return Box::default();
            }
            let items = self.items.iter().enumerate();
            items
                .filter(|(_, item)| may_have_contracts(self.declaration_text(item)))
                .map(|(index, _)| index as u32)
                .collect()
        })
    }

    /// Whether the text of these pieces starts with that of the group.
    pub(super) fn consists_of(&self, text: &str, pieces: &[Piece]) -> bool {
        let mut start = 0;
        pieces.len() >= self.piece_ends.len()
            && self.piece_ends.iter().zip(pieces).all(|(&end, piece)| {
                let mine = &self.text[start as usize..end as usize];
                start = end;
                *mine == text[piece.start..piece.end]
            })
    }

    pub(super) fn piece_at(&self, offset: u32) -> usize {
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
