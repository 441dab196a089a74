//! Races as they were reported before, for as long as that is still true: an edit moves the places of few.

use super::checked::{CheckResult, Checked};
use super::race::{self, Detail};
use crate::report::Race;
use crate::workspace::{Reading, Texts, Workspace};
use racelens_analysis::races;
use racelens_analysis::threads::Contexts;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use ustr::Ustr;

/// What is known is about the program with these contexts.
#[derive(Default)]
pub(super) struct Reported(Mutex<(Option<Arc<Contexts>>, KnownReports)>);

/// By the address of the race, which the report keeps in place.
type KnownReports = HashMap<usize, Arc<ReportedRace>>;

struct ReportedRace {
    race: Arc<races::Race>,
    /// `None` if one of its accesses is not in the text at the moment.
    report: Option<Arc<Race>>,
    /// The units in whose texts it was found.
    units: BTreeSet<Ustr>,
    at: Reading,
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
        result: &CheckResult,
        races: &[Arc<races::Race>],
    ) -> Vec<Option<Arc<Race>>> {
        let contexts = &result.program().program.contexts;
        let known = self.known(contexts);
        let texts = workspace.texts();
        let found = side_by_side(workspace, result, races, &|checked, race| {
            reported(checked, texts, &known, race)
        });
        let mut reports = Vec::with_capacity(found.len());
        let mut now = KnownReports::with_capacity(found.len());
        for reported in found {
            reports.push(reported.report.clone());
            now.insert(address(&reported.race), reported);
        }
        *self.locked() = (Some(contexts.clone()), now);
        reports
    }

    fn known(&self, contexts: &Arc<Contexts>) -> KnownReports {
        let (of, known) = std::mem::take(&mut *self.locked());
        match of {
            Some(of) if of.are_alike(contexts) => known,
            _ => KnownReports::default(),
        }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, (Option<Arc<Contexts>>, KnownReports)> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
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
fn side_by_side<T: Send>(
    workspace: &Workspace,
    result: &CheckResult,
    races: &[Arc<races::Race>],
    say: &(dyn Fn(&Checked<'_>, &Arc<races::Race>) -> T + Sync),
) -> Vec<T> {
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

fn reported(
    checked: &Checked<'_>,
    texts: &Texts,
    known: &KnownReports,
    race: &Arc<races::Race>,
) -> Arc<ReportedRace> {
    let still_true = |known: &&Arc<ReportedRace>| {
        let mut units = known.units.iter();
        units.all(|unit| !texts.is_newer(*unit, known.at))
    };
    if let Some(known) = known.get(&address(race)).filter(still_true) {
        return known.clone();
    }
    checked.places.take_asked();
    let report = race::report(checked, race, Detail::Brief);
    Arc::new(ReportedRace {
        race: race.clone(),
        report: report.map(Arc::new),
        units: checked.places.take_asked(),
        at: texts.now(),
    })
}

fn address(race: &Arc<races::Race>) -> usize {
    Arc::as_ptr(race) as usize
}
