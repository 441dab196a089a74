//! Witnessed interleavings happen: compiled with marks and run under ThreadSanitizer, programs show the race at the same two
//! lines.

use racelens::race_options::RaceOptions;
use racelens::races::{Asked, Check, VerifyOptions};
use racelens::replay::write_replay;
use racelens::report::{VerifyVerdict, WitnessTrace};
use racelens_analysis::kiss::search::Bounds;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::fixture::{LinePair, Place};
use racelens_tests::printed_programs::{read, sources};
use racelens_tests::side_by_side::side_by_side;
use racelens_tests::thread_sanitizer::racing_pairs;
use std::path::Path;
use std::process::Command;

/// One in so many fixtures is replayed; `RACELENS_REPLAYS` asks for all.
const ONE_IN: usize = 24;

/// So many of a hundred replays must show their race.
const LEAST_SHOWN_PERCENT: usize = 90;

/// Fixtures whose interleaving cannot be forced, and why.
const NOT_REPLAYED: &[(&str, &str)] = &[
    ("bitfield/lock_for_each_field", BIT_FIELDS),
    ("bitfield/neighbours", BIT_FIELDS),
    (
        "double_checked_locking/slept_before_filling",
        "a wait with a time limit has to be woken by its end",
    ),
    (
        "fresh_object/freed_after_insertion",
        "the freed memory is given to the next object at once, whose race is reported instead",
    ),
];

const BIT_FIELDS: &str = "a bit-field has no address, so that no mark can be put around it";

/// What came of one fixture.
enum Outcome {
    /// No interleaving was found, or it cannot be run here.
    Nothing,
    /// The race was reported at its two lines.
    Shown,
    /// ThreadSanitizer does not run on this machine.
    CannotRun,
    /// It was not, with the reason.
    NotShown(String),
}

fn first_witness(entry: &CorpusEntry) -> Option<(WitnessTrace, racelens::workspace::Workspace)> {
    let workspace = read(&sources(entry));
    let check = Check::new(&workspace, RaceOptions::new(&workspace, None));
    let options = VerifyOptions {
        entry: "main",
        start: &[],
        exported: false,
        bounds: Bounds {
            states: 30_000,
            ..Bounds::default()
        },
    };
    let report = check
        .verify(&workspace, &Asked::AllRaces, options, &|| false)
        .ok()?;
    let trace = report
        .answers
        .into_iter()
        .find_map(|answer| match answer.verdict {
            VerifyVerdict::Witnessed(trace) => Some(trace),
            _ => None,
        })?;
    Some((trace, workspace))
}

fn outcome(entry: &CorpusEntry) -> Outcome {
    let is_run = entry.program.has_main() && entry.program.not_runnable.is_none();
    if !is_run || entry.program.racing_pairs().next().is_none() {
        return Outcome::Nothing;
    }
    let Some((trace, workspace)) = first_witness(entry) else {
        return Outcome::Nothing;
    };
    let name = &entry.program.name;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let written = match write_replay(&trace, workspace.project.as_ref(), folder.path()) {
        Ok(written) => written,
        Err(error) => return Outcome::NotShown(format!("{name}: {error}")),
    };
    let output = Command::new("timeout")
        .arg("60")
        .arg("sh")
        .arg(&written.script)
        .output()
        .expect("sh runs");
    let report = String::from_utf8_lossy(&output.stderr);
    if report.contains("FATAL: ThreadSanitizer") {
        return Outcome::CannotRun;
    }
    let files = sources(entry);
    let below = files[0].parent().unwrap_or(Path::new("/"));
    let lines: Vec<Place> = trace
        .ends
        .iter()
        .filter_map(|end| {
            let place = end.place.as_ref()?;
            let file = place.path.strip_prefix(below).ok()?.to_str()?.to_owned();
            let line = place.line;
            Some(Place { file, line })
        })
        .collect();
    let [one, other] = lines.as_slice() else {
        return Outcome::NotShown(format!("{name}: an access without a place"));
    };
    let wanted = LinePair::new(one.clone(), other.clone());
    let found = racing_pairs(&report, below).unwrap_or_default();
    if found.iter().any(|pair| pair.lines() == wanted) {
        return Outcome::Shown;
    }
    let last: Vec<&str> = report
        .lines()
        .filter(|line| line.starts_with("racelens:"))
        .collect();
    let lines: Vec<String> = found
        .iter()
        .map(|pair| format!("{:?}", pair.lines()))
        .collect();
    Outcome::NotShown(format!(
        "{name}: {one}, {other}; {} of {} forced; reported {lines:?}; {:?} {}",
        written.forced,
        written.steps,
        last.last(),
        report
            .lines()
            .find(|line| line.contains("error"))
            .unwrap_or_default()
    ))
}

#[test]
fn thread_sanitizer_reports_the_races_of_replayed_interleavings() {
    let all = std::env::var("RACELENS_REPLAYS").ok();
    let corpus = corpus();
    let racy = corpus
        .entries
        .iter()
        .filter(|entry| entry.program.racing_pairs().next().is_some());
    let chosen: Vec<&CorpusEntry> = racy
        .enumerate()
        .filter(|(index, entry)| match &all {
            Some(part) => entry.program.name.contains(part.as_str()) || part == "all",
            None => index % ONE_IN == 0,
        })
        .map(|(_, entry)| entry)
        .collect();
    let outcomes = side_by_side(&chosen, &|entry| outcome(entry));
    if outcomes.iter().any(|it| matches!(it, Outcome::CannotRun)) {
        eprintln!("THREADSANITIZER CANNOT RUN ON THIS MACHINE, no interleaving is replayed here");
        return;
    }
    let shown = outcomes
        .iter()
        .filter(|it| matches!(it, Outcome::Shown))
        .count();
    let not_shown: Vec<&String> = outcomes
        .iter()
        .filter_map(|it| match it {
            Outcome::NotShown(why) => Some(why),
            _ => None,
        })
        .collect();
    let unknown: Vec<&&String> = not_shown
        .iter()
        .filter(|why| {
            !NOT_REPLAYED
                .iter()
                .any(|(name, _)| why.starts_with(&format!("{name}:")))
        })
        .collect();
    eprintln!(
        "{shown} of {} interleavings were seen to race",
        shown + not_shown.len()
    );
    for why in &not_shown {
        eprintln!("{why}");
    }
    assert!(shown > 0, "nothing was replayed");
    assert!(
        unknown.len() * 100 <= (100 - LEAST_SHOWN_PERCENT) * (shown + unknown.len()),
        "{unknown:#?}"
    );
}
