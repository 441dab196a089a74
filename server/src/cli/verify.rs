//! `racelens verify`: looks for an interleaving that really gets to a race or a violated assertion.

use super::explain::AskedPlace;
use super::options::ProgramOptions;
use super::progress::ProgressDisplay;
use super::terminal::{ColorChoice, complain, print, print_data, print_notes};
use super::{FAILURE, FINDINGS, SUCCESS};
use crate::race_options::{Entries, RaceOptions};
use crate::races::{Asked, Check, VerifyOptions};
use crate::replay::write_replay;
use crate::report::text::verification_text;
use crate::report::{PathBase, VerificationReport, VerifyVerdict, json};
use crate::workspace::Workspace;
use clap::{Args, ValueEnum};
use racelens_analysis::kiss::search::Bounds;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Args)]
pub(super) struct VerifyArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// Verify the race with this id, as `racelens check` prints it
    #[arg(long, value_name = "ID", conflicts_with_all = ["all", "asserts"])]
    race: Option<String>,
    /// Verify every race that `racelens check` finds
    #[arg(long, conflicts_with = "asserts")]
    all: bool,
    /// Look for violated assertions instead of races
    #[arg(long)]
    asserts: bool,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    budget: u64,
    /// Try interleavings with at most so many switches away from threads that could go on
    #[arg(long, value_name = "N", default_value_t = 4)]
    rounds: u32,
    /// Run at most so many threads, from 1 to 60
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u8).range(1..=60))]
    max_threads: u8,
    /// Begin with this function
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    entry: String,
    /// Start these functions as threads, instead of beginning with one function
    #[arg(
        long,
        value_name = "FUNCTION",
        value_delimiter = ',',
        conflicts_with = "entry"
    )]
    start: Vec<String>,
    /// Let the users of a library call every function that other files can call, from several threads
    #[arg(long, conflicts_with_all = ["start", "entry"])]
    start_exported: bool,
    /// Write a program into this directory that lets the first witnessed interleaving happen under ThreadSanitizer
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "asserts")]
    replay: Option<PathBuf>,
    /// How to write the answer: for people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// When to write in colour
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) const EXIT_STATUS: &str = "\
Without --race, --all or --asserts the first argument is FILE:LINE, a line that takes part in a race.

Exit status:
  0  no interleaving was found
  1  there is an interleaving that gets there
  2  nothing could be run, or the command line is wrong";

pub(super) fn run(arguments: &VerifyArguments) -> u8 {
    let mut program = arguments.program.clone();
    let asked = match asked(arguments, &mut program) {
        Ok(asked) => asked,
        Err(error) => {
            complain(&format!("error: {error}"));
            return FAILURE;
        }
    };
    let progress = ProgressDisplay::new();
    let workspace = match program.load_or_complain(&progress) {
        Ok(workspace) => workspace,
        Err(status) => return status,
    };
    if workspace.units == 0 {
        progress.clear();
        print_notes(&workspace.notes, arguments.color);
        complain("nothing was analysed");
        return FAILURE;
    }
    let check = progress.during("looking for races", || {
        Check::new(&workspace, race_options(arguments, &workspace))
    });
    let options = VerifyOptions {
        entry: &arguments.entry,
        start: &arguments.start,
        exported: arguments.start_exported,
        bounds: Bounds {
            switches: arguments.rounds,
            threads: usize::from(arguments.max_threads),
            ..Bounds::default()
        },
    };
    let started = Instant::now();
    let budget = Duration::from_secs(arguments.budget);
    let stop = || started.elapsed() >= budget;
    let verified = progress.during("looking for an interleaving", || {
        check.verify(&workspace, &asked, options, &stop)
    });
    progress.clear();
    let report = match verified {
        Ok(mut report) => {
            report.notes.extend(workspace.notes.iter().cloned());
            report
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            return FAILURE;
        }
    };
    let base = PathBase::current_directory();
    match arguments.format {
        Format::Text => {
            print_notes(&report.notes, arguments.color);
            print(&verification_text(&report, &base));
        }
        Format::Json => print_data(&json::verification(&report, &base)),
    }
    if let Some(directory) = &arguments.replay
        && let Err(error) = replay(&report, &workspace, directory)
    {
        complain(&format!("error: there is no replay: {error}"));
        return FAILURE;
    }
    exit_status(&report)
}

/// Writes the program that lets the first witnessed interleaving happen, and says how to run it.
fn replay(
    report: &VerificationReport,
    workspace: &Workspace,
    directory: &Path,
) -> Result<(), String> {
    let mut verdicts = report.answers.iter().map(|answer| &answer.verdict);
    let trace = verdicts.find_map(|verdict| match verdict {
        VerifyVerdict::Witnessed(trace) => Some(trace),
        _ => None,
    });
    let Some(trace) = trace else {
        complain("note: nothing was witnessed, so that there is nothing to replay");
        return Ok(());
    };
    let project = workspace.project.as_ref();
    let written = write_replay(trace, project, directory).map_err(|error| error.to_string())?;
    for remark in &written.remarks {
        complain(&format!("note: {remark}"));
    }
    complain(&format!(
        "note: {} of {} steps are forced when this is run: sh {}",
        written.forced,
        written.steps,
        written.script.display()
    ));
    Ok(())
}

/// Functions that are started as threads count as threads when races are looked for.
fn race_options(arguments: &VerifyArguments, workspace: &Workspace) -> RaceOptions {
    let entries = arguments.start_exported.then_some(Entries::Exported);
    let mut options = RaceOptions::new(workspace, entries);
    for name in &arguments.start {
        if !options.named_entries.contains(name) {
            options.named_entries.push(name.clone());
        }
    }
    options
}

fn asked(arguments: &VerifyArguments, program: &mut ProgramOptions) -> Result<Asked, String> {
    if let Some(id) = &arguments.race {
        return Ok(Asked::Race(id.clone()));
    }
    if arguments.all {
        return Ok(Asked::AllRaces);
    }
    if arguments.asserts {
        return Ok(Asked::Assertions);
    }
    if program.paths.is_empty() {
        return Err(
            "nothing is asked\n  help: name a line as FILE:LINE, or use --race ID, --all or --asserts"
                .to_owned(),
        );
    }
    let first = program.paths.remove(0);
    let place: AskedPlace = first
        .to_string_lossy()
        .parse()
        .map_err(|error| format!("{}: {error}", first.display()))?;
    match std::path::absolute(&place.file) {
        Ok(file) if file.is_file() => Ok(Asked::Line(file, place.line)),
        _ => Err(format!(
            "{} is not a file that can be read\n  help: correct its path, which is relative to the current directory",
            place.file.display()
        )),
    }
}

fn exit_status(report: &VerificationReport) -> u8 {
    let is_witnessed =
        |answer: &crate::report::Answer| matches!(answer.verdict, VerifyVerdict::Witnessed(_));
    if report.answers.iter().any(is_witnessed) {
        FINDINGS
    } else {
        SUCCESS
    }
}
