//! The examples of the papers, by the search and by trying every choice of the sequential programs.

use racelens_analysis::kiss::search::Bounds;
use racelens_analysis::kiss::sequential::{Found, Points, Scheduling};
use racelens_tests::corpus::corpus;
use racelens_tests::printed_programs::sources;
use racelens_tests::sequential_programs::{run_often, sequential_text, sequential_text_in_rounds};
use racelens_tests::threaded_programs::{Sequential, ThreadedProgram};
use std::collections::BTreeSet;

const BLUETOOTH: &str = include_str!("../kiss/bluetooth_driver.c");
const CORRECTED_BLUETOOTH: &str = include_str!("../kiss/bluetooth_driver_corrected.c");
const RUNNING_EXAMPLE: &str = include_str!("../kiss/running_example.c");
const TEST_AND_SET: &str = include_str!("../kiss/test_and_set.c");

/// More than any of them has.
const STATES: usize = 2_000_000;

/// The names of the functions that race or whose assertion fails.
type Names = BTreeSet<(String, String)>;

fn names(found: BTreeSet<Found>) -> Names {
    let found = found.into_iter().map(|found| match found {
        Found::Race(one, other) => (one, other),
        Found::Assertion(at) => (at, at),
    });
    found
        .map(|(one, other)| {
            let mut pair = [one.function.name, other.function.name].map(|name| name.to_string());
            pair.sort();
            let [one, other] = pair;
            (one, other)
        })
        .collect()
}

/// What the sequential program comes to; all its choices are tried.
fn sequentially(
    program: &ThreadedProgram,
    scheduling: Scheduling,
    bound: u32,
    asserts: bool,
) -> Names {
    let (tried, found) = program.sequentially(Sequential {
        scheduling,
        bound,
        points: Points::WhereNoticed,
        asserts,
        states: STATES,
    });
    assert!(tried.complete, "{tried:?}");
    names(found)
}

fn races(program: &ThreadedProgram, max: u32) -> Names {
    sequentially(program, Scheduling::Stack, max, false)
}

fn violations(program: &ThreadedProgram, max: u32) -> Names {
    sequentially(program, Scheduling::Stack, max, true)
}

/// What the search witnesses; every interleaving is tried.
fn searched(program: &ThreadedProgram) -> BTreeSet<Found> {
    let bounds = Bounds {
        switches: 40,
        ..Bounds::default()
    };
    let (is_complete, found) = program.searched(Points::WhereNoticed, bounds);
    assert!(is_complete);
    found
}

fn pair(one: &str, other: &str) -> (String, String) {
    (one.to_owned(), other.to_owned())
}

fn assertion_in(function: &str) -> Names {
    [pair(function, function)].into()
}

/// The only variable that both functions access outside of sections that nothing interrupts.
fn race_on_stopping_flag() -> (String, String) {
    pair("BCSP_IoIncrement", "BCSP_PnpStop")
}

/// KISS fig. 2, with no thread waiting in `ts`.
#[test]
fn the_bluetooth_driver_races_on_its_flag_with_no_thread_waiting() {
    let driver = ThreadedProgram::of_source(BLUETOOTH);
    assert!(races(&driver, 0).contains(&race_on_stopping_flag()));
    assert!(names(searched(&driver)).contains(&race_on_stopping_flag()));
}

#[test]
fn the_bluetooth_driver_violates_its_assertion_with_one_thread_waiting_and_not_with_none() {
    let driver = ThreadedProgram::of_source(BLUETOOTH);
    assert_eq!(violations(&driver, 0), Names::new());
    assert_eq!(violations(&driver, 1), assertion_in("BCSP_PnpAdd"));
    let found = searched(&driver).into_iter();
    let failed = found.filter(|found| matches!(found, Found::Assertion(_)));
    assert_eq!(names(failed.collect()), assertion_in("BCSP_PnpAdd"));
}

/// One round cannot come back to the request; two can.
#[test]
fn the_bluetooth_driver_violates_its_assertion_in_two_rounds() {
    let driver = ThreadedProgram::of_source(BLUETOOTH);
    let violations = |rounds| sequentially(&driver, Scheduling::Rounds, rounds, true);
    assert_eq!(violations(1), Names::new());
    assert_eq!(violations(2), assertion_in("BCSP_PnpAdd"));
}

#[test]
fn the_corrected_bluetooth_driver_does_neither() {
    let driver = ThreadedProgram::of_source(CORRECTED_BLUETOOTH);
    for max in 0..3 {
        assert_eq!(violations(&driver, max), Names::new());
        assert!(!races(&driver, max).contains(&race_on_stopping_flag()));
    }
    for rounds in 1..4 {
        assert_eq!(
            sequentially(&driver, Scheduling::Rounds, rounds, true),
            Names::new()
        );
    }
    let found = searched(&driver);
    assert!(
        !found
            .iter()
            .any(|found| matches!(found, Found::Assertion(_)))
    );
    assert!(!names(found).contains(&race_on_stopping_flag()));
}

/// KISS fig. 6.
#[test]
fn the_toastmon_driver_races_on_its_state_and_the_locked_one_does_not() {
    let driver = |name: &str| {
        let corpus = corpus();
        let mut entries = corpus.entries.iter();
        let entry = entries.find(|entry| entry.program.name == name);
        let files = sources(entry.expect("the corpus has it"));
        let text = std::fs::read_to_string(&files[0]).expect("it can be read");
        ThreadedProgram::of_source(&text)
    };
    let broken = driver("kiss/toastmon_driver");
    let race: Names = [pair("DispatchPnp", "DispatchPower")].into();
    for max in 0..3 {
        assert_eq!(races(&broken, max), race);
    }
    assert_eq!(names(searched(&broken)), race);
    let locked = driver("kiss/toastmon_driver_locked");
    assert_eq!(races(&locked, 2), Names::new());
    assert_eq!(
        sequentially(&locked, Scheduling::Rounds, 3, false),
        Names::new()
    );
    assert_eq!(searched(&locked), BTreeSet::new());
}

/// The only race is on the counter, between its own reading and changing.
#[test]
fn the_running_example_of_shacham_is_witnessed() {
    let program = ThreadedProgram::of_source(RUNNING_EXAMPLE);
    let worker: Names = [pair("worker", "worker")].into();
    assert_eq!(races(&program, 2), worker);
    assert_eq!(names(searched(&program)), worker);
    let locked = RUNNING_EXAMPLE.replace("(&deletion)", "(&key)");
    let locked = ThreadedProgram::of_source(&locked);
    assert_eq!(races(&locked, 2), Names::new());
    assert_eq!(searched(&locked), BTreeSet::new());
}

#[test]
fn test_and_set_is_never_witnessed() {
    let program = ThreadedProgram::of_source(TEST_AND_SET);
    assert_eq!(searched(&program), BTreeSet::new());
    for max in 0..3 {
        assert_eq!(races(&program, max), Names::new());
    }
    for rounds in 1..4 {
        assert_eq!(
            sequentially(&program, Scheduling::Rounds, rounds, false),
            Names::new()
        );
    }
    let broken = TEST_AND_SET.replace("if (old == 0)", "if (old >= 0)");
    let broken = ThreadedProgram::of_source(&broken);
    assert!(!searched(&broken).is_empty());
    assert!(!races(&broken, 2).is_empty());
}

#[test]
fn random_runs_of_test_and_set_come_to_nothing() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let runs = |text: &str, name: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("written");
        let files = [file];
        use racelens::sequential::Target::AnyRace;
        let stack = sequential_text(&files, AnyRace, 2, Points::WhereNoticed);
        let rounds = sequential_text_in_rounds(&files, AnyRace, 4);
        [stack, rounds].map(|text| match run_often(&text, folder.path(), 200) {
            Ok(found) => found.races.len(),
            Err(complaint) => panic!("{complaint}"),
        })
    };
    assert_eq!(runs(TEST_AND_SET, "right.c"), [0, 0]);
    let broken = TEST_AND_SET.replace("if (old == 0)", "if (old >= 0)");
    assert!(runs(&broken, "broken.c").iter().all(|found| *found > 0));
}
