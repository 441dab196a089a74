//! Interleavings that show the races of the corpus: each replays, none is found where there is no race, and those that
//! are not found are known, with the reason.

use racelens_tests::analysis::Checked;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::fixture::LinePair;
use racelens_tests::witnesses::{search, witnessed_pairs};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Fixtures with a race of which no interleaving is found, and why.
const NOT_WITNESSED: &[(&str, &str)] = &[
    ("atomics/relaxed_release", WEAK_ORDER),
    ("double_checked_locking/relaxed_first_check", WEAK_ORDER),
    (
        "interrupts/interrupts_alone",
        "handlers of interrupts are not run",
    ),
    ("publication/fence_missing", WEAK_ORDER),
    ("publication/new_object_relaxed", WEAK_ORDER),
    ("publication/relaxed_flag", WEAK_ORDER),
    ("publication/relaxed_load", WEAK_ORDER),
    ("publication/relaxed_store", WEAK_ORDER),
    ("publication/written_behind_the_fence", WEAK_ORDER),
    (
        "signal_handler/shutdown_flag",
        "handlers of signals are not run",
    ),
    ("trylock/inverted_test", LONG_LOOPS),
];

const WEAK_ORDER: &str = "it takes an order that relaxed atomics allow";
const LONG_LOOPS: &str = "loops with many turns come before it";

/// What was found in one fixture.
struct Row {
    name: String,
    stated: usize,
    witnessed: usize,
    time: Duration,
    /// Of all that was looked at: what could not be run.
    limits: Vec<String>,
}

#[test]
fn witnesses_of_the_corpus_are_races_and_replay() {
    let mut wrong = Vec::new();
    let mut rows = Vec::new();
    let only = std::env::var("RACELENS_FIXTURE").unwrap_or_default();
    for entry in &corpus().entries {
        if entry.program.name.contains(&only) {
            rows.push(verify(entry, &mut wrong));
        }
    }
    print_table(&rows);
    if only.is_empty() {
        let known: BTreeMap<&str, &str> = NOT_WITNESSED.iter().copied().collect();
        for row in &rows {
            let is_known = known.contains_key(row.name.as_str());
            match (row.stated > 0 && row.witnessed == 0, is_known) {
                (true, false) => {
                    wrong.push(format!("{}: not witnessed {:?}", row.name, row.limits))
                }
                (false, true) => wrong.push(format!("{}: witnessed by now", row.name)),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn verify(entry: &CorpusEntry, wrong: &mut Vec<String>) -> Row {
    let checked = Checked::of_fixture(entry);
    let started = Instant::now();
    let verification = search(entry, &checked);
    let time = started.elapsed();
    let name = &entry.program.name;
    for rejected in &verification.rejected {
        wrong.push(format!("{name}: a witness does not replay: {rejected}"));
    }
    let seen = witnessed_pairs(&checked, &verification);
    for pair in &seen {
        let stated = entry.program.pairs.get(pair);
        if !stated.is_some_and(|stated| stated.verdict.is_a_race()) {
            wrong.push(format!("{name}: {pair} do not race, but are witnessed"));
        }
    }
    let pairs = entry.program.pairs.iter();
    let stated: Vec<&LinePair> = pairs
        .filter(|(_, stated)| stated.verdict.is_a_race())
        .map(|(pair, _)| pair)
        .collect();
    let outcome = &verification.outcome;
    let limits = outcome.limits.iter().map(ToString::to_string);
    let faults = outcome.faults.iter().map(ToString::to_string);
    let full = outcome.full.then(|| "too many states".to_owned());
    Row {
        name: name.clone(),
        stated: stated.len(),
        witnessed: stated.iter().filter(|pair| seen.contains(**pair)).count(),
        time,
        limits: limits.chain(faults).chain(full).collect(),
    }
}

/// `cargo test -p racelens-tests --test kiss_corpus -- --nocapture` shows it.
fn print_table(rows: &[Row]) {
    let racy: Vec<&Row> = rows.iter().filter(|row| row.stated > 0).collect();
    for row in &racy {
        if row.witnessed < row.stated {
            eprintln!(
                "{}: {} of {} pairs of lines, {:?}",
                row.name, row.witnessed, row.stated, row.limits
            );
        }
    }
    let some = racy.iter().filter(|row| row.witnessed > 0).count();
    let all = racy
        .iter()
        .filter(|row| row.witnessed == row.stated)
        .count();
    let stated: usize = racy.iter().map(|row| row.stated).sum();
    let witnessed: usize = racy.iter().map(|row| row.witnessed).sum();
    let mut times: Vec<Duration> = rows.iter().map(|row| row.time).collect();
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .copied()
            .unwrap_or_default()
    };
    eprintln!(
        "{} fixtures, {} with races: {all} fully witnessed, {some} at least in part; {witnessed} of {stated} pairs of \
         lines; median {:?}, 95th percentile {:?}",
        rows.len(),
        racy.len(),
        at(50),
        at(95)
    );
}
