//! Random small programs: the search, and the sequential programs of KISS, find exactly what trying every interleaving
//! finds, as far as their bounds go.

use racelens_analysis::kiss::concurrent::turns::Turns;
use racelens_analysis::kiss::search::Bounds;
use racelens_analysis::kiss::sequential::{Found, Points, Scheduling};
use racelens_tests::random::cases;
use racelens_tests::side_by_side::side_by_side;
use racelens_tests::threaded_programs::{Sequential, ThreadedProgram, program};
use std::collections::BTreeSet;

/// More states are not worth the time.
const MOST_STATES: usize = 60_000;
/// As many threads as the programs start, so that `ts` is as good as unbounded.
const UNBOUNDED: u32 = 3;

/// `RACELENS_KISS_PROGRAMS=5000` asks for more, `RACELENS_FIRST_KISS_PROGRAM` for a start.
fn seeds(usual: u64) -> Vec<u64> {
    let first = cases("RACELENS_FIRST_KISS_PROGRAM", 1);
    (first..first + cases("RACELENS_KISS_PROGRAMS", usual)).collect()
}

/// What came of one program: a difference, or what it had.
struct Compared {
    is_complete: bool,
    races: usize,
    assertions: usize,
    /// Which of the bounded sequential programs found less than the unbounded one.
    found_less: [bool; 4],
    differences: Vec<String>,
}

/// Compares many programs, and fails with the smallest that differs.
fn compare(
    seeds: &[u64],
    one: &(dyn Fn(u64, &ThreadedProgram) -> Option<Compared> + Sync),
) -> Vec<Compared> {
    let work = |seed: &u64| one(*seed, &ThreadedProgram::new(&program(*seed)));
    let all: Vec<Compared> = side_by_side(seeds, &work).into_iter().flatten().collect();
    let mut differences: Vec<&String> = all.iter().flat_map(|one| &one.differences).collect();
    differences.sort_by_key(|text| text.len());
    assert!(
        differences.is_empty(),
        "{} of {} programs differ, such as\n{}",
        all.iter().filter(|one| !one.differences.is_empty()).count(),
        seeds.len(),
        differences[0]
    );
    let complete = all.iter().filter(|one| one.is_complete).count();
    eprintln!(
        "{complete} of {} programs compared in full, {} with races, {} with violated assertions; bounds that found less: {:?}",
        seeds.len(),
        all.iter().filter(|one| one.races > 0).count(),
        all.iter().filter(|one| one.assertions > 0).count(),
        [0, 1, 2, 3].map(|bound| all.iter().filter(|one| one.found_less[bound]).count()),
    );
    assert!(
        complete * 10 >= seeds.len() * 9,
        "only {complete} programs were small enough"
    );
    all
}

/// A difference between what should be found and what is.
fn difference(
    what: &str,
    seed: u64,
    expected: &BTreeSet<Found>,
    is: &BTreeSet<Found>,
) -> Option<String> {
    let missed: Vec<_> = expected.difference(is).collect();
    let invented: Vec<_> = is.difference(expected).collect();
    let differs = !missed.is_empty() || !invented.is_empty();
    differs.then(|| {
        format!(
            "{what}, seed {seed}: missed {missed:?}\ninvented {invented:?}\n{}",
            program(seed)
        )
    })
}

#[test]
fn the_search_finds_what_every_interleaving_finds() {
    let all = compare(&seeds(60), &|seed, threaded| {
        let (is_complete, expected) = threaded.everything(&Turns::Free, 200_000);
        if !is_complete {
            return None;
        }
        let bounds = Bounds {
            switches: 30,
            ..Bounds::default()
        };
        let mut differences = Vec::new();
        for points in [Points::WhereNoticed, Points::Everywhere] {
            let (is_complete, found) = threaded.searched(points, bounds);
            if !is_complete {
                differences.push(format!("seed {seed}: not every interleaving was tried"));
            }
            differences.extend(difference("search", seed, &expected, &found));
        }
        Some(compared(true, &expected, differences))
    });
    let with_races = all.iter().filter(|one| one.races > 0).count();
    assert!(
        with_races * 4 >= all.len(),
        "only {with_races} of {} programs race",
        all.len()
    );
}

fn compared(is_complete: bool, expected: &BTreeSet<Found>, differences: Vec<String>) -> Compared {
    let is_race = |found: &&Found| matches!(found, Found::Race(..));
    let races = expected.iter().filter(is_race).count();
    Compared {
        is_complete,
        races,
        assertions: expected.len() - races,
        found_less: [false; 4],
        differences,
    }
}

/// Races and assertions that the sequential program comes to, and whether all its choices were tried.
fn sequentially(
    threaded: &ThreadedProgram,
    scheduling: Scheduling,
    bound: u32,
    points: Points,
) -> (bool, BTreeSet<Found>) {
    let mut all = BTreeSet::new();
    let mut is_complete = true;
    for asserts in [false, true] {
        let (tried, found) = threaded.sequentially(Sequential {
            scheduling,
            bound,
            points,
            asserts,
            states: MOST_STATES,
        });
        is_complete &= tried.complete;
        all.extend(found);
    }
    (is_complete, all)
}

/// KISS, theorem 1: with unbounded `ts` the sequential program fails exactly where a balanced execution does.
#[test]
fn the_sequential_program_finds_what_balanced_executions_find() {
    compare(&seeds(12), &|seed, threaded| {
        let (is_complete, expected) = threaded.everything(&Turns::balanced(), 200_000);
        let (is_tried, found) =
            sequentially(threaded, Scheduling::Stack, UNBOUNDED, Points::WhereNoticed);
        if !is_complete || !is_tried {
            return Some(compared(false, &expected, Vec::new()));
        }
        let mut differences = Vec::new();
        differences.extend(difference("unbounded", seed, &expected, &found));
        let mut result = compared(true, &expected, Vec::new());
        for max in 0..2 {
            let (_, less) = sequentially(threaded, Scheduling::Stack, max, Points::WhereNoticed);
            result.found_less[max as usize] = less != found;
            let more: BTreeSet<Found> = less.difference(&found).copied().collect();
            differences.extend(difference(
                &format!("MAX = {max}"),
                seed,
                &BTreeSet::new(),
                &more,
            ));
        }
        result.differences = differences;
        Some(result)
    });
}

#[test]
fn the_sequential_program_finds_what_rounds_find() {
    compare(&seeds(8), &|seed, threaded| {
        let mut result = compared(true, &BTreeSet::new(), Vec::new());
        let (_, everything) = threaded.everything(&Turns::Free, 200_000);
        for rounds in 1..=3 {
            let (is_complete, expected) = threaded.everything(&Turns::rounds(rounds), 200_000);
            let (is_tried, found) =
                sequentially(threaded, Scheduling::Rounds, rounds, Points::WhereNoticed);
            if !is_complete || !is_tried {
                result.is_complete = false;
                continue;
            }
            let what = format!("{rounds} rounds");
            result
                .differences
                .extend(difference(&what, seed, &expected, &found));
            result.found_less[rounds as usize] = found != everything;
            result.races = result.races.max(expected.len());
        }
        Some(result)
    });
}

/// Scheduling points only where another thread can notice lose nothing.
#[test]
fn the_sequential_program_finds_the_same_with_points_everywhere() {
    compare(&seeds(4), &|seed, threaded| {
        let mut differences = Vec::new();
        let mut is_complete = true;
        let mut expected = BTreeSet::new();
        for (scheduling, bound) in [(Scheduling::Stack, UNBOUNDED), (Scheduling::Rounds, 2)] {
            let (is_tried, everywhere) =
                sequentially(threaded, scheduling, bound, Points::Everywhere);
            let (_, noticed) = sequentially(threaded, scheduling, bound, Points::WhereNoticed);
            is_complete &= is_tried;
            if is_tried {
                differences.extend(difference("noticed", seed, &everywhere, &noticed));
                expected.extend(everywhere);
            }
        }
        Some(compared(is_complete, &expected, differences))
    });
}
