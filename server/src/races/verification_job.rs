//! Verifying one race apart from the database: a job that can run in any thread, and a result that says for itself how
//! long it holds.

use super::Check;
use super::beginnings::Beginnings;
use super::checked::Checked;
use super::race;
use super::verifier::{add_search, better, is_witnessed, rejection};
use super::verify::{ENTRY, Teller};
use crate::project::Note;
use crate::race_options::RaceOptions;
use crate::report::{Answer, SearchBounds, Verified};
use crate::workspace::Workspace;
use racelens_analysis::host::{Basis, Start, Verification, find_witnesses};
use racelens_analysis::ir::{FunctionRef, GlobalScope};
use racelens_analysis::kiss::machine::SchedulingPoints;
use racelens_analysis::kiss::part::Part;
use racelens_analysis::kiss::program::Program;
use racelens_analysis::kiss::schedule::Position;
use racelens_analysis::kiss::search::{Bounds, Targets};
use racelens_analysis::models::Models;
use racelens_analysis::races::Race;
use std::collections::BTreeSet;

/// Everything that it takes to look for an interleaving. It holds no view of the database, which would keep it from
/// changing.
pub struct VerificationJob {
    searches: Vec<Search>,
    pairs: Vec<(Position, Position)>,
    bounds: Bounds,
    models: Models,
    options: RaceOptions,
    basis: Basis,
}

/// A program that begins where the race may be seen.
struct Search {
    start: Start,
    /// What the harness assumes.
    assumed: Vec<String>,
    program: Program,
    points: SchedulingPoints,
}

/// What verifying a race came to, in the program's own terms: places are found when it is told.
pub struct VerifiedRace {
    runs: Vec<Run>,
    pairs: Vec<(Position, Position)>,
    searched: SearchBounds,
    options: RaceOptions,
    basis: Basis,
    /// Mistakes of ours.
    pub notes: Vec<Note>,
}

struct Run {
    start: Start,
    assumed: Vec<String>,
    verification: Verification,
    /// As long as this part of the program is the same, so is the answer.
    part: Part,
}

impl Check {
    /// What it takes to verify a race.
    pub fn verification_job(
        &self,
        workspace: &Workspace,
        id: &str,
        bounds: Bounds,
    ) -> Result<VerificationJob, String> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let race = race_named(&checked, id)
            .ok_or_else(|| format!("there is no race with the id {id} any more"))?;
        let beginnings = Beginnings {
            checked: &checked,
            options: &self.options,
            entry: ENTRY,
            named: &[],
        };
        let program = self.result.program();
        let mut searches = Vec::new();
        for start in beginnings.of_race(race)? {
            let runnable = analysis.executable_from(&start);
            searches.push(Search {
                assumed: beginnings.assumptions(&start),
                program: runnable.map_err(|error| format!("nothing can be run: {error}"))?,
                points: program.scheduling_points(&start),
                start,
            });
        }
        Ok(VerificationJob {
            searches,
            pairs: checked.positions(race),
            bounds,
            models: program.models.clone(),
            options: self.options.clone(),
            basis: analysis.basis(program),
        })
    }

    /// An earlier answer about the race with this id, if it still holds, in terms of the text as it is now.
    pub fn told(&self, workspace: &Workspace, id: &str, race: &mut VerifiedRace) -> Verified {
        self.answer(workspace, id, race)
            .map_or(Verified::OutOfDate, |answer| Verified::Answered {
                verdict: answer.verdict,
                bounds: race.searched,
            })
    }

    fn answer(
        &self,
        workspace: &Workspace,
        id: &str,
        verified: &mut VerifiedRace,
    ) -> Option<Answer> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let race = race_named(&checked, id)?;
        let program = self.result.program();
        let holds = verified.options == self.options
            && verified.runs.iter().all(|run| {
                let basis = &mut verified.basis;
                analysis.is_unchanged(program, &run.start, &run.part, basis)
            });
        if !holds {
            return None;
        }
        let pairs = checked.positions(race);
        let is_same_question = pairs == verified.pairs;
        let targets = Targets {
            questions: vec![pairs],
            ..Targets::default()
        };
        let answers = verified.runs.iter().map(|run| {
            let teller = Teller {
                checked: &checked,
                verification: &run.verification,
                start: &run.start,
                assumed: run.assumed.clone(),
            };
            teller.race(race, &targets)
        });
        // What is seen of one pair stays seen when others come; that nothing was seen does not.
        let answer = answers.reduce(better)?;
        (is_same_question || is_witnessed(&answer)).then_some(answer)
    }
}

impl VerificationJob {
    /// Looks for an interleaving until `stop` says that it is enough.
    pub fn run(self, stop: &dyn Fn() -> bool) -> VerifiedRace {
        let targets = Targets {
            questions: vec![self.pairs.clone()],
            ..Targets::default()
        };
        let mut searched = SearchBounds {
            switches: self.bounds.switches,
            threads: self.bounds.threads,
            path_steps: self.bounds.path_steps,
            local_steps: self.bounds.local_steps,
            ..SearchBounds::default()
        };
        let mut runs: Vec<Run> = Vec::new();
        let mut notes = Vec::new();
        for search in self.searches {
            let (program, models) = (&search.program, &self.models);
            let verification =
                find_witnesses(program, models, &targets, self.bounds, &search.points, stop);
            add_search(&mut searched, &verification.outcome);
            notes.extend(verification.rejected.iter().map(|reason| rejection(reason)));
            let is_witnessed = !verification.witnessed.is_empty();
            if is_witnessed {
                // The interleaving speaks for itself, whatever else was tried.
                runs.clear();
            }
            runs.push(Run {
                part: part(program, &search.start, &verification),
                start: search.start,
                assumed: search.assumed,
                verification,
            });
            if is_witnessed {
                break;
            }
        }
        VerifiedRace {
            runs,
            pairs: self.pairs,
            searched,
            options: self.options,
            basis: self.basis,
            notes,
        }
    }
}

/// What an interleaving consists of, or else whatever can be reached.
fn part(program: &Program, start: &Start, verification: &Verification) -> Part {
    if verification.witnessed.is_empty() {
        let entries = match start {
            Start::Function(name) => vec![FunctionRef {
                name: name.as_str().into(),
                scope: GlobalScope::External,
            }],
            Start::Threads { functions, .. } => functions.clone(),
        };
        let entries = entries.into_iter().chain([program.entry]);
        return Part::reachable_from(program, entries);
    }
    let traces = verification.witnessed.iter().map(|found| &found.trace);
    let functions: BTreeSet<FunctionRef> = traces
        .flat_map(|trace| trace.functions.iter().copied())
        .collect();
    Part::with(program, &functions)
}

fn race_named<'c>(checked: &'c Checked<'_>, id: &str) -> Option<&'c Race> {
    let mut races = checked.program().races.iter().map(|race| &**race);
    races.find(|race| race::id(race) == id)
}
