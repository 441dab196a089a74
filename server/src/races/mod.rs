//! Asks the analysis for races, and turns its answers into reports.

mod access;
mod beginnings;
mod benign_comments;
mod checked;
mod explanation;
mod expression;
mod file_facts;
mod guards;
mod held_locks;
mod insight;
mod limits;
mod no_race;
mod places;
mod race;
mod reported;
mod stage_clock;
mod statistics;
mod summary;
mod suppressions;
mod thread;
mod verification_job;
mod verifier;
mod verify;
mod violation;

pub(crate) use checked::thread_rules;
pub(crate) use race::shown_id;

use crate::project::{Note, Place};
use crate::race_options::RaceOptions;
use crate::report::{
    CallSite, Explanation, FunctionPlace, HeldLock, Insight, OfferedComment, Race, Report,
    SharedAccess, StageName, Stats, SuppressedRace,
};
use crate::workspace::Workspace;
use benign_comments::CommentWriter;
use checked::{CheckResult, Checked};
use explanation::AskedPlace;
use guards::Guards;
use places::Places;
use race::Detail;
use racelens_analysis::host::CheckedProgram;
use racelens_analysis::stop::{Stop, Stopped};
use reported::{RaceReports, Reported};
use std::cell::OnceCell;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suppressions::Suppressions;

pub use stage_clock::StageClock;
pub use verification_job::{VerificationJob, VerifiedRace};
pub use verify::{Asked, VerifyOptions};

/// A program that was looked through for races. It is about the workspace as it was then.
pub struct Check {
    result: Arc<CheckResult>,
    suppressions: Suppressions,
    options: RaceOptions,
    time: Duration,
    /// Shared with the check before the last change.
    reported: Arc<Reported>,
    /// Counted when they are asked for.
    guards: OnceCell<Guards>,
}

impl Check {
    pub fn new(workspace: &Workspace, options: RaceOptions) -> Check {
        Check::unstopped(workspace, options, None)
    }

    /// As `new`, while a clock runs.
    pub fn timed(workspace: &Workspace, options: RaceOptions, clock: &StageClock) -> Check {
        Check::unstopped(workspace, options, Some(clock))
    }

    fn unstopped(workspace: &Workspace, options: RaceOptions, clock: Option<&StageClock>) -> Check {
        let check = Check::run(workspace, options, None, &Stop::default(), clock);
        check.expect("nobody has the means to stop it")
    }

    /// As `new`, for a workspace that was checked before it was changed: what still holds is not computed again.
    pub fn again(
        workspace: &Workspace,
        options: RaceOptions,
        before: Option<&Check>,
        stop: &Stop,
    ) -> Result<Check, Stopped> {
        Check::run(workspace, options, before, stop, None)
    }

    /// As `again`, while a clock runs.
    pub fn again_timed(
        workspace: &Workspace,
        options: RaceOptions,
        before: Option<&Check>,
        stop: &Stop,
        clock: &StageClock,
    ) -> Result<Check, Stopped> {
        Check::run(workspace, options, before, stop, Some(clock))
    }

    fn run(
        workspace: &Workspace,
        options: RaceOptions,
        before: Option<&Check>,
        stop: &Stop,
        clock: Option<&StageClock>,
    ) -> Result<Check, Stopped> {
        if let Some(clock) = clock {
            clock.begin_stage(StageName::Suppressions);
        }
        let started = Instant::now();
        let analysis = workspace.analysis();
        let places = Places::new(workspace.texts(), &analysis);
        let suppressions = Suppressions::find(workspace, &analysis, &places);
        let reported = before.map(|before| before.reported.clone());
        let before = before.map(|before| &*before.result);
        let accepted = suppressions.statements();
        let result = CheckResult::new(workspace, &options, &accepted, before, stop, clock)?;
        Ok(Check {
            result: Arc::new(result),
            suppressions,
            options,
            time: started.elapsed(),
            reported: reported.unwrap_or_default(),
            guards: OnceCell::new(),
        })
    }

    /// Ends the work with a check together with the process: freeing it piece by piece would only cost time.
    pub fn leave(self) {
        std::mem::forget(self);
    }

    /// What the analysis found, of which reports and explanations tell a part.
    pub fn program(&self) -> &CheckedProgram {
        self.result.program()
    }

    /// How races were looked for.
    pub fn options(&self) -> &RaceOptions {
        &self.options
    }

    /// All races of the program, whatever their rank, with some of the accesses of each.
    pub fn report(&self, workspace: &Workspace) -> Report {
        self.report_with(workspace, Some(&CommentWriter::new(workspace)))
    }

    /// As `report`, without the comments that would accept the findings and the calls that lead to accesses: they take
    /// time, and few are asked for.
    pub fn brief_report(&self, workspace: &Workspace) -> Report {
        self.report_with(workspace, None)
    }

    /// One race with all that is to say about it.
    pub fn race(&self, workspace: &Workspace, id: &str) -> Option<Race> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let program = checked.program();
        let mut races = program.races.iter().chain(&*program.accepted_races);
        let race = races.find(|race| race::id(race) == id)?;
        let writer = CommentWriter::new(workspace);
        race::report(&checked, race, Detail::Whole(&writer))
    }

    /// The comments that would accept a race.
    pub fn benign_comments(&self, workspace: &Workspace, id: &str) -> Vec<OfferedComment> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let mut races = checked.program().races.iter();
        let race = races.find(|race| race::id(race) == id);
        let writer = CommentWriter::new(workspace);
        race.map_or_else(Vec::new, |race| writer.comments(&checked, race))
    }

    /// The comment that would accept what lies on a line.
    pub fn benign_comment(&self, workspace: &Workspace, place: &Place) -> Option<OfferedComment> {
        CommentWriter::new(workspace).comment(place)
    }

    fn report_with(&self, workspace: &Workspace, writer: Option<&CommentWriter<'_>>) -> Report {
        let started = Instant::now();
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let suppressions = &self.suppressions;
        let program = checked.program();
        let reports = self.race_reports(workspace, &checked, writer);
        let suppressed = program.accepted_races.iter().zip(reports.accepted);
        let suppressed = suppressed.filter_map(|(race, report)| {
            Some(SuppressedRace {
                race: report?,
                suppressions: suppressions.of(&checked, race),
            })
        });
        let (accepted, open): (Vec<_>, Vec<_>) = checked
            .violations()
            .iter()
            .partition(|violation| suppressions.accepts(&checked, violation));
        let violations = open.into_iter().filter_map(|violation| {
            violation::report(&checked, violation, |place| writer?.comment(place))
        });
        let mut notes = missing_entries(&checked, &self.options);
        notes.extend(suppressions.notes(&checked));
        notes.extend(limits::notes(&checked));
        let suppressed = suppressed.collect();
        let violations = violations.collect();
        let reading = workspace.preprocess_time + workspace.front_end_time;
        let time = reading + self.time + started.elapsed();
        Report {
            races: reports.open,
            suppressed,
            violations,
            suppressed_violations: accepted.len(),
            baseline: None,
            notes,
            stats: Stats {
                units: workspace.units,
                functions: self.result.program().function_count(),
                threads: thread::count(checked.program()),
                shared_locations: checked.program().shared_locations,
                accesses: checked.access_count(),
                seconds: time.as_secs_f64(),
            },
        }
    }

    /// The reports of the program's races, and of those that the user accepts.
    fn race_reports(
        &self,
        workspace: &Workspace,
        checked: &Checked<'_>,
        writer: Option<&CommentWriter<'_>>,
    ) -> RaceReports {
        if writer.is_none() {
            return self.reported.brief(workspace, &self.result);
        }
        let report = |races, writer| {
            reported::listed(workspace, &self.result, races, Detail::Listed(writer))
        };
        let program = checked.program();
        let open = report(&program.races, writer).into_iter().flatten();
        RaceReports {
            open: Arc::new(open.collect()),
            accepted: report(&program.accepted_races, None),
        }
    }

    /// What is known about a line, or about one column of it.
    pub fn explain(
        &self,
        workspace: &Workspace,
        file: &Path,
        line: u32,
        column: Option<u32>,
    ) -> Explanation {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let asked = AskedPlace { file, line, column };
        explanation::explain(&checked, &self.suppressions, asked)
    }
}

impl Check {
    /// What is known about one position, where `word` is the identifier if there is one.
    pub fn insight(&self, workspace: &Workspace, place: &Place, word: Option<&str>) -> Insight {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let guards = self.guards.get_or_init(|| Guards::new(&checked));
        let asked = AskedPlace {
            file: &place.path,
            line: place.line,
            column: Some(place.column),
        };
        insight::insight(&checked, &self.suppressions, guards, asked, word)
    }

    /// The functions whose text stands in a file, in its order.
    pub fn functions_in(&self, workspace: &Workspace, file: &Path) -> Vec<FunctionPlace> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let functions = checked.functions_in(file);
        let places = functions.filter_map(|function| summary::place(&checked, function));
        let mut places: Vec<FunctionPlace> = places.collect();
        places.sort_by(|left, right| left.place.cmp(&right.place));
        places
    }

    /// The accesses of a file to memory that several threads reach, in its order.
    pub fn shared_accesses(&self, workspace: &Workspace, file: &Path) -> Vec<SharedAccess> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        file_facts::shared_accesses(&checked, file)
    }

    /// What is held at each access and call on these lines of a file, and around them, in its order.
    pub fn held_locks(
        &self,
        workspace: &Workspace,
        file: &Path,
        lines: RangeInclusive<u32>,
    ) -> Vec<(Place, Vec<HeldLock>)> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        file_facts::held_locks(&checked, file, lines)
    }

    /// The calls that a function of a file makes, or with `callers` those that lead to it, also through pointers.
    pub fn calls(
        &self,
        workspace: &Workspace,
        file: &Path,
        function: &str,
        callers: bool,
    ) -> Vec<CallSite> {
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let mut functions = checked.functions_in(file);
        let found = functions.find(|id| checked.function_name(*id) == function);
        drop(functions);
        found.map_or_else(Vec::new, |id| file_facts::calls(&checked, id, callers))
    }
}

/// All races of the program, whatever their rank.
pub fn find_races(workspace: &Workspace, options: &RaceOptions) -> Report {
    Check::new(workspace, options.clone()).report(workspace)
}

/// What is known about a line, or about one column of it.
pub fn explain(workspace: &Workspace, file: &Path, line: u32, column: Option<u32>) -> Explanation {
    let check = Check::new(workspace, RaceOptions::new(workspace, None));
    check.explain(workspace, file, line, column)
}

/// Entries that the project names and that are no functions of the program.
fn missing_entries(checked: &Checked<'_>, options: &RaceOptions) -> Vec<Note> {
    let functions = &checked.program().functions;
    let named = options.named_entries.iter();
    let missing = named.filter(|name| {
        let mut bodies = functions.ids().map(|function| functions.body(function));
        !bodies.any(|body| body.function.name.as_str() == name.as_str())
    });
    missing
        .map(|name| {
            Note::warning(format!(
                "`{name}`, which `threads.entries` in racelens.toml names, is no function of the files that were analysed"
            ))
            .with_help("correct its name, or analyse the file that it is in")
        })
        .collect()
}
