//! Sequential programs reach the races of the programs that they were made of, and nothing else.

use racelens::sequential::Target;
use racelens_analysis::kiss::sequential::Points;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::fixture::LinePair;
use racelens_tests::printed_programs::{compile, sources};
use racelens_tests::racy_programs::{plan, source};
use racelens_tests::random::cases;
use racelens_tests::sequential_programs::{
    Runs, run_often, run_until, sequential_text, sequential_text_in_rounds,
};
use racelens_tests::side_by_side::side_by_side;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// How often each program runs, unless it finds a race earlier; `RACELENS_SEQUENTIAL_RUNS` asks for more.
const USUAL_RUNS: u64 = 24;

/// So many of a hundred racy fixtures must come to a race in the usual number of runs.
const LEAST_REACHED_PERCENT: usize = 60;

fn usual_runs() -> usize {
    cases("RACELENS_SEQUENTIAL_RUNS", USUAL_RUNS) as usize
}

/// Of one fixture in so many the program with rounds is made as well; `RACELENS_SEQUENTIAL_RUNS` asks for all.
const ONE_IN: usize = 8;

/// How many rounds the programs with rounds have.
const ROUNDS: u32 = 4;

/// What came out for one fixture.
enum Outcome {
    Wrong(String),
    Safe,
    /// It came to a race, with threads scheduled in this way.
    Reached(&'static str),
    NotReached(String),
}

fn outcome((index, entry): &(usize, &CorpusEntry)) -> Outcome {
    let all = std::env::var_os("RACELENS_SEQUENTIAL_RUNS").is_some();
    let files = sources(entry);
    let on_a_stack = |target| sequential_text(&files, target, 2, Points::WhereNoticed);
    let mut ways = vec![("on a stack", on_a_stack(Target::AnyRace))];
    if all || index % ONE_IN == 0 {
        let text = sequential_text_in_rounds(&files, Target::AnyRace, ROUNDS);
        ways.push(("in rounds", text));
    }
    let mut reached = None;
    for (way, text) in ways {
        match comes_to_a_race(entry, &text) {
            Ok(true) => reached = reached.or(Some(way)),
            Ok(false) => {}
            Err(message) => {
                return Outcome::Wrong(format!("{} {way}: {message}", entry.program.name));
            }
        }
    }
    let is_racy = entry.program.racing_pairs().next().is_some();
    match reached {
        _ if !is_racy || !can_run(entry) => Outcome::Safe,
        Some(way) => Outcome::Reached(way),
        None => Outcome::NotReached(entry.program.name.clone()),
    }
}

fn can_run(entry: &CorpusEntry) -> bool {
    entry.program.has_main() && entry.program.not_runnable.is_none()
}

/// Compiles the sequential program of a fixture, and runs it if it can be run. Whatever it comes to must be stated.
fn comes_to_a_race(entry: &CorpusEntry, text: &str) -> Result<bool, String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    if !can_run(entry) {
        compile(text, folder.path(), "sequential", &["-c"])?;
        return Ok(false);
    }
    let is_enough = |runs: &Runs| !runs.races.is_empty();
    let found = run_until(text, folder.path(), usual_runs(), &is_enough)?;
    for pair in found.races.keys() {
        let stated = entry.program.pairs.get(pair);
        if !stated.is_some_and(|stated| stated.verdict.is_a_race()) {
            return Err(format!("{pair} do not race"));
        }
    }
    Ok(!found.races.is_empty())
}

#[test]
fn fixtures_reach_their_races_and_nothing_else() {
    let (mut wrong, mut not_reached, mut safe) = (Vec::new(), Vec::new(), 0);
    let mut ways: BTreeMap<&str, usize> = BTreeMap::new();
    let corpus = corpus();
    let entries: Vec<(usize, &CorpusEntry)> = corpus.entries.iter().enumerate().collect();
    for outcome in side_by_side(&entries, &outcome) {
        match outcome {
            Outcome::Wrong(message) => wrong.push(message),
            Outcome::Safe => safe += 1,
            Outcome::Reached(way) => *ways.entry(way).or_default() += 1,
            Outcome::NotReached(name) => not_reached.push(name),
        }
    }
    let reached: usize = ways.values().sum();
    let racy = reached + not_reached.len();
    eprintln!(
        "{reached} of {racy} racy fixtures come to a race in {} runs, {ways:?}; {safe} others never do\n{}",
        usual_runs(),
        not_reached.join("\n")
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        reached * 100 >= racy * LEAST_REACHED_PERCENT,
        "only {reached} of {racy}:\n{}",
        not_reached.join("\n")
    );
}

/// KISS fig. 2.
const BLUETOOTH: &str = include_str!("../kiss/bluetooth_driver.c");

fn bluetooth(text: &str, target: Target, max: u32) -> Runs {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("bluetooth.c");
    std::fs::write(&file, text).expect("written");
    let target = match target {
        Target::Line(_, line) => Target::Line(file.clone(), line),
        target => target,
    };
    let text = sequential_text(&[file], target, max, Points::WhereNoticed);
    match run_often(&text, folder.path(), 200) {
        Ok(runs) => runs,
        Err(complaint) => panic!("{complaint}"),
    }
}

fn line_of(text: &str, wanted: &str) -> u32 {
    let at = text.lines().position(|line| line.contains(wanted));
    at.map_or_else(|| panic!("no line has {wanted}"), |line| line as u32 + 1)
}

#[test]
fn the_bluetooth_driver_races_with_no_thread_waiting() {
    let line = line_of(BLUETOOTH, "if (e->stoppingFlag)");
    let target = Target::Line(PathBuf::new(), line);
    let found = bluetooth(BLUETOOTH, target, 0);
    assert!(!found.races.is_empty(), "{found:?}");
    assert!(
        found
            .races
            .keys()
            .flat_map(LinePair::places)
            .any(|place| place.line == line),
        "{found:?}"
    );
}

#[test]
fn the_bluetooth_driver_violates_its_assertion_with_one_thread_waiting_and_not_with_none() {
    assert_eq!(
        bluetooth(BLUETOOTH, Target::Assertions, 0).violated_assertions,
        0
    );
    assert!(bluetooth(BLUETOOTH, Target::Assertions, 1).violated_assertions > 0);
}

/// The driver that first counts its request and then looks at the flag.
#[test]
fn the_corrected_bluetooth_driver_does_neither() {
    let corrected = include_str!("../kiss/bluetooth_driver_corrected.c");
    for max in 0..3 {
        assert_eq!(
            bluetooth(corrected, Target::Assertions, max).violated_assertions,
            0
        );
        let line = line_of(corrected, "bool stopping = e->stoppingFlag;");
        let target = Target::Line(PathBuf::new(), line);
        assert!(bluetooth(corrected, target, max).races.is_empty());
    }
}

/// Switching threads where nobody notices finds nothing new.
#[test]
fn points_where_nobody_notices_can_be_left_out() {
    let wanted = ["global/two_locks", "global/struct_replaced_unlocked"];
    let corpus = corpus();
    let entries: Vec<&CorpusEntry> = corpus
        .entries
        .iter()
        .filter(|entry| wanted.contains(&entry.program.name.as_str()))
        .collect();
    assert_eq!(entries.len(), wanted.len());
    for entry in entries {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let pairs = |points| {
            let text = sequential_text(&sources(entry), Target::AnyRace, 2, points);
            match run_often(&text, folder.path(), 300) {
                Ok(found) => found.races.into_keys().collect::<Vec<_>>(),
                Err(complaint) => panic!("{}: {complaint}", entry.program.name),
            }
        };
        let (noticed, everywhere) = (pairs(Points::WhereNoticed), pairs(Points::Everywhere));
        assert_eq!(noticed, everywhere, "{}", entry.program.name);
    }
}

/// Random programs that are safe by construction never come to a race; some of the others do.
#[test]
fn random_programs_that_are_safe_reach_nothing() {
    let seeds: Vec<u64> = (0..cases("RACELENS_SEQUENTIAL_PROGRAMS", 16)).collect();
    let results = side_by_side(&seeds, &|seed| {
        let plan = plan(*seed);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("program.c");
        std::fs::write(&file, source(&plan)).expect("written");
        let text = sequential_text(&[file], Target::AnyRace, 3, Points::WhereNoticed);
        match run_often(&text, folder.path(), usual_runs()) {
            Ok(found) => (plan.is_disciplined, found),
            Err(complaint) => panic!("program {seed}: {complaint}"),
        }
    });
    let wrong: Vec<_> = results
        .iter()
        .zip(&seeds)
        .filter(|((is_safe, found), _)| *is_safe && !found.races.is_empty())
        .map(|((_, found), seed)| (seed, &found.races))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(results.iter().any(|(_, found)| !found.races.is_empty()));
}

/// What another checker would make of the program: the status after all choices were tried.
fn status_of_all_choices(program: &str) -> Option<i32> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("program.c");
    std::fs::write(&file, program).expect("written");
    let text = sequential_text(&[file], Target::AnyRace, 2, Points::WhereNoticed);
    let sequential = folder.path().join("sequential.c");
    std::fs::write(&sequential, text).expect("written");
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/kiss/all_choices.c");
    let executable = folder.path().join("checker");
    let compiled = Command::new("gcc")
        .args(["-w", "-DDEPTH=14", "-DRACELENS_CHOOSE=driver_choose"])
        .args([
            "-DRACELENS_ASSUME=driver_assume",
            "-DRACELENS_FAIL=driver_fail",
        ])
        .arg(&sequential)
        .arg(driver)
        .arg("-o")
        .arg(&executable)
        .status();
    assert!(compiled.is_ok_and(|status| status.success()));
    let status = Command::new(&executable).status().expect("it runs");
    status.code()
}

#[test]
fn another_checker_can_make_the_choices() {
    let program = |lock: &str, unlock: &str| {
        format!(
            "#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *thread(void *argument) {{ pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return argument; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, thread, 0); {lock} x = 2; {unlock} return 0; }}
"
        )
    };
    let safe = program("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);");
    assert_eq!(status_of_all_choices(&safe), Some(0));
    assert_eq!(status_of_all_choices(&program("", "")), Some(70));
}
