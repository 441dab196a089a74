//! The analysis agrees with what the corpus states about races and about locks.

use racelens_tests::analysis::Checked;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::matching::compare_locks;
use racelens_tests::verdicts::judge;

/// The corpus, all of it: a fixture that does not parse would be judged by nobody.
fn fixtures() -> Vec<CorpusEntry> {
    let corpus = corpus();
    assert!(corpus.errors.is_empty(), "{}", corpus.errors.join("\n"));
    corpus.entries
}

#[test]
fn every_race_is_reported_and_nothing_else() {
    let judgement = judge(&fixtures(), |entry| Checked::of_fixture(entry).races());
    let counts = judgement.counts;
    assert!(
        judgement.failures.is_empty(),
        "{} found, {} missed, {} spurious\n{}",
        counts.true_positives,
        counts.missed,
        counts.spurious,
        judgement.failures.join("\n")
    );
}

#[test]
fn the_locks_held_at_every_stated_line_are_known() {
    let wrong: Vec<String> = fixtures()
        .iter()
        // One after the other: each is analysed by all cores, and nesting them takes much stack.
        .flat_map(|entry| {
            let accesses = Checked::of_fixture(entry).accesses();
            let name = entry.program.name.clone();
            compare_locks(&entry.program, &accesses)
                .into_iter()
                .map(move |mismatch| format!("{name}: {mismatch}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
