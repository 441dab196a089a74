//! The seeds of the fuzzer, and some hundred inputs like them, do no harm. `fuzz/README.md` says how to go on for longer.

use racelens_tests::fuzzing::{TARGETS, Target, mutated};
use racelens_tests::random::{Random, cases};
use racelens_tests::side_by_side::side_by_side;
use std::path::Path;

/// Changed inputs for each target; `RACELENS_FUZZ_CASES` asks for another number.
const USUAL_CASES: u64 = 400;

fn fuzz_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz"))
}

/// Sorted, so that the same inputs come at every run.
fn seeds(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = fuzz_folder().join("seeds").join(target.seeds);
    let files =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.expect("a seed").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(path).expect("a seed"))
        })
        .collect();
    seeds.sort();
    seeds
}

/// The words of a dictionary, without what the fuzzer needs around them.
fn words(target: &Target) -> Vec<String> {
    let file = fuzz_folder()
        .join("dictionaries")
        .join(format!("{}.dict", target.seeds));
    let text = std::fs::read_to_string(file).expect("a dictionary");
    let lines = text.lines().map(|line| line.trim_matches('"'));
    lines
        .map(|word| word.replace("\\\"", "\"").replace("\\\\", "\\"))
        .collect()
}

fn check(name: &str) {
    let target = TARGETS
        .iter()
        .find(|target| target.name == name)
        .expect("a target");
    let (seeds, words) = (seeds(target), words(target));
    assert!(!seeds.is_empty() && !words.is_empty());
    let mut inputs: Vec<(String, Vec<u8>)> = seeds.clone();
    for case in 0..cases("RACELENS_FUZZ_CASES", USUAL_CASES) {
        let mut random = Random::new(case);
        let (seed, data) = &seeds[random.below(seeds.len())];
        inputs.push((
            format!("{seed}, change {case}"),
            mutated(data, &words, &mut random),
        ));
    }
    let found = side_by_side(&inputs, &|(input, data)| {
        let outcome = std::panic::catch_unwind(|| (target.run)(data));
        outcome
            .is_err()
            .then(|| format!("{input}:\n{}", String::from_utf8_lossy(data)))
    });
    let found: Vec<String> = found.into_iter().flatten().collect();
    assert!(
        found.is_empty(),
        "{} inputs fail:\n{}",
        found.len(),
        found[0]
    );
}

#[test]
fn text_becomes_a_representation() {
    check("front_end");
}

#[test]
fn text_is_checked() {
    check("summaries");
}

#[test]
fn edits_are_checked_as_if_afresh() {
    check("edits");
}

#[test]
fn interleavings_are_replayed() {
    check("kiss");
}

#[test]
fn messages_are_answered() {
    check("lsp_messages");
}

#[test]
fn files_of_a_project_are_read() {
    check("project_files");
}
