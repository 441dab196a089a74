//! Verifies the races of every fixture as a user would, and prints what came of it, with times and memory, as Markdown.

use racelens::process_memory::ProcessMemory;
use racelens::race_options::RaceOptions;
use racelens::races::{Asked, Check, VerifyOptions};
use racelens::report::VerifyVerdict;
use racelens_analysis::kiss::search::Bounds;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::printed_programs::{read, sources};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What `racelens verify` takes at most, unless it is told otherwise.
const BUDGET: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Witnessed,
    NotFound,
    Unknown,
}

/// One race of one fixture.
struct Row {
    is_racy: bool,
    verdict: Verdict,
    time: Duration,
}

fn main() {
    let mut rows = Vec::new();
    let mut fixtures = 0;
    for entry in &corpus().entries {
        if entry.program.has_main() {
            fixtures += 1;
            rows.extend(verify(entry));
        }
    }
    print(&rows, fixtures);
}

/// Every race that `racelens check` finds, each asked about on its own.
fn verify(entry: &CorpusEntry) -> Vec<Row> {
    let is_racy = entry.program.racing_pairs().next().is_some();
    let workspace = read(&sources(entry));
    let check = Check::new(&workspace, RaceOptions::new(&workspace, None));
    let races = check.report(&workspace).races;
    let mut rows = Vec::new();
    for race in races.iter() {
        let options = VerifyOptions {
            entry: "main",
            start: &[],
            exported: false,
            bounds: Bounds::default(),
        };
        let started = Instant::now();
        let stop = || started.elapsed() >= BUDGET;
        let Ok(report) = check.verify(&workspace, &Asked::Race(race.id.clone()), options, &stop)
        else {
            continue;
        };
        let time = started.elapsed();
        rows.extend(report.answers.iter().map(|answer| Row {
            is_racy,
            verdict: match answer.verdict {
                VerifyVerdict::Witnessed(_) => Verdict::Witnessed,
                VerifyVerdict::NotFound { .. } => Verdict::NotFound,
                VerifyVerdict::Unknown(_) => Verdict::Unknown,
            },
            time,
        }));
    }
    rows
}

fn print(rows: &[Row], fixtures: usize) {
    println!(
        "| {fixtures} fixtures | races | median | 95th percentile | longest |\n|---|---|---|---|---|"
    );
    let mut groups: BTreeMap<(bool, Verdict), Vec<Duration>> = BTreeMap::new();
    for row in rows {
        groups
            .entry((!row.is_racy, row.verdict))
            .or_default()
            .push(row.time);
    }
    for ((is_safe, verdict), mut times) in groups {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64();
        let what = match verdict {
            Verdict::Witnessed => "witnessed",
            Verdict::NotFound => "not found",
            Verdict::Unknown => "unknown",
        };
        let kind = if is_safe {
            "false warning"
        } else {
            "in a racy program"
        };
        println!(
            "| {kind}, {what} | {} | {:.3} s | {:.3} s | {:.3} s |",
            times.len(),
            at(50),
            at(95),
            at(100)
        );
    }
    if let Some(peak) = ProcessMemory::read().peak {
        println!(
            "\nPeak memory of all of it in one process: {} MB.",
            peak >> 20
        );
    }
}
