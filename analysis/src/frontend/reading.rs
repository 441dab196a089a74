//! Reads text until the items in it are whole.

use super::groups::Group;
use super::lex::{Token, TokenKind, lex_into};
use super::markers::Piece;
use super::split::{Item, split};
use smallvec::SmallVec;

/// A group grows until its last item is complete, but not beyond this: then a bracket is missing.
const LONGEST_ITEM: usize = 2 << 20;

/// Reads pieces until the items in them are whole.
pub(super) fn read_group(text: &str, pieces: &[Piece]) -> Group {
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
            return Group::new(&source, ends, &tokens, &items, true);
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
    Group::new(&source, ends, &tokens, &items, false)
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
