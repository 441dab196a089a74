//! One race: the pair to look at, and the other accesses of the same cause.

use super::access;
use super::benign_comments::CommentWriter;
use super::checked::Checked;
use crate::project::Place;
use crate::report::{Access, Race, Reason, Tier, Unlisted};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir::StatementId;
use racelens_analysis::races::{self, Sighting};
use racelens_analysis::threads::RootId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

/// How much of a race is reported.
#[derive(Clone, Copy)]
pub(super) enum Detail<'d> {
    /// What an editor shows at all times: some accesses, and not how threads get there.
    Brief,
    /// What a list of races shows: some accesses, and the comments of this writer.
    Listed(Option<&'d CommentWriter<'d>>),
    /// All accesses, for somebody who asks about this race, with the comments of this writer.
    Whole(&'d CommentWriter<'d>),
}

/// The pair, and as many others as anybody reads. Of the races of redis two in five have no more, and twice as many
/// would be all of few others: who has more has fifty, or hundreds.
const MOST_LISTED: usize = 14;

/// `None` if one of the two accesses is not in the text at the moment.
pub(super) fn report(
    checked: &Checked<'_>,
    race: &races::Race,
    detail: Detail<'_>,
) -> Option<Race> {
    let benign_comments = match detail {
        Detail::Listed(Some(writer)) | Detail::Whole(writer) => writer.comments(checked, race),
        Detail::Brief | Detail::Listed(None) => Vec::new(),
    };
    let reasons = race.reasons.iter().map(|reason| Reason {
        kind: reason.kind.word().to_owned(),
        text: reason.text.clone(),
        doubt: reason.kind.is_doubt(),
    });
    let (accesses, unlisted) = accesses(checked, race, detail)?;
    Some(Race {
        id: id(race),
        tier: Tier::Possible,
        rank: race.rank,
        location: race.location.clone(),
        reasons: reasons.collect(),
        accesses,
        unlisted,
        benign_comments,
        verified: None,
    })
}

/// Twelve of the sixteen digits are enough to tell the races of a program apart.
pub(super) fn id(race: &races::Race) -> String {
    shown_id(race.id)
}

pub(crate) fn shown_id(id: u64) -> String {
    format!("{:012x}", id >> 16)
}

/// The best pair, then the others, each line once; and what is not listed of them.
fn accesses(
    checked: &Checked<'_>,
    race: &races::Race,
    detail: Detail<'_>,
) -> Option<(Vec<Access>, Unlisted)> {
    let (mut lines, mut count) = lines(checked, race, detail)?;
    let mut functions = BTreeSet::new();
    if let Detail::Listed(_) = detail {
        let unlisted = lines.split_off(lines.len().min(MOST_LISTED));
        count += unlisted.len();
        let unlisted: FxHashSet<FunctionId> = unlisted.iter().map(Line::function).collect();
        functions.extend(unlisted.into_iter().map(|id| checked.function_name(id)));
    }
    let accesses = lines.into_iter().map(|Line { sighting, root, .. }| {
        let mut access = access::report(checked, sighting, root)?;
        if !matches!(detail, Detail::Brief) {
            access.path = access::path(checked, sighting.function, sighting.context, root);
        }
        Some(access)
    });
    let unlisted = Unlisted { count, functions };
    Some((accesses.collect::<Option<_>>()?, unlisted))
}

/// An access that stands for all of its line.
struct Line {
    sighting: Sighting,
    root: RootId,
    writes: bool,
}

impl Line {
    fn function(&self) -> FunctionId {
        self.sighting.function
    }
}

/// The best pair and the other lines, in the order of the pairs; and how many statements were not looked at.
fn lines(
    checked: &Checked<'_>,
    race: &races::Race,
    detail: Detail<'_>,
) -> Option<(Vec<Line>, usize)> {
    let most = match detail {
        Detail::Brief => MOST_LISTED,
        Detail::Listed(_) | Detail::Whole(_) => usize::MAX,
    };
    let mut seen: FxHashSet<(FunctionId, StatementId)> = FxHashSet::default();
    let mut found = Lines::default();
    let mut passed_over = 0;
    for (index, pair) in race.pairs.iter().enumerate() {
        let is_best = index == 0;
        let looks = found.lines.len() < most;
        let sides = [
            (pair.first, pair.first_root),
            (pair.second, pair.second_root),
        ];
        for (sighting, root) in sides {
            let statement = checked.program().access(sighting).statement;
            let is_new = seen.insert((sighting.function, statement));
            if is_new && !looks {
                passed_over += 1;
            } else if is_new || is_best {
                let entity = checked.entity(sighting.function);
                match checked.places.statement_place(entity, statement) {
                    Some(place) => found.add(checked, place, sighting, root, is_best),
                    None if is_best => return None,
                    None => {}
                }
            }
        }
    }
    (found.lines.len() >= PAIR).then_some((found.lines, passed_over))
}

/// Lines by their places.
#[derive(Default)]
struct Lines {
    lines: Vec<Line>,
    /// By path and line; of those of the pair the first.
    at: FxHashMap<(PathBuf, u32), usize>,
}

/// The first lines, which stay as they are: they are what races.
const PAIR: usize = 2;

impl Lines {
    /// Adds an access, unless its line is there: `x++` reads and writes, and is one access to its reader.
    fn add(
        &mut self,
        checked: &Checked<'_>,
        place: Place,
        sighting: Sighting,
        root: RootId,
        is_best: bool,
    ) {
        let line = Line {
            sighting,
            root,
            writes: access::kind(checked.program().access(sighting).kind).writes(),
        };
        match self.at.entry((place.path, place.line)) {
            Entry::Vacant(entry) => {
                entry.insert(self.lines.len());
                self.lines.push(line);
            }
            Entry::Occupied(_) if is_best => self.lines.push(line),
            Entry::Occupied(entry) => {
                let index = *entry.get();
                if index >= PAIR && line.writes && !self.lines[index].writes {
                    self.lines[index] = line;
                }
            }
        }
    }
}
