//! Every line that the corpus speaks about is an access, a call or a lock operation of the
//! representation, and leads back to that very line.

use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use racelens_analysis::ir::Statement;
use racelens_tests::corpus::{CorpusEntry, corpus};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_stated_line_is_found_in_the_representation() {
    let mut missing = Vec::new();
    for entry in corpus().entries {
        let lines = lines_that_touch_memory(&entry);
        let stated: BTreeSet<_> = entry
            .program
            .pairs
            .keys()
            .flat_map(|pair| pair.places())
            .collect();
        for place in stated {
            let name = Path::new(&place.file)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if !lines.contains(&(name, place.line)) {
                missing.push(format!(
                    "{}: {}",
                    entry.program.name,
                    entry.program.describe(place)
                ));
            }
        }
    }
    assert!(missing.is_empty(), "no access at\n{}", missing.join("\n"));
}

#[test]
fn every_function_of_the_corpus_is_understood() {
    let mut notes = Vec::new();
    for entry in corpus().entries {
        let workspace = workspace_of(&entry);
        notes.extend(
            workspace
                .syntax_notes()
                .iter()
                .map(|note| note.to_note().to_string()),
        );
    }
    assert!(notes.is_empty(), "{}", notes.join("\n"));
}

fn workspace_of(entry: &CorpusEntry) -> Workspace {
    let sources = entry
        .program
        .files
        .iter()
        .filter(|file| file.path.ends_with(".c"));
    let options = LoadOptions {
        paths: sources.map(|file| entry.folder.join(&file.path)).collect(),
        ..LoadOptions::default()
    };
    Workspace::load(&options, Some(1)).expect("the program is read")
}

/// File names and lines with an access that another thread could see, or with a call, which may
/// read or write through its arguments.
fn lines_that_touch_memory(entry: &CorpusEntry) -> BTreeSet<(String, u32)> {
    let workspace = workspace_of(entry);
    let analysis = workspace.analysis();
    let mut lines = BTreeSet::new();
    for function in analysis.functions() {
        let Some(lowered) = &analysis.lowered(function).body else {
            continue;
        };
        let Some(locations) = workspace.locations(&analysis, function) else {
            continue;
        };
        for (id, statement) in lowered.body.statements() {
            let touches = match statement {
                Statement::Call { .. } => true,
                // A local variable may be shared by its address.
                other => other.access().is_some(),
            };
            if touches && let Some(location) = locations.location(lowered.source_map.statement(id))
            {
                let name = Path::new(location.file.as_str())
                    .file_name()
                    .unwrap_or_default();
                lines.extend(
                    (location.line..=location.end_line)
                        .map(|line| (name.to_string_lossy().into_owned(), line)),
                );
            }
        }
    }
    lines
}
