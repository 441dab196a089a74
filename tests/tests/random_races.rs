//! Random programs with threads: what ThreadSanitizer sees in them, and whether an analysis reports it.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use racelens_tests::analysis::all_reported_races;
use racelens_tests::matching::{ReportedAccess, ReportedRace};
use racelens_tests::oracle::OracleError;
use racelens_tests::racy_programs::{
    self, Analyse, Batch, Outcome, PROGRAMS_PER_BATCH, plan, source,
};
use racelens_tests::random::cases;

/// Programs of which the shares are taken; `RACELENS_RACY_PROGRAMS` asks for another number,
/// `RACELENS_FIRST_RACY_PROGRAM` for another start.
const USUAL_PROGRAMS: u64 = 60;

/// So many of a hundred programs that are safe by construction may be reported.
const MOST_WRONG_PERCENT: usize = 2;

/// Set where instrumented programs cannot run: the checks that need them then say so and pass.
const WITHOUT_THREAD_SANITIZER: &str = "RACELENS_WITHOUT_TSAN";

/// `None` on a machine that is excused.
fn outcome(seeds: Range<u64>, analyse: Analyse<'_>) -> Option<Outcome> {
    match racy_programs::outcome(seeds, analyse) {
        Ok(outcome) => Some(outcome),
        Err(error @ OracleError::CannotRun(_))
            if std::env::var_os(WITHOUT_THREAD_SANITIZER).is_some() =>
        {
            // Written past the test harness, which would swallow it when the test passes.
            let _ = writeln!(std::io::stderr(), "random programs: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn usual_seeds() -> Range<u64> {
    let first = cases("RACELENS_FIRST_RACY_PROGRAM", 0);
    first..first + cases("RACELENS_RACY_PROGRAMS", USUAL_PROGRAMS)
}

fn everything_reported(file: &Path) -> Vec<ReportedRace> {
    all_reported_races(&[file.to_path_buf()])
}

/// What the usual programs showed, and how long that took; they run once for all tests.
fn usual_outcome() -> Option<&'static (Outcome, Duration)> {
    static OUTCOME: OnceLock<Option<(Outcome, Duration)>> = OnceLock::new();
    let computed = OUTCOME.get_or_init(|| {
        let started = Instant::now();
        let outcome = outcome(usual_seeds(), &everything_reported)?;
        Some((outcome, started.elapsed()))
    });
    computed.as_ref()
}

#[test]
fn a_seed_gives_one_program() {
    for seed in 0..50 {
        assert_eq!(source(&plan(seed)), source(&plan(seed)));
        assert_ne!(source(&plan(seed)), source(&plan(seed + 1)));
    }
}

#[test]
fn programs_compile_without_a_warning() {
    let seeds = usual_seeds();
    for first in seeds.clone().step_by(PROGRAMS_PER_BATCH as usize) {
        let last = seeds.end.min(first + PROGRAMS_PER_BATCH);
        let checked = Batch::write((first..last).map(plan).collect())
            .and_then(|batch| batch.check_warnings());
        checked.unwrap_or_else(|error| panic!("programs from {first}: {error}"));
    }
}

/// Reports nothing, so that every race seen is a missed one.
fn silent(_: &Path) -> Vec<ReportedRace> {
    Vec::new()
}

/// Reports every pair of lines of a file.
fn loud(file: &Path) -> Vec<ReportedRace> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines = 1..=text.lines().count() as u32;
    let access = |line| ReportedAccess {
        file: String::new(),
        line,
        locks: Vec::new(),
    };
    let pairs = lines
        .clone()
        .flat_map(|one| lines.clone().map(move |other| (one, other)));
    pairs
        .map(|(one, other)| ReportedRace {
            first: access(one),
            second: access(other),
        })
        .collect()
}

#[test]
fn every_race_that_was_seen_is_reported() {
    let Some((outcome, _)) = usual_outcome() else {
        return;
    };
    if let Some(failure) = outcome.failure() {
        panic!("{failure}");
    }
}

#[test]
fn hardly_anything_is_reported_that_is_safe_by_construction() {
    let Some((outcome, _)) = usual_outcome() else {
        return;
    };
    let wrong = &outcome.wrong;
    println!("{}", wrong.summary());
    if wrong.exceed(MOST_WRONG_PERCENT) {
        let examples = wrong.examples(&everything_reported).join("\n");
        panic!("{}{examples}", wrong.summary());
    }
}

#[test]
fn programs_race_or_not_and_end_quickly() {
    let Some((outcome, elapsed)) = usual_outcome() else {
        return;
    };
    let (racy, programs) = (outcome.racy, outcome.programs);
    println!(
        "{racy} of {programs} programs race, in {} pairs of lines; {:?} per program",
        outcome.pairs,
        *elapsed / programs as u32
    );
    assert_eq!(
        outcome.disciplined_racy, [0; 0],
        "nothing is wrong with these programs"
    );
    assert!(
        (25..=65).contains(&(racy * 100 / programs)),
        "{racy} of {programs} programs race: too few of one kind"
    );
    assert!(*elapsed < Duration::from_secs(2) * programs as u32);
}

#[test]
fn an_analysis_that_reports_everything_misses_nothing_and_is_always_wrong() {
    let Some(outcome) = outcome(0..20, &loud) else {
        return;
    };
    assert_eq!(outcome.failure(), None);
    assert!(outcome.pairs > 0);
    assert!(outcome.wrong.exceed(99), "{}", outcome.wrong.summary());
}

#[test]
fn a_race_that_is_not_reported_is_told_with_a_small_program() {
    let Some(outcome) = outcome(0..4, &silent) else {
        return;
    };
    assert_eq!(outcome.missed, outcome.pairs);
    let failure = outcome.failure().expect("one of four programs races");
    assert!(failure.contains("raced and are not reported"), "{failure}");
    assert!(failure.contains("pthread_create"), "{failure}");
}
