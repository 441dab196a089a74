//! Races of a fixture of which the search finds an interleaving, as pairs of lines.

use crate::analysis::Checked;
use crate::corpus::CorpusEntry;
use crate::fixture::LinePair;
use racelens_analysis::host::Verification;
use racelens_analysis::kiss::schedule::Goal;
use racelens_analysis::kiss::search::{Bounds, Targets};
use std::collections::BTreeSet;

/// By states and not by time, so that the result is the same on every machine.
const STATES: usize = 30_000;
const MORE_STATES: usize = 400_000;

/// Looks for all races of a program, and goes further if there should be one and none was found.
pub fn search(entry: &CorpusEntry, checked: &Checked) -> Verification {
    let found = search_states(checked, STATES);
    let is_racy = entry.program.racing_pairs().next().is_some();
    if is_racy && found.witnessed.is_empty() && found.outcome.full {
        return search_states(checked, MORE_STATES);
    }
    found
}

fn search_states(checked: &Checked, states: usize) -> Verification {
    let targets = Targets {
        any_race: true,
        ..Targets::default()
    };
    let bounds = Bounds {
        states,
        local_steps: 50_000,
        ..Bounds::default()
    };
    checked.verify(&targets, bounds, &|| false)
}

/// The lines of the races that were found.
///
/// # Panics
/// If a race is at no line.
pub fn witnessed_pairs(checked: &Checked, verification: &Verification) -> BTreeSet<LinePair> {
    let goals = verification
        .witnessed
        .iter()
        .map(|found| found.witness.goal);
    let races = goals.filter_map(|goal| match goal {
        Goal::Race { first, second } => Some((first.1, second.1)),
        Goal::Assertion { .. } => None,
    });
    let place = |position| {
        let place = checked.place(position);
        place.unwrap_or_else(|| panic!("{position:?} is at no line"))
    };
    races
        .map(|(first, second)| LinePair::new(place(first), place(second)))
        .collect()
}
