//! One race: the pair to look at, and the other accesses of the same cause.

use super::access;
use super::benign_comments::CommentWriter;
use super::checked::Checked;
use crate::report::{Access, Race, Reason, Tier};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir::StatementId;
use racelens_analysis::races::{self, Sighting};
use racelens_analysis::threads::RootId;
use std::collections::HashSet;

/// How much of a race is reported.
#[derive(Clone, Copy)]
pub(super) enum Detail<'d> {
    /// What an editor shows at all times: not all accesses, and not how threads get there.
    Brief,
    /// With the comments of this writer.
    Full(Option<&'d CommentWriter<'d>>),
}

/// The pair, and as many others as anybody reads.
const MOST_BRIEF_ACCESSES: usize = 14;

/// `None` if one of the two accesses is not in the text at the moment.
pub(super) fn report(
    checked: &Checked<'_>,
    race: &races::Race,
    detail: Detail<'_>,
) -> Option<Race> {
    let benign_comments = match detail {
        Detail::Full(Some(writer)) => writer.comments(checked, race),
        Detail::Brief | Detail::Full(None) => Vec::new(),
    };
    let reasons = race.reasons.iter().map(|reason| Reason {
        kind: reason.kind.word().to_owned(),
        text: reason.text.clone(),
        doubt: reason.kind.is_doubt(),
    });
    Some(Race {
        id: id(race),
        tier: Tier::Possible,
        rank: race.rank,
        location: race.location.clone(),
        reasons: reasons.collect(),
        accesses: accesses(checked, race, detail)?,
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

/// The best pair, then the others, each line once.
fn accesses(checked: &Checked<'_>, race: &races::Race, detail: Detail<'_>) -> Option<Vec<Access>> {
    let best = race.pairs.first()?;
    let report = |sighting: Sighting, root: RootId| {
        let mut access = access::report(checked, sighting, root)?;
        if let Detail::Full(_) = detail {
            access.path = access::path(checked, sighting.function, sighting.context, root);
        }
        Some(access)
    };
    let mut accesses = vec![
        report(best.first, best.first_root)?,
        report(best.second, best.second_root)?,
    ];
    let mut seen: HashSet<(FunctionId, StatementId)> = HashSet::new();
    let mut is_new = |sighting: Sighting| {
        let statement = checked.program().access(sighting).statement;
        seen.insert((sighting.function, statement))
    };
    is_new(best.first);
    is_new(best.second);
    let most = match detail {
        Detail::Brief => MOST_BRIEF_ACCESSES,
        Detail::Full(_) => usize::MAX,
    };
    for pair in &race.pairs[1..] {
        if accesses.len() >= most {
            break;
        }
        let sides: [(Sighting, RootId); 2] = [
            (pair.first, pair.first_root),
            (pair.second, pair.second_root),
        ];
        for (sighting, root) in sides {
            if is_new(sighting)
                && let Some(access) = report(sighting, root)
            {
                add(&mut accesses, access);
            }
        }
    }
    Some(accesses)
}

/// Adds an access, unless its line is there: `x++` reads and writes, and is one access to its reader.
fn add(accesses: &mut Vec<Access>, access: Access) {
    // Paths are slow to compare.
    let is_same_line = |known: &Access| {
        known.place.line == access.place.line && known.place.path == access.place.path
    };
    match accesses.iter().position(is_same_line) {
        // The pair stays as it is: it is what races.
        Some(index) if index < 2 || accesses[index].kind.writes() => {}
        Some(index) if access.kind.writes() => accesses[index] = access,
        Some(_) => {}
        None => accesses.push(access),
    }
}
