//! Checks the annotated corpus itself: it parses, it compiles, and its verdicts agree with ThreadSanitizer.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::OnceLock;

use racelens_tests::agreement::{disagreements, is_confirmed};
use racelens_tests::corpus::{Corpus, CorpusEntry, corpus};
use racelens_tests::fixture::{LinePair, Program};
use racelens_tests::oracle::{InstrumentedProgram, OracleError, check_syntax};
use rayon::prelude::*;

/// A race depends on the schedule, and that on what else the machine does; what forty runs do not show has to be written
/// more plainly.
const MOST_RUNS_TO_CONFIRM: usize = 40;

/// ThreadSanitizer orders by synchronisation and not by time, so that few runs of a safe program suffice.
const RUNS_OF_A_SAFE_PROGRAM: usize = 2;

/// Set where instrumented programs cannot run: the checks that need them then say so and pass.
const WITHOUT_THREAD_SANITIZER: &str = "RACELENS_WITHOUT_TSAN";

#[test]
fn every_fixture_parses() {
    assert!(
        fixtures().errors.is_empty(),
        "{}",
        fixtures().errors.join("\n")
    );
    assert!(!fixtures().entries.is_empty(), "the corpus is empty");
}

#[test]
fn every_fixture_compiles_without_a_warning() {
    let everything = fixtures().entries.iter().collect();
    report(failures(everything, |entry| {
        check_syntax(entry).map_err(Failure::Oracle)
    }));
}

#[test]
fn every_family_has_a_safe_and_a_racy_program() {
    let families: BTreeSet<&str> = fixtures().entries.iter().map(family).collect();
    let mut incomplete = Vec::new();
    for name in families {
        let members = || {
            fixtures()
                .entries
                .iter()
                .filter(|entry| family(entry) == name)
        };
        if !members().any(|entry| is_racy(&entry.program)) {
            incomplete.push(format!("{name} has no racy program"));
        }
        if members().all(|entry| is_racy(&entry.program)) {
            incomplete.push(format!("{name} has no safe program"));
        }
    }
    assert!(incomplete.is_empty(), "{}", incomplete.join("\n"));
}

#[test]
fn every_stated_race_is_seen_by_thread_sanitizer() {
    report(failures(runnable(true), confirm_races));
}

#[test]
fn no_safe_program_races_under_thread_sanitizer() {
    report(failures(runnable(false), confirm_silence));
}

fn fixtures() -> &'static Corpus {
    static FIXTURES: OnceLock<Corpus> = OnceLock::new();
    FIXTURES.get_or_init(corpus)
}

enum Failure {
    Oracle(OracleError),
    Verdict(String),
}

/// Runs until every stated race was seen.
fn confirm_races(entry: &CorpusEntry) -> Result<(), Failure> {
    let executable = InstrumentedProgram::compile(entry).map_err(Failure::Oracle)?;
    let mut seen = BTreeSet::new();
    for _ in 0..MOST_RUNS_TO_CONFIRM {
        seen.extend(race_lines(&executable)?);
        if is_confirmed(&entry.program, &seen) {
            break;
        }
    }
    agreement(&entry.program, &seen)
}

fn confirm_silence(entry: &CorpusEntry) -> Result<(), Failure> {
    let executable = InstrumentedProgram::compile(entry).map_err(Failure::Oracle)?;
    let mut seen = BTreeSet::new();
    for _ in 0..RUNS_OF_A_SAFE_PROGRAM {
        seen.extend(race_lines(&executable)?);
    }
    agreement(&entry.program, &seen)
}

fn race_lines(executable: &InstrumentedProgram) -> Result<BTreeSet<LinePair>, Failure> {
    let pairs = executable.run().map_err(Failure::Oracle)?;
    Ok(pairs.iter().map(|pair| pair.lines()).collect())
}

fn agreement(program: &Program, seen: &BTreeSet<LinePair>) -> Result<(), Failure> {
    let disagreements = disagreements(program, seen);
    if disagreements.is_empty() {
        Ok(())
    } else {
        Err(Failure::Verdict(disagreements.join("\n  ")))
    }
}

fn is_racy(program: &Program) -> bool {
    program.racing_pairs().next().is_some()
}

fn family(entry: &CorpusEntry) -> &str {
    let (family, _) = entry.program.name.split_once('/').unwrap_or_default();
    family
}

fn runnable(racy: bool) -> Vec<&'static CorpusEntry> {
    let can_run = |program: &Program| program.has_main() && program.not_runnable.is_none();
    let entries = fixtures().entries.iter();
    let wanted = entries.filter(|entry| can_run(&entry.program) && is_racy(&entry.program) == racy);
    wanted.collect()
}

/// Runs a check on every entry, at most two at once over all tests of this file.
fn failures(
    entries: Vec<&CorpusEntry>,
    check: impl Fn(&CorpusEntry) -> Result<(), Failure> + Sync,
) -> Vec<(String, Failure)> {
    static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(2);
        builder.build().expect("two threads can be started")
    });
    pool.install(|| {
        let named = |entry: &CorpusEntry, failure| (entry.program.name.clone(), failure);
        entries
            .into_par_iter()
            .filter_map(|entry| check(entry).err().map(|failure| named(entry, failure)))
            .collect()
    })
}

/// Fails with the list of all failures, unless the only trouble is an excused machine.
fn report(failures: Vec<(String, Failure)>) {
    let mut messages = Vec::new();
    for (name, failure) in failures {
        match failure {
            Failure::Oracle(error @ OracleError::CannotRun(_))
                if std::env::var_os(WITHOUT_THREAD_SANITIZER).is_some() =>
            {
                // Written past the test harness, which would swallow it when the test passes.
                let _ = writeln!(std::io::stderr(), "{name}: {error}");
            }
            Failure::Oracle(error) => messages.push(format!("{name} {error}")),
            Failure::Verdict(message) => messages.push(format!("{name}:\n  {message}")),
        }
    }
    assert!(messages.is_empty(), "{}", messages.join("\n"));
}
