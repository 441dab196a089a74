//! The races that are known already: written to a file once, and left out of later reports.

use super::{Race, Reason, Report, Violation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Known races, as a file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    /// Sorted, so that two versions of the file can be compared line by line.
    races: Vec<KnownRace>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRace {
    /// `race`, or the attribute that is violated.
    pub code: String,
    pub location: String,
    pub id: String,
    /// All that access the location in this race.
    pub functions: BTreeSet<String>,
}

/// A report compared with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineComparison {
    pub known: Vec<Arc<Race>>,
    pub known_violations: Vec<Violation>,
    /// What the baseline has and the program no longer has.
    pub gone: Vec<KnownRace>,
}

/// Why a text is no baseline.
#[derive(Debug)]
pub struct BaselineError(String);

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Grows when an older Racelens could not read the file.
const VERSION: u32 = 1;
/// The code of races.
const RACE: &str = "race";

impl Baseline {
    /// The findings of a report, whatever their rank: a rank may rise later.
    pub fn of(report: &Report) -> Baseline {
        let findings = report.races.iter().filter(|race| race.is_finding());
        let mut races: Vec<KnownRace> = findings
            .map(|race| KnownRace {
                code: RACE.to_owned(),
                location: race.location.clone(),
                id: race.id.clone(),
                functions: functions(race),
            })
            .collect();
        races.extend(report.violations.iter().map(|violation| KnownRace {
            code: violation.code.clone(),
            location: violation.subject.clone(),
            id: violation.id.clone(),
            functions: BTreeSet::from([violation.function.clone()]),
        }));
        races.sort();
        Baseline {
            version: VERSION,
            races,
        }
    }

    pub fn len(&self) -> usize {
        self.races.len()
    }

    pub fn is_empty(&self) -> bool {
        self.races.is_empty()
    }

    pub fn to_json(&self) -> String {
        super::json::written(self)
    }

    pub fn from_json(text: &str) -> Result<Baseline, BaselineError> {
        let baseline: Baseline =
            serde_json::from_str(text).map_err(|error| BaselineError(error.to_string()))?;
        if baseline.version != VERSION {
            return Err(BaselineError(format!(
                "its version is {}, and this Racelens reads version {VERSION}",
                baseline.version
            )));
        }
        Ok(baseline)
    }

    /// Moves the races that are known out of the findings. Those on a known location that a function has joined
    /// since then stay, and say so.
    pub fn apply(&self, report: &mut Report) {
        let mut comparison = BaselineComparison::default();
        let mut present: BTreeSet<&KnownRace> = BTreeSet::new();
        for suppressed in &report.suppressed {
            present.extend(self.related(&suppressed.race));
        }
        let mut new = Vec::new();
        for race in report.races.iter() {
            let functions = functions(race);
            let related: Vec<&KnownRace> = self.related(race).collect();
            present.extend(&related);
            if related
                .iter()
                .any(|known| known.functions.is_superset(&functions))
            {
                comparison.known.push(race.clone());
                continue;
            }
            let before = related.iter().flat_map(|known| &known.functions).collect();
            let joined = joined(&functions, &before);
            let mut race = race.clone();
            Arc::make_mut(&mut race).reasons.extend(joined);
            new.push(race);
        }
        report.races = Arc::new(new);
        let (known, new) = std::mem::take(&mut report.violations)
            .into_iter()
            .partition(|violation| self.races.iter().any(|known| known.id == violation.id));
        report.violations = new;
        comparison.known_violations = known;
        for violation in &comparison.known_violations {
            let known = self.races.iter();
            present.extend(known.filter(|known| known.id == violation.id));
        }
        let gone = self.races.iter().filter(|known| !present.contains(known));
        comparison.gone = gone.cloned().collect();
        report.baseline = Some(comparison);
    }

    /// The entries about the same accesses, or some of them.
    fn related<'b>(&'b self, race: &Race) -> impl Iterator<Item = &'b KnownRace> {
        let (location, functions) = (race.location.clone(), functions(race));
        let known = self.races.iter();
        known.filter(move |known| {
            known.code == RACE
                && known.location == location
                && !known.functions.is_disjoint(&functions)
        })
    }
}

/// An id rests on the pair that is shown, and moving a function can bring another pair to the front. Which functions
/// take part does not depend on that.
fn functions(race: &Race) -> BTreeSet<String> {
    let listed = race.accesses.iter().map(|access| &access.function);
    listed.chain(&race.unlisted.functions).cloned().collect()
}

/// Says which functions access a known location that did not before.
fn joined(functions: &BTreeSet<String>, before: &BTreeSet<&String>) -> Option<Reason> {
    let new: Vec<String> = functions
        .iter()
        .filter(|function| !before.contains(function))
        .map(|function| format!("`{function}`"))
        .collect();
    (!before.is_empty() && !new.is_empty()).then(|| Reason {
        kind: "new_access".to_owned(),
        text: format!("new since the baseline: accesses in {}", new.join(", ")),
        doubt: false,
    })
}
