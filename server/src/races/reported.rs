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
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Default)]
pub(super) struct Reported(Mutex<Option<LastReport>>);

/// All that was reported of a program.
struct LastReport {
    result: Arc<CheckResult>,
    at: Reading,
    /// In the order in which they were asked for.
    races: Vec<ReportedRace>,
    /// Which of them are about a function. Made for the second report on the same races.
    mentions: Option<Mentions>,
    reports: RaceReports,
}

struct ReportedRace {
    race: Arc<races::Race>,
    /// `None` if one of its accesses is not in the text at the moment.
    report: Option<Arc<Race>>,
    /// The functions that it says something of.
    functions: Box<[FunctionId]>,
}

/// The reports of a program's races.
#[derive(Clone)]
pub(super) struct RaceReports {
    /// Those that are in the text at the moment.
    pub open: Arc<Vec<Arc<Race>>>,
    /// Of every race that the user accepts.
    pub accepted: Vec<Option<Arc<Race>>>,
}

/// At least so many races are reported by one thread in a row: they share what it takes to find places.
const LEAST_IN_A_ROW: usize = 32;
/// So many rows there are for each thread, because not all of them take as long.
const ROWS: usize = 4;

impl Reported {
    /// The reports of a program's races, without what takes long. Forgets all others.
    pub fn brief(&self, workspace: &Workspace, result: &Arc<CheckResult>) -> RaceReports {
        let program = &result.program().program;
        let races = program.races.iter().chain(&*program.accepted_races);
        let races: Vec<&Arc<races::Race>> = races.collect();
        let last = self.locked().take();
        let changes = last
            .as_ref()
            .and_then(|last| Changes::since(last, workspace, result));
        let texts = workspace.texts();
        let moves = last.as_ref().and_then(|last| texts.moves_since(last.at));
        let mut known = match last {
            Some(last) if changes.is_some() => last.of(&races),
            _ => Known::nothing(races.len()),
        };
        let work = known.work(&changes.unwrap_or_default());
        let found = side_by_side(workspace, result, &work, &|checked, (index, fate)| {
            let known = known.races[*index].as_ref();
            let known = known.filter(|_| *fate == Fate::Moves);
            let moved = known
                .zip(moves)
                .and_then(|(known, moves)| known.moved(moves));
            moved.unwrap_or_else(|| ReportedRace::new(checked, races[*index]))
        });
        for ((index, _), found) in work.into_iter().zip(found) {
            known.replace(index, found);
        }
        let now = LastReport::new(result.clone(), texts.now(), known);
        let reports = now.reports.clone();
        *self.locked() = Some(now);
        reports
    }

    fn locked(&self) -> MutexGuard<'_, Option<LastReport>> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl LastReport {
    /// All races of which a report was made.
    fn new(result: Arc<CheckResult>, at: Reading, known: Known) -> LastReport {
        let races: Vec<ReportedRace> = known.races.into_iter().flatten().collect();
        let reports = known.reports.unwrap_or_else(|| {
            let (open, accepted) = races.split_at(result.program().program.races.len());
            let report = |race: &ReportedRace| race.report.clone();
            RaceReports {
                open: Arc::new(open.iter().filter_map(report).collect()),
                accepted: accepted.iter().map(report).collect(),
            }
        });
        LastReport {
            result,
            at,
            races,
            mentions: known.mentions,
            reports,
        }
    }

    /// What was reported of these races, whether it is still true or not.
    fn of(self, races: &[&Arc<races::Race>]) -> Known {
        let mut pairs = self.races.iter().zip(races);
        if self.races.len() == races.len()
            && pairs.all(|(known, race)| Arc::ptr_eq(&known.race, race))
        {
            let mentions = self.mentions;
            let mentions = mentions.unwrap_or_else(|| Mentions::new(&self.races));
            return Known {
                races: self.races.into_iter().map(Some).collect(),
                mentions: Some(mentions),
                reports: Some(self.reports),
            };
        }
        // By the address of the race, which the report keeps in place.
        let address = |race: &Arc<races::Race>| Arc::as_ptr(race).addr();
        let known = self.races.into_iter();
        let known = known.map(|known| (address(&known.race), known));
        let mut known: FxHashMap<usize, ReportedRace> = known.collect();
        let races = races.iter();
        Known {
            races: races.map(|race| known.remove(&address(race))).collect(),
            mentions: None,
            reports: None,
        }
    }
}

/// What was reported of the races that a program has now.
struct Known {
    /// In their order.
    races: Vec<Option<ReportedRace>>,
    /// If they are the races of the last report.
    mentions: Option<Mentions>,
    /// The same, and if all that was reported is still true.
    reports: Option<RaceReports>,
}

impl Known {
    fn nothing(races: usize) -> Known {
        Known {
            races: (0..races).map(|_| None).collect(),
            mentions: None,
            reports: None,
        }
    }

    /// The races of which something else is to say, in their order.
    fn work(&self, changes: &Changes) -> Vec<(usize, Fate)> {
        if let Some(mentions) = &self.mentions {
            return changes.fates(mentions);
        }
        let fates = self.races.iter().map(|known| changes.fate(known.as_ref()));
        let fates = fates.enumerate();
        fates.filter(|(_, fate)| *fate != Fate::Stays).collect()
    }

    fn replace(&mut self, index: usize, found: ReportedRace) {
        self.reports = None;
        let before = self.races[index].replace(found);
        let (Some(mentions), Some(before), Some(now)) =
            (&mut self.mentions, before, &self.races[index])
        else {
            return;
        };
        if before.functions != now.functions {
            mentions.remove(index, &before);
            mentions.add(index, now);
        }
    }
}

/// Which races say something of a function, by their numbers.
#[derive(Default)]
struct Mentions(FxHashMap<FunctionId, Vec<usize>>);

impl Mentions {
    fn new(races: &[ReportedRace]) -> Mentions {
        let mut mentions = Mentions::default();
        for (index, race) in races.iter().enumerate() {
            mentions.add(index, race);
        }
        mentions
    }

    fn add(&mut self, index: usize, race: &ReportedRace) {
        for function in &race.functions {
            self.0.entry(*function).or_default().push(index);
        }
    }

    fn remove(&mut self, index: usize, race: &ReportedRace) {
        for function in &race.functions {
            if let Some(races) = self.0.get_mut(function) {
                races.retain(|known| *known != index);
            }
        }
    }

    fn of(&self, function: FunctionId) -> &[usize] {
        self.0.get(&function).map_or(&[], Vec::as_slice)
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

    /// The same as `fate` for all races that something is to do with.
    fn fates(&self, mentions: &Mentions) -> Vec<(usize, Fate)> {
        let moved = self.moved.iter().map(|function| (function, Fate::Moves));
        // Whoever is about both is made anew.
        let others = self.others.iter().map(|function| (function, Fate::Unknown));
        let mut fates = BTreeMap::new();
        for (function, fate) in moved.chain(others) {
            let races = mentions.of(*function).iter();
            fates.extend(races.map(|race| (*race, fate)));
        }
        fates.into_iter().collect()
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
