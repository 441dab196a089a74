//! How long it takes until all that is to say about a program is current again after an edit in a function's body, beside
//! reading and checking it from scratch in the same process.
//!
//! `body_edits [--functions] [--compare] [--each] [--only KIND] [--at NUMBER,…] [--times COUNT] EDITS DIRECTORY [SECONDS]` reads the program in a directory, edits one statement of one of its units after
//! the other and takes each edit back, and prints a JSON object. When so many seconds are over, no further edit is made.
//! Measured is what the language server does between
//! the preprocessor and the client: the new text is taken, the program is checked and reported. The preprocessor runs
//! before the clock does. With `--compare` what is said after each edit, in brief and in full, is compared with what is said about the
//! same text by who reads the program anew, and the first difference ends it. With `--each` every edit is told with its number, its cost and the stages that took
//! more than a millisecond. With `--at` only the edits with these numbers are made, and they are the same ones as among all the others;
//! with `--functions` functions come or get other names instead; with `--times` each is made and taken back so often, for a profile.

use racelens::process_memory::ProcessMemory;
use racelens::project::LoadOptions;
use racelens::race_options::RaceOptions;
use racelens::races::{Check, StageClock};
use racelens::report::{Report, StageName, StageTime};
use racelens::workspace::{ReadAgain, SyntaxNote, Workspace};
use racelens_analysis::stop::Stop;
use racelens_tests::body_edits::BodyEdit;
use racelens_tests::function_edits::FunctionEdit;
use racelens_tests::random::Random;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The same as in the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let edits_functions = arguments.next_if_eq("--functions").is_some();
    let compares = arguments.next_if_eq("--compare").is_some();
    let tells_each = arguments.next_if_eq("--each").is_some();
    let only = arguments
        .next_if_eq("--only")
        .and_then(|_| arguments.next());
    let at = arguments
        .next_if_eq("--at")
        .and_then(|_| arguments.next())
        .map(|numbers| numbers.split(',').map(str::parse).collect());
    let Ok(at) = at.transpose() else {
        eprintln!("--at wants numbers of edits with commas between them, such as 12,57");
        return ExitCode::from(2);
    };
    let times = arguments
        .next_if_eq("--times")
        .and_then(|_| arguments.next()?.parse().ok());
    let edits = arguments.next().and_then(|count| count.parse().ok());
    let (Some(edits), Some(directory)) = (edits, arguments.next()) else {
        eprintln!(
            "usage: body_edits [--functions] [--compare] [--each] [--only KIND] [--at NUMBER,…] [--times COUNT] EDITS DIRECTORY [SECONDS]"
        );
        return ExitCode::from(2);
    };
    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
    let budget = seconds.map_or(Duration::MAX, Duration::from_secs);
    let wishes = Wishes {
        budget,
        edits_functions,
        compares,
        tells_each,
        only,
        at,
        times: times.unwrap_or(1),
    };
    match measure(Path::new(&directory), edits, wishes) {
        Ok(result) => {
            println!("{result:#}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{directory}: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Body(BodyEdit),
    Function(FunctionEdit),
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Body(edit) => edit.word(),
            Kind::Function(edit) => edit.word(),
        }
    }

    fn apply(self, text: &str, random: &mut Random) -> Option<String> {
        match self {
            Kind::Body(edit) => edit.apply(text, random),
            Kind::Function(edit) => edit.apply(text, random),
        }
    }
}

/// What is wanted besides the figures.
struct Wishes {
    budget: Duration,
    /// Functions come or get other names; otherwise statements are edited.
    edits_functions: bool,
    compares: bool,
    tells_each: bool,
    /// The word for the only kind of edit that is made.
    only: Option<String>,
    /// The numbers of the only edits that are made.
    at: Option<BTreeSet<usize>>,
    /// How often each of them is made.
    times: usize,
}

fn measure(directory: &Path, edits: usize, wishes: Wishes) -> Result<Value, String> {
    let options = LoadOptions {
        paths: vec![directory.to_owned()],
        ..LoadOptions::default()
    };
    let workspace = Workspace::load(&options, None).map_err(|error| error.to_string())?;
    if workspace.units == 0 {
        return Err("nothing could be analysed".to_owned());
    }
    let started = Instant::now();
    let mut session = Session::new(workspace, options);
    let reading = session.workspace.front_end_time;
    let from_scratch = reading + started.elapsed();
    let mut random = Random::new(1);
    let started = Instant::now();
    let mut costs: BTreeMap<Kind, Vec<Duration>> = BTreeMap::new();
    let mut stages: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    let kinds: Vec<Kind> = match wishes.edits_functions {
        true => FunctionEdit::ALL.map(Kind::Function).to_vec(),
        false => BodyEdit::ALL.map(Kind::Body).to_vec(),
    };
    let kinds: Vec<Kind> = kinds
        .into_iter()
        .filter(|kind| {
            wishes
                .only
                .as_deref()
                .is_none_or(|word| word == kind.word())
        })
        .collect();
    for number in 0..edits {
        if started.elapsed() >= wishes.budget {
            break;
        }
        let Some(&kind) = kinds.get(number % kinds.len().max(1)) else {
            return Err("there is no such kind of edit".to_owned());
        };
        // A file may have no statement for this kind of edit.
        let edited = (0..ATTEMPTS).find_map(|_| session.random_edit(kind, &mut random));
        let Some((file, text)) = edited else {
            continue;
        };
        if wishes.at.as_ref().is_some_and(|at| !at.contains(&number)) {
            continue;
        }
        let there_and_back = [Some(Arc::from(text)), None];
        for text in there_and_back.iter().cycle().take(2 * wishes.times) {
            let (time, by_stage) = session.edit(&file, text.clone());
            let edit = format!("{} of {}", kind.word(), file.display());
            if wishes.tells_each {
                eprintln!(
                    "{:9.1} {number} {edit}: {}",
                    milliseconds(time),
                    told(&by_stage)
                );
            }
            if wishes.compares {
                session
                    .compare(&file, text.clone())
                    .map_err(|what| format!("{edit}: {what}"))?;
            }
            costs.entry(kind).or_default().push(time);
            for stage in by_stage {
                let known = stages.entry(stage.stage.word()).or_default();
                known.push(stage.time);
            }
        }
    }
    let all: Vec<Duration> = costs.values().flatten().copied().collect();
    if all.is_empty() {
        return Err("no statement was found that could be edited".to_owned());
    }
    let by_kind: BTreeMap<&str, Value> = costs
        .iter()
        .map(|(kind, times)| (kind.word(), summary(times)))
        .collect();
    let by_stage: BTreeMap<&str, Value> = stages
        .iter()
        .map(|(stage, times)| (*stage, summary(times)))
        .collect();
    let ratio = from_scratch.as_secs_f64() / percentile(&all, 50).as_secs_f64();
    let workspace = &session.workspace;
    Ok(json!({
        "units": workspace.units,
        "source_lines": source_lines(workspace),
        "preprocessed_lines": workspace.lines,
        "functions": workspace.analysis().functions().len(),
        "peak_bytes": ProcessMemory::read().peak,
        "from_scratch_ms": milliseconds(from_scratch),
        "edits": summary(&all),
        "by_kind": by_kind,
        "by_stage": by_stage,
        "from_scratch_over_median": ratio,
    }))
}

/// The stages that took longer than a millisecond.
fn told(stages: &[StageTime]) -> String {
    let long = stages.iter().filter(|stage| stage.time.as_millis() > 0);
    let told = long.map(|stage| format!("{} {:.0}", stage.stage.word(), milliseconds(stage.time)));
    told.collect::<Vec<_>>().join(", ")
}

/// In how many files a statement for a kind of edit is looked for.
const ATTEMPTS: usize = 50;

/// A program that is being edited.
struct Session {
    options: LoadOptions,
    workspace: Workspace,
    check: Check,
    files: Vec<PathBuf>,
}

impl Session {
    fn new(workspace: Workspace, options: LoadOptions) -> Session {
        let check = Check::new(&workspace, RaceOptions::new(&workspace, None));
        say(&workspace, &check);
        let units = workspace.project.iter().flat_map(|project| &project.units);
        let files: BTreeSet<PathBuf> = units.map(|unit| unit.file.clone()).collect();
        Session {
            options,
            files: files.into_iter().collect(),
            workspace,
            check,
        }
    }

    fn random_edit(&self, kind: Kind, random: &mut Random) -> Option<(PathBuf, String)> {
        let file = &self.files[random.below(self.files.len())];
        let source = self.workspace.source(file)?;
        Some((file.clone(), kind.apply(source.text(), random)?))
    }

    /// Gives a file another text, or with `None` its own again, and measures until all is said about it.
    fn edit(&mut self, file: &Path, text: Option<Arc<str>>) -> (Duration, Vec<StageTime>) {
        self.workspace.set_unsaved(file, text);
        let changed = BTreeSet::from([file.to_owned()]);
        let read: ReadAgain = self.workspace.preprocess_again(&changed);
        let started = Instant::now();
        let clock = StageClock::default();
        clock.begin_stage(StageName::Splitting);
        self.workspace.take(read);
        let options = RaceOptions::new(&self.workspace, None);
        let (before, stop) = (Some(&self.check), &Stop::default());
        let check = Check::again_timed(&self.workspace, options, before, stop, &clock)
            .expect("nobody has the means to stop it");
        clock.begin_stage(StageName::Reporting);
        say(&self.workspace, &check);
        let time = started.elapsed();
        let stages = clock.finish();
        self.check = check;
        (time, stages)
    }

    /// What is said now, beside what is said by who reads the program anew, with another text of one file.
    fn compare(&self, file: &Path, text: Option<Arc<str>>) -> Result<(), String> {
        let mut anew = Workspace::load(&self.options, None).map_err(|error| error.to_string())?;
        anew.set_unsaved(file, text);
        anew.reread(&BTreeSet::from([file.to_owned()]));
        let fresh = Check::new(&anew, RaceOptions::new(&anew, None));
        are_equal(
            self.check.brief_report(&self.workspace),
            fresh.brief_report(&anew),
        )?;
        are_equal(self.check.report(&self.workspace), fresh.report(&anew))?;
        let [now, expected] = [&self.workspace, &anew].map(|workspace| {
            let notes = workspace.syntax_notes();
            notes.iter().map(SyntaxNote::to_note).collect::<Vec<_>>()
        });
        match now == expected {
            true => Ok(()),
            false => Err(format!("{now:#?}\nare not\n{expected:#?}")),
        }
    }
}

fn are_equal(mut now: Report, mut expected: Report) -> Result<(), String> {
    now.stats.seconds = 0.0;
    expected.stats.seconds = 0.0;
    if now == expected {
        return Ok(());
    }
    let mut races = now.races.iter().zip(expected.races.iter());
    Err(match races.find(|(now, expected)| now != expected) {
        Some((now, expected)) => format!("{now:#?}\nis not\n{expected:#?}"),
        None => format!(
            "{} races, {:?}, {:?}\nare not\n{} races, {:?}, {:?}",
            now.races.len(),
            now.stats,
            now.notes,
            expected.races.len(),
            expected.stats,
            expected.notes
        ),
    })
}

/// What the language server says after every check.
fn say(workspace: &Workspace, check: &Check) {
    std::hint::black_box(check.brief_report(workspace));
    std::hint::black_box(workspace.syntax_notes());
}

fn source_lines(workspace: &Workspace) -> usize {
    let files = workspace.own_files().into_iter();
    files
        .filter_map(|file| Some(workspace.source(&file)?.text().lines().count()))
        .sum()
}

fn summary(times: &[Duration]) -> Value {
    json!({
        "count": times.len(),
        "median_ms": milliseconds(percentile(times, 50)),
        "p90_ms": milliseconds(percentile(times, 90)),
        "p99_ms": milliseconds(percentile(times, 99)),
        "most_ms": milliseconds(percentile(times, 100)),
    })
}

/// The smallest time that is not below so many percent of all of them.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[(times.len() * percent).div_ceil(100).max(1) - 1]
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
