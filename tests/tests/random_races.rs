//! Random programs with threads: what ThreadSanitizer sees in them, and whether an analysis reports it.

use std::path::Path;
use std::time::{Duration, Instant};

use racelens_tests::matching::{ReportedAccess, ReportedRace};
use racelens_tests::racy_programs::{
    Analyse, Batch, Outcome, PROGRAMS_PER_BATCH, missed_races, plan, source,
};
use racelens_tests::random::cases;

/// Programs of which the shares are taken; `RACELENS_RACY_PROGRAMS` asks for another number,
/// `RACELENS_FIRST_RACY_PROGRAM` for another start.
const USUAL_PROGRAMS: u64 = 60;

fn outcome(analyse: Analyse<'_>) -> Outcome {
    let first = cases("RACELENS_FIRST_RACY_PROGRAM", 0);
    let count = cases("RACELENS_RACY_PROGRAMS", USUAL_PROGRAMS);
    missed_races(first..first + count, analyse).unwrap_or_else(|error| panic!("{error}"))
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
    let count = cases("RACELENS_RACY_PROGRAMS", USUAL_PROGRAMS);
    for first in (0..count).step_by(PROGRAMS_PER_BATCH as usize) {
        let plans = (first..first + PROGRAMS_PER_BATCH).map(plan).collect();
        let checked = Batch::write(plans).and_then(|batch| batch.check_warnings());
        checked.unwrap_or_else(|error| panic!("programs from {first}: {error}"));
    }
}

/// Knows the answer of ThreadSanitizer to nothing, so that every race seen is a missed one.
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
fn programs_race_or_not_and_end_quickly() {
    let started = Instant::now();
    let outcome = outcome(&loud);
    let (racy, programs) = (outcome.racy, outcome.programs);
    println!(
        "{racy} of {programs} programs race, in {} pairs of lines; {:?} per program",
        outcome.pairs,
        started.elapsed() / programs as u32
    );
    assert_eq!(outcome.missed, 0, "{:?}", outcome.descriptions);
    assert_eq!(
        outcome.disciplined_racy, [0; 0],
        "their accesses all have locks"
    );
    assert!(
        racy * 100 >= programs * 20,
        "only {racy} of {programs} programs race"
    );
    assert!(
        racy * 100 <= programs * 70,
        "{racy} of {programs} programs race"
    );
    assert!(started.elapsed() < Duration::from_secs(2) * programs as u32);
}

#[test]
fn a_race_that_is_not_reported_is_told_with_a_small_program() {
    let outcome = missed_races(0..10, &silent).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outcome.missed, outcome.pairs);
    let smallest = outcome
        .descriptions
        .first()
        .expect("one of ten programs races");
    assert!(
        smallest.contains("raced and are not reported"),
        "{smallest}"
    );
    assert!(smallest.contains("pthread_create"), "{smallest}");
}
