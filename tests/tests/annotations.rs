//! Fixtures say which lines break what their declarations promise about locks: `// violates: guarded_by` stands above
//! each of them.

use racelens_tests::analysis::Checked;
use racelens_tests::corpus::{CorpusEntry, corpus};
use std::collections::BTreeSet;

/// File, line and attribute.
type Violations = BTreeSet<(String, u32, String)>;

fn stated(entry: &CorpusEntry) -> Violations {
    let mut stated = Violations::new();
    for file in &entry.program.files {
        let text = std::fs::read_to_string(entry.folder.join(&file.path)).unwrap();
        for (index, line) in text.lines().enumerate() {
            if let Some(code) = line.trim().strip_prefix("// violates: ") {
                stated.insert((file.path.clone(), index as u32 + 2, code.to_owned()));
            }
        }
    }
    stated
}

#[test]
fn every_violated_annotation_is_reported_and_nothing_else() {
    let wrong: Vec<String> = corpus()
        .entries
        .iter()
        .filter_map(|entry| {
            let (stated, found) = (stated(entry), Checked::of_fixture(entry).violations());
            let name = &entry.program.name;
            (stated != found).then(|| format!("{name}: stated {stated:?}, reported {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corpus_states_violations() {
    let corpus = corpus();
    let stated = corpus.entries.iter().map(|entry| stated(entry).len());
    assert!(stated.sum::<usize>() >= 4);
}
