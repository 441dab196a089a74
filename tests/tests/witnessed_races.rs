//! Every race of the corpus of which the search finds an interleaving is also come to by the sequential program, run with
//! its choices made at random.

use racelens::sequential::Target;
use racelens_analysis::kiss::sequential::Points;
use racelens_tests::analysis::Checked;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::fixture::{LinePair, Place};
use racelens_tests::printed_programs::sources;
use racelens_tests::random::cases;
use racelens_tests::sequential_programs::{
    Runs, run_until, sequential_text, sequential_text_in_rounds,
};
use racelens_tests::side_by_side::side_by_side;
use racelens_tests::witnesses::{search, witnessed_pairs};
use std::collections::{BTreeMap, BTreeSet};

/// Of one fixture in so many, unless `RACELENS_WITNESSED_RACES=1` asks for all.
const ONE_IN: u64 = 16;

/// How often each program runs, unless it has come to all races earlier.
const RUNS: usize = 600;

/// The most threads that wait, where threads are scheduled on a stack.
const MAX: u32 = 2;

/// How many rounds the programs with rounds have.
const ROUNDS: u32 = 4;

/// Races that random choices do not come to in so many runs, and why.
const NOT_REACHED: &[(&str, &str)] = &[];

/// What came out for one fixture.
struct Row {
    name: String,
    witnessed: usize,
    /// How many races were come to, by how threads were scheduled.
    reached: BTreeMap<&'static str, usize>,
    missed: BTreeSet<LinePair>,
}

fn row(entry: &&CorpusEntry) -> Row {
    let checked = Checked::of_fixture(entry);
    let witnessed = witnessed_pairs(&checked, &search(entry, &checked));
    let mut row = Row {
        name: entry.program.name.clone(),
        witnessed: witnessed.len(),
        reached: BTreeMap::new(),
        missed: witnessed,
    };
    let files = sources(entry);
    let on_a_stack = |target| sequential_text(&files, target, MAX, Points::WhereNoticed);
    let in_rounds = |target| sequential_text_in_rounds(&files, target, ROUNDS);
    row.run("on a stack", &|| on_a_stack(Target::AnyRace));
    row.run("in rounds", &|| in_rounds(Target::AnyRace));
    // A program that is only asked about one line has fewer places to look at.
    let lines: BTreeSet<Place> = row
        .missed
        .iter()
        .flat_map(LinePair::places)
        .cloned()
        .collect();
    for line in lines {
        let target = || Target::Line(entry.folder.join(&line.file), line.line);
        row.run("asked about a line", &|| on_a_stack(target()));
        row.run("asked about a line, in rounds", &|| in_rounds(target()));
    }
    row
}

impl Row {
    /// Runs a program until it has come to all races that are missed.
    fn run(&mut self, way: &'static str, text: &dyn Fn() -> String) {
        if self.missed.is_empty() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        let missed = &self.missed;
        let is_enough = |runs: &Runs| missed.iter().all(|pair| runs.races.contains_key(pair));
        let found = run_until(&text(), folder.path(), RUNS, &is_enough);
        let found = found.unwrap_or_else(|error| panic!("{} {way}: {error}", self.name));
        let before = self.missed.len();
        self.missed.retain(|pair| !found.races.contains_key(pair));
        *self.reached.entry(way).or_default() += before - self.missed.len();
    }
}

#[test]
fn random_choices_come_to_each_witnessed_race() {
    let corpus = corpus();
    let one_in = cases("RACELENS_WITNESSED_RACES", ONE_IN) as usize;
    let only = std::env::var("RACELENS_FIXTURE").unwrap_or_default();
    let entries: Vec<&CorpusEntry> = corpus
        .entries
        .iter()
        .filter(|entry| entry.program.has_main() && entry.program.name.contains(&only))
        .step_by(one_in)
        .collect();
    let rows = side_by_side(&entries, &row);
    let witnessed: usize = rows.iter().map(|row| row.witnessed).sum();
    let mut reached: BTreeMap<&str, usize> = BTreeMap::new();
    for (way, count) in rows.iter().flat_map(|row| &row.reached) {
        *reached.entry(way).or_default() += count;
    }
    let known: BTreeMap<&str, &str> = NOT_REACHED.iter().copied().collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let is_known = known.contains_key(row.name.as_str());
        if !is_known && !row.missed.is_empty() {
            let missed: Vec<String> = row.missed.iter().map(ToString::to_string).collect();
            wrong.push(format!("{}: {}", row.name, missed.join(", ")));
        }
        if is_known && row.missed.is_empty() {
            wrong.push(format!("{}: reached by now", row.name));
        }
    }
    eprintln!(
        "{} fixtures with {witnessed} witnessed races, come to: {reached:?}",
        rows.len()
    );
    assert!(witnessed > 0, "nothing was witnessed");
    assert!(wrong.is_empty(), "not come to:\n{}", wrong.join("\n"));
}
