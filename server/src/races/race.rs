//! One race: the pair to look at, and the other accesses of the same cause.

use super::access;
use super::checked::Checked;
use crate::report::{Access, OfferedComment, Race, Reason, Tier};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir::StatementId;
use racelens_analysis::races::{self, Sighting};
use racelens_analysis::threads::RootId;
use std::collections::HashSet;

/// `None` if one of the two accesses is not in the text at the moment.
pub(super) fn report(
    checked: &Checked<'_>,
    race: &races::Race,
    benign_comments: Vec<OfferedComment>,
) -> Option<Race> {
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
        accesses: accesses(checked, race)?,
        benign_comments,
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
fn accesses(checked: &Checked<'_>, race: &races::Race) -> Option<Vec<Access>> {
    let best = race.pairs.first()?;
    let mut accesses = vec![
        access::report(checked, best.first, best.first_root)?,
        access::report(checked, best.second, best.second_root)?,
    ];
    let mut seen: HashSet<(FunctionId, StatementId)> = HashSet::new();
    let mut is_new = |sighting: Sighting| {
        let statement = checked.program().access(sighting).statement;
        seen.insert((sighting.function, statement))
    };
    is_new(best.first);
    is_new(best.second);
    for pair in &race.pairs[1..] {
        let sides: [(Sighting, RootId); 2] = [
            (pair.first, pair.first_root),
            (pair.second, pair.second_root),
        ];
        for (sighting, root) in sides {
            if is_new(sighting)
                && let Some(access) = access::report(checked, sighting, root)
            {
                add(&mut accesses, access);
            }
        }
    }
    Some(accesses)
}

/// Adds an access, unless its line is there: `x++` reads and writes, and is one access to its reader.
fn add(accesses: &mut Vec<Access>, access: Access) {
    let is_same_line = |known: &Access| {
        known.place.path == access.place.path && known.place.line == access.place.line
    };
    match accesses.iter().position(is_same_line) {
        // The pair stays as it is: it is what races.
        Some(index) if index < 2 || accesses[index].kind.writes() => {}
        Some(index) if access.kind.writes() => accesses[index] = access,
        Some(_) => {}
        None => accesses.push(access),
    }
}
