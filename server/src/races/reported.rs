//! Races as they were reported before, for as long as that is still true: an edit moves the places of few.

use super::checked::{CheckResult, Checked};
use super::places::Places;
use super::race::{self, Detail};
use crate::report::Race;
use crate::workspace::{LineMoves, Reading, Since, Workspace};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::races;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Default)]
pub(super) struct Reported(Mutex<Option<LastReport>>);

/// All that was reported of a program.
struct LastReport {
    result: Arc<CheckResult>,
    at: Reading,
    /// In the order in which they were asked for.
    races: Vec<ReportedRace>,
}

struct ReportedRace {
    race: Arc<races::Race>,
    /// `None` if one of its accesses is not in the text at the moment.
    report: Option<Arc<Race>>,
    /// The functions that it says something of.
    functions: Box<[FunctionId]>,
}

/// At least so many races are reported by one thread in a row: they share what it takes to find places.
const LEAST_IN_A_ROW: usize = 32;
/// So many rows there are for each thread, because not all of them take as long.
const ROWS: usize = 4;

impl Reported {
    /// The reports of these races, without what takes long. Forgets all others.
    pub fn brief(
        &self,
        workspace: &Workspace,
        result: &Arc<CheckResult>,
        races: &[&Arc<races::Race>],
    ) -> Vec<Option<Arc<Race>>> {
        let last = self.locked().take();
        let changes = last
            .as_ref()
            .and_then(|last| Changes::since(last, workspace, result));
        let texts = workspace.texts();
        let moves = last.as_ref().and_then(|last| texts.moves_since(last.at));
        let mut all: Vec<Option<ReportedRace>> = match last {
            Some(last) if changes.is_some() => last.of(races),
            _ => races.iter().map(|_| None).collect(),
        };
        let changes = changes.unwrap_or_default();
        let fates = all.iter().map(|known| changes.fate(known.as_ref()));
        let work = fates.enumerate().filter(|(_, fate)| *fate != Fate::Stays);
        let work: Vec<(usize, Fate)> = work.collect();
        let found = side_by_side(workspace, result, &work, &|checked, (index, fate)| {
            let known = all[*index].as_ref().filter(|_| *fate == Fate::Moves);
            let moved = known
                .zip(moves)
                .and_then(|(known, moves)| known.moved(moves));
            moved.unwrap_or_else(|| ReportedRace::new(checked, races[*index]))
        });
        for ((index, _), found) in work.into_iter().zip(found) {
            all[index] = Some(found);
        }
        let all: Vec<ReportedRace> = all.into_iter().flatten().collect();
        let reports = all.iter().map(|reported| reported.report.clone());
        let reports = reports.collect();
        *self.locked() = Some(LastReport {
            result: result.clone(),
            at: texts.now(),
            races: all,
        });
        reports
    }

    fn locked(&self) -> MutexGuard<'_, Option<LastReport>> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl LastReport {
    /// What was reported of these races, whether it is still true or not.
    fn of(self, races: &[&Arc<races::Race>]) -> Vec<Option<ReportedRace>> {
        let mut pairs = self.races.iter().zip(races);
        if self.races.len() == races.len()
            && pairs.all(|(known, race)| Arc::ptr_eq(&known.race, race))
        {
            return self.races.into_iter().map(Some).collect();
        }
        // By the address of the race, which the report keeps in place.
        let address = |race: &Arc<races::Race>| Arc::as_ptr(race).addr();
        let known = self.races.into_iter();
        let known = known.map(|known| (address(&known.race), known));
        let mut known: FxHashMap<usize, ReportedRace> = known.collect();
        let races = races.iter();
        races.map(|race| known.remove(&address(race))).collect()
    }
}

/// The functions of which something else is to say since the last report.
#[derive(Default)]
struct Changes {
    /// Other facts, other contexts, or other places.
    others: FxHashSet<FunctionId>,
    /// The same, on other lines.
    moved: FxHashSet<FunctionId>,
}

/// What becomes of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Moves,
    /// It has to be made anew.
    Unknown,
}

impl Changes {
    /// `None` if that may be any function.
    fn since(last: &LastReport, workspace: &Workspace, now: &CheckResult) -> Option<Changes> {
        let (before, now) = (last.result.program(), now.program());
        let (old, new) = (&before.program, &now.program);
        if !now.numbers_functions_as(before) {
            return None;
        }
        // A report says which locks callers hold, and which threads there are.
        let entered_otherwise = new.contexts.entered_otherwise_since(&old.contexts)?;
        let mut changes = Changes {
            others: entered_otherwise.into_iter().collect(),
            moved: FxHashSet::default(),
        };
        if !Arc::ptr_eq(old, new) {
            let edited = new.functions.edited_since(&old.functions);
            changes.others.extend(edited);
            let facts = new.facts.unshared_with(&old.facts);
            let others = facts.filter(|index| !Arc::ptr_eq(&new.facts[*index], &old.facts[*index]));
            let others = others.map(|index| FunctionId(index as u32));
            changes.others.extend(others);
        }
        let (texts, analysis) = (workspace.texts(), workspace.analysis());
        let places = Places::new(texts, &analysis);
        let units = texts.read_since(last.at);
        let tables = units.filter_map(|unit| analysis.program().units.get(&unit));
        for placed in tables.flat_map(|table| &table.functions) {
            let function = now.id(placed.function);
            let function = function.filter(|function| !changes.others.contains(function));
            let Some(function) = function else { continue };
            match places.since(placed.function, last.at) {
                Since::Stayed => continue,
                Since::Moved => changes.moved.insert(function),
                Since::Changed => changes.others.insert(function),
            };
        }
        Some(changes)
    }

    fn fate(&self, known: Option<&ReportedRace>) -> Fate {
        let Some(known) = known else {
            return Fate::Unknown;
        };
        let is_about = |changed: &FxHashSet<FunctionId>| {
            !changed.is_empty()
                && known
                    .functions
                    .iter()
                    .any(|function| changed.contains(function))
        };
        if is_about(&self.others) {
            Fate::Unknown
        } else if is_about(&self.moved) {
            Fate::Moves
        } else {
            Fate::Stays
        }
    }
}

impl ReportedRace {
    fn new(checked: &Checked<'_>, race: &Arc<races::Race>) -> ReportedRace {
        checked.take_asked();
        let report = race::report(checked, race, Detail::Brief);
        ReportedRace {
            race: race.clone(),
            report: report.map(Arc::new),
            functions: checked.take_asked(),
        }
    }

    /// The same on other lines, if all places have moved with theirs.
    fn moved(&self, moves: &LineMoves) -> Option<ReportedRace> {
        let mut report = self.report.as_deref().cloned();
        for place in report.iter_mut().flat_map(Race::places_mut) {
            place.line = moves.line_now(place)?;
        }
        Some(ReportedRace {
            race: self.race.clone(),
            report: report.map(Arc::new),
            functions: self.functions.clone(),
        })
    }
}

/// The reports of these races for a list of them.
pub(super) fn listed(
    workspace: &Workspace,
    result: &CheckResult,
    races: &[Arc<races::Race>],
    detail: Detail<'_>,
) -> Vec<Option<Arc<Race>>> {
    side_by_side(workspace, result, races, &|checked, race| {
        race::report(checked, race, detail).map(Arc::new)
    })
}

/// What there is to say about each race, in their order.
fn side_by_side<R: Sync, T: Send>(
    workspace: &Workspace,
    result: &CheckResult,
    races: &[R],
    say: &(dyn Fn(&Checked<'_>, &R) -> T + Sync),
) -> Vec<T> {
    if races.is_empty() {
        return Vec::new();
    }
    let texts = workspace.texts();
    workspace.in_parallel(|analysis| {
        let rows = ROWS * rayon::current_num_threads();
        let in_a_row = races.par_chunks(LEAST_IN_A_ROW.max(races.len() / rows));
        let found = in_a_row.map_with(analysis, |analysis, races| {
            let checked = Checked::new(texts, analysis, result);
            let said = races.iter().map(|race| say(&checked, race));
            said.collect::<Vec<_>>()
        });
        found.flatten_iter().collect()
    })
}
