//! Cuts a translation unit's text into groups, with a content-addressed store of all groups.
//!
//! Almost all preprocessed text is headers that come again in every translation unit, and an edit
//! leaves almost all of a file as it was. So a group is lexed and split once per content, however
//! often it comes, and what an edit leaves in place is not even looked up again.

use super::groups::{Group, GroupItem};
use super::markers::{LineOrigin, Piece, pieces, pieces_between};
use super::reading::read_group;
use dashmap::DashMap;
use rapidhash::v3::rapidhash_v3;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use ustr::Ustr;

/// A group and where its pieces come from in one translation unit.
#[derive(Clone, Debug)]
pub struct PlacedGroup {
    pub group: Arc<Group>,
    /// Where the first piece starts in the unit's text.
    start: u32,
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
        let lines = memchr::memchr_iter(b'\n', before).count() as u32;
        origin.line += lines;
        origin.enters &= lines == 0;
        origin
    }

    /// The pieces: their ranges in the group's text and where each comes from.
    pub fn pieces(&self) -> impl Iterator<Item = (Range<usize>, LineOrigin)> {
        let mut start = 0;
        self.group
            .piece_ends
            .iter()
            .zip(&self.origins)
            .map(move |(&end, &origin)| {
                let range = start..end as usize;
                start = end as usize;
                (range, origin)
            })
    }

    /// The file that an item stands in, and whether it is one of the system's headers. A macro
    /// from such a header (`bool`, `NULL`) is marked like the header itself, in the middle of the
    /// user's text: one piece of the user's makes the item the user's.
    pub fn file_of(&self, item: &GroupItem) -> (Ustr, bool) {
        let pieces = self.group.piece_at(item.start)..=self.group.piece_at(item.end - 1);
        let origins = &self.origins[pieces];
        let origin = origins
            .iter()
            .find(|origin| !origin.system)
            .unwrap_or(&origins[0]);
        (origin.file, origin.system)
    }

    /// Whether both come from the same files; lines may differ.
    fn origins_alike(&self, other: &PlacedGroup) -> bool {
        self.origins.len() == other.origins.len()
            && self
                .origins
                .iter()
                .zip(&other.origins)
                .all(|(mine, theirs)| mine.file == theirs.file && mine.system == theirs.system)
    }

    /// Whether nothing in the group is from the user's own files.
    pub fn is_system(&self) -> bool {
        self.origins.iter().all(|origin| origin.system)
    }
}

/// All groups of a unit, in order.
pub struct Placement {
    pub groups: Vec<PlacedGroup>,
    /// How many groups at the front and at the back are those of the placement before.
    pub kept_front: usize,
    pub kept_back: usize,
}

/// A unit's text and groups before an edit.
pub struct Before<'b> {
    /// `None` if it was not kept.
    pub text: Option<&'b str>,
    pub groups: &'b [PlacedGroup],
}

/// All groups that are in use.
#[derive(Default)]
pub struct GroupStore {
    /// By the hash of a group's first piece.
    groups: DashMap<u64, SmallVec<[Arc<Group>; 1]>, FxBuildHasher>,
}

impl GroupStore {
    /// Cuts a translation unit's preprocessed text into groups.
    pub fn place(&self, text: &str, main_file: Ustr) -> Vec<PlacedGroup> {
        self.group_pieces(text, &pieces(text, main_file), &[])
    }

    /// The same for a text that was edited. The result may be grouped differently, but it has the
    /// same items.
    pub fn place_again(&self, text: &str, main_file: Ustr, before: &Before<'_>) -> Placement {
        before
            .text
            .and_then(|old| self.place_edit(text, old, before.groups))
            .unwrap_or_else(|| {
                Placement::compared(
                    self.group_pieces(text, &pieces(text, main_file), before.groups),
                    before.groups,
                )
            })
    }

    /// Keeps the groups in front of and behind the edit, and cuts only what lies between.
    fn place_edit(&self, text: &str, old: &str, groups: &[PlacedGroup]) -> Option<Placement> {
        let prefix = common_prefix(old.as_bytes(), text.as_bytes());
        let longest_suffix = old.len().min(text.len()) - prefix;
        let suffix = common_suffix(old.as_bytes(), text.as_bytes()).min(longest_suffix);
        // A group is in front if the start of the next one is, too: then its end is as it was.
        let unchanged = groups.partition_point(|group| group.start as usize <= prefix);
        let front = groups[..unchanged.saturating_sub(1)]
            .iter()
            .take_while(|group| group.group.is_complete)
            .count();
        // What lies in front of all groups says where the first one comes from.
        let first = groups
            .get(front)
            .filter(|first| first.start as usize <= prefix)?;
        // The line in front of a group must end as it did: if one that says where it comes from was longer, the group
        // would begin in the middle of it.
        let behind = groups
            .partition_point(|group| group.start as usize <= old.len() - suffix)
            .clamp(front + 1, groups.len());
        let broken = groups[behind..]
            .iter()
            .rposition(|group| !group.group.is_complete);
        let behind = broken.map_or(behind, |broken| behind + broken + 1);
        let shift = text.len() as isize - old.len() as isize;
        Some(self.place_between(text, first, groups, front..behind, shift))
    }

    /// Cuts the text anew where the `displaced` groups stood, and further if what lies behind them
    /// is not what it was: on other lines, or inside a bracket that is open now.
    fn place_between(
        &self,
        text: &str,
        first: &PlacedGroup,
        groups: &[PlacedGroup],
        mut displaced: Range<usize>,
        shift: isize,
    ) -> Placement {
        let next = groups.get(displaced.end);
        let end = next.map_or(text.len(), |next| (next.start as isize + shift) as usize);
        let (mut between, origin) =
            pieces_between(text, first.start as usize, end, first.origins[0]);
        let mut middle = Vec::new();
        if next.is_none_or(|next| next.origins[0] == origin) {
            middle = self.group_pieces(text, &between, &groups[displaced.clone()]);
        }
        let is_whole = middle.iter().all(|group| group.group.is_complete) && !middle.is_empty();
        if next.is_some() && !is_whole {
            between.extend(pieces_between(text, end, text.len(), origin).0);
            displaced.end = groups.len();
            middle = self.group_pieces(text, &between, &groups[displaced.clone()]);
        }
        let mut placed = Vec::with_capacity(groups.len() + middle.len());
        placed.extend_from_slice(&groups[..displaced.start]);
        placed.extend(middle);
        placed.extend(groups[displaced.end..].iter().map(|group| PlacedGroup {
            start: (group.start as isize + shift) as u32,
            ..group.clone()
        }));
        Placement::compared(placed, groups)
    }

    /// Puts pieces together to groups. `likely` are groups of which many will come again in order.
    fn group_pieces(
        &self,
        text: &str,
        pieces: &[Piece],
        likely: &[PlacedGroup],
    ) -> Vec<PlacedGroup> {
        let mut placed = Vec::with_capacity(pieces.len());
        let mut next = 0;
        let mut likely_next = 0;
        while let Some(first) = pieces.get(next) {
            let rest = &pieces[next..];
            let guess = likely
                .get(likely_next)
                .filter(|guess| guess.group.is_complete && guess.group.consists_of(text, rest));
            let group = match guess {
                Some(guess) => guess.group.clone(),
                None => self.group_at(text, rest),
            };
            let ahead = &likely[likely_next.min(likely.len())..];
            if let Some(found) = ahead
                .iter()
                .take(LOOK_AHEAD)
                .position(|known| Arc::ptr_eq(&known.group, &group))
            {
                likely_next += found + 1;
            }
            let taken = group.piece_ends.len();
            let origins = rest[..taken].iter().map(|piece| piece.origin).collect();
            placed.push(PlacedGroup {
                group,
                start: first.start as u32,
                origins,
            });
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
        let group = Arc::new(read_group(text, pieces));
        if !group.is_complete {
            return group;
        }
        let mut known = self.groups.entry(key).or_default();
        // Another unit may have read the same header in the meantime.
        if let Some(first) = known.iter().find(|group| group.consists_of(text, pieces)) {
            return first.clone();
        }
        known.push(group.clone());
        group
    }
}

/// How far ahead a group is looked for among the likely ones.
const LOOK_AHEAD: usize = 8;

impl Placement {
    /// Finds out what two lists of groups have in common at their ends.
    fn compared(groups: Vec<PlacedGroup>, before: &[PlacedGroup]) -> Placement {
        let same = |(new, old): &(&PlacedGroup, &PlacedGroup)| {
            Arc::ptr_eq(&new.group, &old.group) && new.origins_alike(old)
        };
        let kept_front = groups.iter().zip(before).take_while(same).count();
        let kept_back = groups[kept_front..]
            .iter()
            .rev()
            .zip(before[kept_front..].iter().rev())
            .take_while(same)
            .count();
        Placement {
            groups,
            kept_front,
            kept_back,
        }
    }

    /// The groups that are new.
    pub fn middle(&self) -> Range<usize> {
        self.kept_front..self.groups.len() - self.kept_back
    }
}

/// How many bytes at the start are equal, in steps that the processor takes at once.
fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    const STEP: usize = 256;
    let steps = left
        .chunks_exact(STEP)
        .zip(right.chunks_exact(STEP))
        .take_while(|(left, right)| left == right)
        .count();
    let rest = left[steps * STEP..]
        .iter()
        .zip(&right[steps * STEP..])
        .take_while(|(left, right)| left == right)
        .count();
    steps * STEP + rest
}

fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    const STEP: usize = 256;
    let steps = left
        .rchunks_exact(STEP)
        .zip(right.rchunks_exact(STEP))
        .take_while(|(left, right)| left == right)
        .count();
    let (left, right) = (
        &left[..left.len() - steps * STEP],
        &right[..right.len() - steps * STEP],
    );
    let rest = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take_while(|(left, right)| left == right)
        .count();
    steps * STEP + rest
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
    fn the_same_header_read_by_many_threads_at_once_is_one_group() {
        let units: Vec<String> = (0..64)
            .map(|header| format!("# 1 \"h{header}.h\" 1\nint shared{header}(void);\n"))
            .collect();
        let store = GroupStore::default();
        let together = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for text in &units {
                        together.wait();
                        store.place(text, Ustr::from("a.c"));
                    }
                });
            }
        });
        assert_eq!(store.len(), units.len());
    }

    #[test]
    fn a_marker_that_says_what_an_empty_line_did_moves_no_line() {
        let function = "int f(void) { return 1; }\n";
        let old = format!("# 1 \"h.h\" 1\nint h(void);\n# 5 \"a.c\" 2\n\n{function}");
        let new = format!("# 1 \"h.h\" 1\n\n# 6 \"a.c\" 2\n{function}");
        let (store, name) = (GroupStore::default(), Ustr::from("a.c"));
        for (old, new) in [(&old, &new), (&new, &old)] {
            let groups = store.place(old, name);
            let before = Before {
                text: Some(old),
                groups: &groups,
            };
            let placed = store.place_again(new, name, &before).groups;
            let last = placed.last().unwrap();
            let at = last.group.text.find("int f").unwrap();
            assert_eq!(last.origin_of(at as u32).line, 6);
        }
    }

    #[test]
    fn placing_an_edit_gives_the_items_of_placing_afresh() {
        let mut random = 0x1234_5678_9abc_def1u64;
        let mut next = move |bound: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % bound as u64) as usize
        };
        let store = GroupStore::default();
        let name = Ustr::from("a.c");
        let mut text: String = (0..120)
            .map(|i| match i % 10 {
                3 => format!("# {} \"a.c\"\n", i * 10),
                7 => format!(
                    "# 1 \"h{i}.h\" 1\nint h{i}(void);\n# {} \"a.c\" 2\n",
                    i * 10 + 1
                ),
                _ => format!("int f{i}(int a)\n{{\n  return a + {i};\n}}\n"),
            })
            .collect();
        let mut groups = store.place(&text, name);
        for step in 0..400 {
            let at = (0..=text.len())
                .rev()
                .cycle()
                .skip(next(text.len()))
                .find(|&at| text.is_char_boundary(at))
                .unwrap();
            let mut edited = text.clone();
            match next(4) {
                0 => edited.insert_str(at, [" x ", "\n", "}\n", "{", ";", "int y;\n"][next(6)]),
                1 => edited.insert_str(at, "\nint g(void)\n{\n}\n"),
                _ => drop(edited.drain(at..(at + next(40)).min(text.len()))),
            }
            let before = Before {
                text: Some(&text),
                groups: &groups,
            };
            let placement = store.place_again(&edited, name, &before);
            let shown = |groups: &[PlacedGroup]| -> Vec<(String, LineOrigin)> {
                let items = groups
                    .iter()
                    .flat_map(|placed| placed.group.items.iter().map(move |item| (placed, item)));
                items
                    .map(|(placed, item)| {
                        (
                            placed.group.item_text(item).to_owned(),
                            placed.origin_of(item.start),
                        )
                    })
                    .collect()
            };
            let (again, afresh) = (shown(&placement.groups), shown(&store.place(&edited, name)));
            let difference = again
                .iter()
                .zip(&afresh)
                .find(|(left, right)| left != right);
            assert_eq!(
                (difference, again.len()),
                (None, afresh.len()),
                "step {step}"
            );
            let (front, back) = (placement.kept_front, placement.kept_back);
            assert!(
                placement.groups[..front]
                    .iter()
                    .zip(&groups)
                    .all(|(new, old)| Arc::ptr_eq(&new.group, &old.group))
            );
            assert!(
                placement
                    .groups
                    .iter()
                    .rev()
                    .zip(groups.iter().rev())
                    .take(back)
                    .all(|(new, old)| Arc::ptr_eq(&new.group, &old.group))
            );
            if next(3) > 0 {
                text = edited;
                groups = placement.groups;
            }
        }
    }

    #[test]
    fn an_edit_in_front_of_the_first_group_counts_its_lines_anew() {
        let store = GroupStore::default();
        let name = Ustr::from("a.c");
        let includes = "# 1 \"a.c\"\n# 1 \"n.h\" 1\n\n# 3 \"a.c\" 2\n";
        let without = "# 1 \"a.c\"\n\n\n\n";
        let function = "int f(void) { return 1; }\n";
        let texts = [includes, without].map(|front| format!("{front}{function}"));
        for (old, new) in [(&texts[0], &texts[1]), (&texts[1], &texts[0])] {
            let groups = store.place(old, name);
            let before = Before {
                text: Some(old),
                groups: &groups,
            };
            let again = store.place_again(new, name, &before).groups;
            let afresh = store.place(new, name);
            let shown = |groups: &[PlacedGroup]| -> Vec<(u32, Vec<LineOrigin>)> {
                let groups = groups.iter();
                groups.map(|it| (it.start, it.origins.to_vec())).collect()
            };
            assert_eq!(shown(&again), shown(&afresh));
        }
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
