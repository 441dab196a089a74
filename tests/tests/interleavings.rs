//! Random small programs: the search, and the sequential programs of KISS, find exactly what trying every interleaving
//! finds, as far as their bounds go.

use racelens_analysis::kiss::concurrent::turns::Turns;
use racelens_analysis::kiss::search::Bounds;
use racelens_analysis::kiss::sequential::{Found, Points, Scheduling};
use racelens_tests::random::cases;
use racelens_tests::side_by_side::side_by_side;
use racelens_tests::threaded_programs::{Sequential, Size, ThreadedProgram, program};
use std::collections::{BTreeMap, BTreeSet};

/// More states of the sequential program are not worth the time.
const MOST_STATES: usize = 40_000;
/// More states of the concurrent one are not either.
const MOST_CONCURRENT_STATES: usize = 200_000;
/// As many threads as the programs start, so that `ts` is as good as unbounded.
const UNBOUNDED: u32 = 3;

/// What came of one program.
#[derive(Default)]
struct Compared {
    /// Something was too large to be tried in full.
    is_cut: bool,
    /// What can happen in it.
    expected: BTreeSet<Found>,
    /// The bounds that were too small to find all of that.
    too_small: Vec<String>,
    differences: Vec<String>,
}

impl Compared {
    fn expect(&mut self, what: &str, expected: &BTreeSet<Found>, is: &BTreeSet<Found>) {
        let missed: Vec<_> = expected.difference(is).collect();
        let invented: Vec<_> = is.difference(expected).collect();
        if !missed.is_empty() || !invented.is_empty() {
            let message = format!("{what}: missed {missed:?}\ninvented {invented:?}");
            self.differences.push(message);
        }
    }
}

/// Compares many programs, fails with the shortest that differs, and prints what they were like.
/// `RACELENS_KISS_PROGRAMS=5000` asks for more of them, `RACELENS_FIRST_KISS_PROGRAM` for a start.
fn compare(usual: u64, size: Size, one: &(dyn Fn(&ThreadedProgram) -> Compared + Sync)) {
    let first = cases("RACELENS_FIRST_KISS_PROGRAM", 1);
    let seeds: Vec<u64> = (first..first + cases("RACELENS_KISS_PROGRAMS", usual)).collect();
    let all = side_by_side(&seeds, &|seed| {
        one(&ThreadedProgram::new(&program(*seed, size)))
    });
    let mut different = Vec::new();
    for (seed, compared) in seeds.iter().zip(&all) {
        if !compared.differences.is_empty() {
            let text = program(*seed, size);
            different.push(format!(
                "seed {seed}, {}\n{text}",
                compared.differences.join("\n")
            ));
        }
    }
    different.sort_by_key(String::len);
    assert!(
        different.is_empty(),
        "{} programs differ, such as {}",
        different.len(),
        different[0]
    );
    let is_race = |found: &Found| matches!(found, Found::Race(..));
    let in_full = all.iter().filter(|one| !one.is_cut).count();
    let racy = all
        .iter()
        .filter(|one| one.expected.iter().any(is_race))
        .count();
    let failing = all
        .iter()
        .filter(|one| !one.expected.iter().all(is_race))
        .count();
    let mut too_small: BTreeMap<&str, usize> = BTreeMap::new();
    for bound in all.iter().flat_map(|one| &one.too_small) {
        *too_small.entry(bound).or_default() += 1;
    }
    eprintln!(
        "{in_full} of {} programs compared in full; {racy} race, {failing} violate an assertion; too small: {too_small:?}",
        all.len()
    );
    assert!(
        in_full * 10 >= all.len() * 8,
        "only {in_full} programs were small enough"
    );
    assert!(racy * 10 >= all.len(), "only {racy} programs race");
}

#[test]
fn the_search_finds_what_every_interleaving_finds() {
    compare(60, Size::Usual, &|threaded| {
        let mut compared = Compared::default();
        let (is_complete, expected) = threaded.everything(&Turns::Free, MOST_CONCURRENT_STATES);
        compared.is_cut = !is_complete;
        if !is_complete {
            return compared;
        }
        let bounds = Bounds {
            switches: 30,
            ..Bounds::default()
        };
        for points in [Points::WhereNoticed, Points::Everywhere] {
            let (is_complete, found) = threaded.searched(points, bounds);
            if is_complete {
                compared.expect("search", &expected, &found);
                continue;
            }
            // It counts a state each time that it comes there, and so may have enough of them earlier.
            compared.is_cut = true;
            let invented = found.difference(&expected).copied().collect();
            compared.expect("search that was cut", &BTreeSet::new(), &invented);
        }
        compared.expected = expected;
        compared
    });
}

/// Races and violated assertions that the sequential program comes to, unless it is too large.
fn sequentially(
    threaded: &ThreadedProgram,
    scheduling: Scheduling,
    bound: u32,
    points: Points,
) -> Option<BTreeSet<Found>> {
    let mut all = BTreeSet::new();
    for asserts in [false, true] {
        if asserts && !threaded.has_assertions {
            continue;
        }
        let (tried, found) = threaded.sequentially(Sequential {
            scheduling,
            bound,
            points,
            asserts,
            states: MOST_STATES,
        });
        all.extend(found);
        if !tried.complete {
            return None;
        }
    }
    Some(all)
}

/// KISS, theorem 1: with unbounded `ts` the sequential program fails exactly where a balanced execution does.
#[test]
fn the_sequential_program_finds_what_balanced_executions_find() {
    compare(10, Size::Small, &|threaded| {
        let mut compared = Compared::default();
        let (is_complete, expected) =
            threaded.everything(&Turns::balanced(), MOST_CONCURRENT_STATES);
        let on_a_stack = |max| sequentially(threaded, Scheduling::Stack, max, Points::WhereNoticed);
        match on_a_stack(UNBOUNDED).filter(|_| is_complete) {
            Some(found) => compared.expect("unbounded", &expected, &found),
            None => compared.is_cut = true,
        }
        for max in 0..2 {
            let Some(less) = on_a_stack(max) else {
                compared.is_cut = true;
                continue;
            };
            let what = format!("MAX = {max}");
            let invented: BTreeSet<Found> = less.difference(&expected).copied().collect();
            compared.expect(&what, &BTreeSet::new(), &invented);
            if less.len() < expected.len() {
                compared.too_small.push(what);
            }
        }
        let (_, everything) = threaded.everything(&Turns::Free, MOST_CONCURRENT_STATES);
        if expected.len() < everything.len() {
            compared.too_small.push("balanced executions".to_owned());
        }
        compared.expected = everything;
        compared
    });
}

/// Whatever can happen in so many rounds the sequential program with as many finds, and nothing else.
#[test]
fn the_sequential_program_finds_what_rounds_find() {
    compare(8, Size::Small, &|threaded| {
        let mut compared = Compared::default();
        (_, compared.expected) = threaded.everything(&Turns::Free, MOST_CONCURRENT_STATES);
        for rounds in 1..=3 {
            let turns = Turns::rounds(rounds);
            let (is_complete, expected) = threaded.everything(&turns, MOST_CONCURRENT_STATES);
            let found = sequentially(threaded, Scheduling::Rounds, rounds, Points::WhereNoticed);
            let what = format!("{rounds} rounds");
            match found.filter(|_| is_complete) {
                Some(found) => compared.expect(&what, &expected, &found),
                None => compared.is_cut = true,
            }
            if expected.len() < compared.expected.len() {
                compared.too_small.push(what);
            }
        }
        compared
    });
}

/// Switching threads only where another one can notice loses nothing.
#[test]
fn the_sequential_program_finds_the_same_with_points_everywhere() {
    compare(16, Size::Tiny, &|threaded| {
        let mut compared = Compared::default();
        for (scheduling, bound) in [(Scheduling::Stack, UNBOUNDED), (Scheduling::Rounds, 2)] {
            let find = |points| sequentially(threaded, scheduling, bound, points);
            match (find(Points::Everywhere), find(Points::WhereNoticed)) {
                (Some(everywhere), Some(noticed)) => {
                    compared.expect("where noticed", &everywhere, &noticed);
                    compared.expected.extend(everywhere);
                }
                _ => compared.is_cut = true,
            }
        }
        compared
    });
}
