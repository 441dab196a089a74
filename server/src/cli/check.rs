//! `racelens check`: finds races and reports them.

use super::options::{EntriesChoice, ProgramOptions};
use super::progress::ProgressDisplay;
use super::terminal::{ColorChoice, complain, counted, print_data, print_notes, print_written};
use super::{FAILURE, FINDINGS, SUCCESS};
use crate::project::regular_file::{self, MOST_OF_A_SETTING};
use crate::project::{Note, visible, whole_file};
use crate::race_options::{Entries, RaceOptions};
use crate::races::{Asked, Check, VerifyOptions};
use crate::recall::{self, Detail};
use crate::report::text::{Appearance, Shown, TextWriter};
use crate::report::{Baseline, PathBase, Report, Selection, Verified, html, json, sarif};
use crate::workspace::{SyntaxNote, Workspace};
use clap::{Args, ValueEnum};
use racelens_analysis::races::DEFAULT_MIN_RANK;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Args)]
pub(super) struct CheckArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// How to write the result: for people, for programs, for code scanning, as a page for a browser
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Report only races of this rank or higher, from 0 to 100 [default: 20, or what racelens.toml says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    min_rank: Option<u8>,
    /// Report only the race with this id, with all its accesses and whole call paths
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Report only races that this file, which --write-baseline wrote, does not have
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    baseline: Option<PathBuf>,
    /// Write all races of the program to this file: from then on they are known
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "baseline"])]
    write_baseline: Option<PathBuf>,
    /// Which functions begin threads: those that the program starts, or also every one that other
    /// files can call [default: threads, or what racelens.toml says]
    #[arg(long, value_enum)]
    entries: Option<EntriesChoice>,
    /// Look for an interleaving of every race that is reported, and report it
    #[arg(long)]
    verify: bool,
    /// With --verify: give up after so many seconds in total
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        requires = "verify"
    )]
    verify_budget: u64,
    /// Write the result to this file, which is replaced as a whole, and not to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// When to write in colour
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
    Html,
}

pub(super) const EXIT_STATUS: &str = "\
Exit status:
  0  no race was found, and no lock annotation is violated
  1  there are races or violated lock annotations
  2  nothing could be analysed, there is no race with the id of --explain, a baseline could not be read or
     written, or the command line is wrong";

pub(super) fn run(arguments: &CheckArguments) -> u8 {
    // Before the work, which may take long.
    let known = match arguments.baseline.as_deref().map(read_baseline).transpose() {
        Ok(known) => known,
        Err(error) => {
            complain(&format!("error: {error}"));
            return FAILURE;
        }
    };
    let progress = ProgressDisplay::new();
    let Found {
        mut report,
        program,
        min_rank,
    } = match arguments.find(&progress) {
        Ok(found) => found,
        Err(status) => return status,
    };
    let baseline = match &arguments.write_baseline {
        Some(file) if report.stats.units > 0 => match write_baseline(file, &report) {
            Ok(written) => Some(written),
            Err(error) => {
                complain(&format!("error: {error}"));
                return FAILURE;
            }
        },
        _ => known,
    };
    if let Some(baseline) = baseline {
        baseline.apply(&mut report);
    }
    let selection = arguments.selection(min_rank);
    let hidden = match selection.apply(&mut report) {
        Ok(hidden) => hidden,
        Err(unknown) => {
            print_notes(&report.notes, arguments.color);
            complain(&format!("error: {unknown}"));
            return FAILURE;
        }
    };
    if let (Some(_), Some((workspace, check))) = (&selection.id, &program) {
        add_accesses(&mut report, workspace, check);
    }
    if let (true, Some((workspace, check))) = (arguments.verify, &program) {
        progress.during("looking for interleavings", || {
            verify(&mut report, check, workspace, arguments.verify_budget);
        });
        progress.clear();
    }
    if let Err(error) = arguments.write(&report, &selection, hidden) {
        complain(&format!("error: {error}"));
        return FAILURE;
    }
    if let Some((workspace, check)) = program {
        check.leave();
        workspace.leave();
    }
    if report.stats.units == 0 {
        complain("nothing was analysed");
        return FAILURE;
    }
    exit_status(&report)
}

/// What is known of the program.
struct Found {
    report: Report,
    /// Unless it was not necessary to read it.
    program: Option<(Workspace, Check)>,
    /// What the project says about which races to show.
    min_rank: Option<u8>,
}

/// Adds the accesses that are not listed.
fn add_accesses(report: &mut Report, workspace: &Workspace, check: &Check) {
    let suppressed = report.suppressed.iter_mut();
    let suppressed = suppressed.map(|suppressed| &mut suppressed.race);
    let races = Arc::make_mut(&mut report.races).iter_mut();
    for race in races.chain(suppressed) {
        if race.unlisted.count > 0
            && let Some(whole) = check.race(workspace, &race.id)
        {
            let race = Arc::make_mut(race);
            (race.accesses, race.unlisted) = (whole.accesses, whole.unlisted);
        }
    }
}

/// Looks for an interleaving of every race in the report.
fn verify(report: &mut Report, check: &Check, workspace: &Workspace, budget: u64) {
    let findings = report.races.iter().filter(|race| race.is_finding());
    let asked = Asked::Races(findings.map(|race| race.id.clone()).collect());
    let started = Instant::now();
    let stop = || started.elapsed() >= Duration::from_secs(budget);
    match check.verify(workspace, &asked, VerifyOptions::default(), &stop) {
        Ok(found) => {
            report.notes.extend(found.notes);
            for answer in found.answers {
                let mut races = report.races_mut().iter_mut();
                if let Some(race) = races.find(|race| Some(&race.id) == answer.id.as_ref()) {
                    Arc::make_mut(race).set_verified(Verified::Answered {
                        verdict: answer.verdict,
                        bounds: found.bounds,
                    });
                }
            }
        }
        Err(error) => {
            // The help is about the command line of `verify`.
            let reason = error.lines().next().unwrap_or_default();
            let note = Note::warning(format!("the races could not be verified: {reason}"));
            report.notes.push(note);
        }
    }
}

fn read_baseline(file: &Path) -> Result<Baseline, String> {
    let shown = file.display();
    let text = regular_file::read_text(file, MOST_OF_A_SETTING).map_err(|error| {
        format!(
            "the baseline {shown} cannot be read: {error}\n  help: correct its path, or write it with \
             `racelens check --write-baseline {shown}`"
        )
    })?;
    Baseline::from_json(&text).map_err(|error| {
        format!(
            "{shown} is no baseline: {error}\n  help: write it anew with `racelens check \
             --write-baseline {shown}`"
        )
    })
}

fn write_baseline(file: &Path, report: &Report) -> Result<Baseline, String> {
    let baseline = Baseline::of(report);
    whole_file::write(file, baseline.to_json().as_bytes()).map_err(|error| {
        format!(
            "the baseline {} cannot be written: {error}\n  help: name a file in a directory that exists and \
             that you may write to",
            file.display()
        )
    })?;
    let races = counted(baseline.len(), "race");
    complain(&format!("{races} written to {}", file.display()));
    Ok(baseline)
}

fn exit_status(report: &Report) -> u8 {
    if report.races.iter().any(|race| race.is_finding()) || !report.violations.is_empty() {
        FINDINGS
    } else {
        SUCCESS
    }
}

impl CheckArguments {
    /// Finds the races of the program, or recalls them if an earlier run has found them.
    fn find(&self, progress: &ProgressDisplay) -> Result<Found, u8> {
        let opened = self.program.open();
        let project = opened.as_ref().map(|opened| &opened.project);
        let min_rank = project.and_then(|project| project.config.check.min_rank);
        let entries = self.entries.map(Entries::from);
        let options = RaceOptions::for_project(project, entries).only_reachable();
        // An interleaving is looked for in the program itself.
        let recalled = opened.as_ref().filter(|_| !self.verify);
        let recalled = recalled.and_then(|opened| recall::recall(opened, &options, Detail::Full));
        let recalled = recalled.filter(|recalled| self.says_enough(&recalled.report));
        if let Some(recalled) = recalled {
            return Ok(Found {
                report: recalled.report,
                program: None,
                min_rank,
            });
        }
        let workspace = self.program.read_or_complain(opened, progress)?;
        let check = progress.during("looking for races", || {
            Check::new(&workspace, options.clone())
        });
        let mut report = check.report(&workspace);
        progress.clear();
        add_notes(&mut report.notes, &workspace);
        recall::remember(&workspace, &options, Detail::Full, &report);
        self.program
            .complain_about_cache(workspace.project.as_ref());
        Ok(Found {
            report,
            program: Some((workspace, check)),
            min_rank,
        })
    }

    /// Whether a report has all that was asked for: it lists some of the accesses of each race, and a race that is
    /// asked for is shown with all of them.
    fn says_enough(&self, report: &Report) -> bool {
        let Some(id) = &self.explain else {
            return true;
        };
        let suppressed = report.suppressed.iter().map(|suppressed| &suppressed.race);
        let mut races = report.races.iter().chain(suppressed);
        let id = id.to_ascii_lowercase();
        !races.any(|race| race.id.starts_with(&id) && race.unlisted.count > 0)
    }

    fn selection(&self, configured: Option<u8>) -> Selection {
        let min_rank = self.min_rank.or(configured);
        Selection {
            min_rank: min_rank.unwrap_or(DEFAULT_MIN_RANK),
            id: self.explain.clone(),
        }
    }

    fn write(&self, report: &Report, selection: &Selection, hidden: usize) -> Result<(), String> {
        let base = PathBase::current_directory();
        let text = match self.format {
            Format::Text => {
                print_notes(&report.notes, self.color);
                if report.stats.units == 0 {
                    return Ok(());
                }
                let shown = Shown {
                    in_full: selection.id.is_some(),
                    hidden,
                    min_rank: selection.min_rank,
                };
                let appearance = match self.output {
                    Some(_) => Appearance::default(),
                    None => self.color.appearance(),
                };
                let writer = TextWriter::new(appearance, base);
                visible(&writer.report(report, shown)).into_owned()
            }
            Format::Json if self.output.is_none() => {
                print_written(|output| json::write_json(report, &base, output));
                return Ok(());
            }
            Format::Json => json::json(report, &base),
            Format::Sarif => sarif::sarif(report, &base.repository()),
            Format::Html => html::html(report, &base),
        };
        let Some(file) = &self.output else {
            print_data(&text);
            return Ok(());
        };
        whole_file::write(file, text.as_bytes()).map_err(|error| {
            format!(
                "the result cannot be written to {}: {error}\n  help: name a file in a directory that exists and \
                 that you may write to",
                file.display()
            )
        })
    }
}

/// What was to say about the program before races were looked for.
pub(super) fn add_notes(notes: &mut Vec<Note>, workspace: &Workspace) {
    notes.extend(workspace.notes.iter().cloned());
    let syntax = workspace.syntax_notes();
    notes.extend(syntax.iter().map(SyntaxNote::to_note));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Race, Tier, Unlisted};

    fn race(tier: Tier, rank: u8) -> Race {
        Race {
            id: format!("{rank:012x}"),
            tier,
            rank,
            location: "x".to_owned(),
            reasons: Vec::new(),
            accesses: Vec::new(),
            unlisted: Unlisted::default(),
            benign_comments: Vec::new(),
            verified: None,
        }
    }

    #[test]
    fn only_findings_of_the_rank_that_was_asked_for_count() {
        let status = |races: &[Race], min_rank| {
            let mut report = Report {
                races: Arc::new(races.iter().cloned().map(Arc::new).collect()),
                ..Report::default()
            };
            let selection = Selection { min_rank, id: None };
            selection.apply(&mut report).unwrap();
            exit_status(&report)
        };
        let races = [race(Tier::Possible, 40), race(Tier::ProvenSafe, 90)];
        assert_eq!(status(&races, 40), FINDINGS);
        assert_eq!(status(&races, 41), SUCCESS);
        assert_eq!(status(&[race(Tier::Witnessed, 0)], 0), FINDINGS);
        assert_eq!(status(&[], 0), SUCCESS);
    }
}
