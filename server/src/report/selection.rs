//! Which races of a report are shown, and in which order.

use super::{Place, Race, Report};
use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::sync::Arc;

/// What the user wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Races of a lower rank are left out.
    pub min_rank: u8,
    /// Only this race: its id, or the beginning of it if no other race begins so.
    pub id: Option<String>,
}

/// No race, or more than one, has the id that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRace {
    pub id: String,
    /// All that begin with it.
    pub candidates: Vec<String>,
}

impl fmt::Display for UnknownRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.id;
        if self.candidates.is_empty() {
            write!(
                f,
                "there is no race with the id `{id}`\n  \
                 help: `racelens check` on the same files shows the ids of all races; \
                 an id changes when the code of its race does"
            )
        } else {
            write!(
                f,
                "several races have an id that begins with `{id}`: {}\n  help: write more digits of it",
                self.candidates.join(", ")
            )
        }
    }
}

impl Selection {
    /// Leaves what was asked for in `report`, and returns how many findings had too low a rank.
    /// A race that is asked for by its id is there whatever its rank is.
    pub fn apply(&self, report: &mut Report) -> Result<usize, UnknownRace> {
        sort(report);
        if let Some(id) = &self.id {
            let races = report.races.iter();
            let suppressed = report.suppressed.iter().map(|suppressed| &suppressed.race);
            let mut ids: Vec<&str> = races
                .chain(suppressed)
                .map(|race| race.id.as_str())
                .collect();
            ids.extend(
                report
                    .violations
                    .iter()
                    .map(|violation| violation.id.as_str()),
            );
            let wanted = the_one(&ids, id)?.to_owned();
            report.races_mut().retain(|race| race.id == wanted);
            report
                .suppressed
                .retain(|suppressed| suppressed.race.id == wanted);
            report.violations.retain(|violation| violation.id == wanted);
            return Ok(0);
        }
        let findings =
            |report: &Report| report.races.iter().filter(|race| race.is_finding()).count();
        let before = findings(report);
        let is_wanted = |race: &Arc<Race>| race.rank >= self.min_rank;
        report.races_mut().retain(is_wanted);
        report
            .suppressed
            .retain(|suppressed| is_wanted(&suppressed.race));
        if let Some(baseline) = &mut report.baseline {
            baseline.known.retain(is_wanted);
        }
        Ok(before - findings(report))
    }
}

/// The highest rank first, then by place.
fn sort(report: &mut Report) {
    report.races_mut().sort_by(order);
    let suppressed = &mut report.suppressed;
    suppressed.sort_by(|left, right| order(&left.race, &right.race));
    if let Some(baseline) = &mut report.baseline {
        baseline.known.sort_by(order);
    }
    let violations = &mut report.violations;
    violations.sort_by(|left, right| (&left.place, &left.id).cmp(&(&right.place, &right.id)));
    report.notes.sort();
    report.notes.dedup();
}

fn order(left: &Arc<Race>, right: &Arc<Race>) -> Ordering {
    let key = |race: &Race| Reverse(race.rank);
    key(left)
        .cmp(&key(right))
        .then_with(|| first_place(left).cmp(&first_place(right)))
        .then_with(|| left.id.cmp(&right.id))
}

fn first_place(race: &Race) -> Option<&Place> {
    race.accesses.first().map(|access| &access.place)
}

/// The id that a text stands for, or begins.
fn the_one<'i>(ids: &[&'i str], text: &str) -> Result<&'i str, UnknownRace> {
    let wanted = text.to_ascii_lowercase();
    let known = ids.iter().copied();
    let candidates: Vec<&str> = known
        .filter(|id| !wanted.is_empty() && id.starts_with(&wanted))
        .collect();
    match candidates.as_slice() {
        [only] => Ok(only),
        several => match several.iter().find(|id| **id == wanted) {
            Some(exact) => Ok(exact),
            None => Err(UnknownRace {
                id: text.to_owned(),
                candidates: several.iter().map(|id| (*id).to_owned()).collect(),
            }),
        },
    }
}
