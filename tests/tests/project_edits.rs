//! Whole projects are edited at random; what is said after each edit is what somebody says who reads the project anew.

use racelens_tests::corpus::corpus;
use racelens_tests::project_edits::{Beginnings, ProjectCopy, Run};
use racelens_tests::random::cases;
use racelens_tests::side_by_side::side_by_side;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often each project is edited; `RACELENS_PROJECT_EDITS` asks for another number.
const USUAL_EDITS: u64 = 60;

/// The programs of several files.
fn projects() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = corpus().entries.into_iter();
    let several = entries.filter(|entry| entry.program.files.len() > 1);
    let folders = several.map(|entry| entry.folder);
    folders.chain([tests.join("demo")]).collect()
}

#[test]
fn edited_projects_are_what_they_are_to_who_reads_them_anew() {
    let edits = cases("RACELENS_PROJECT_EDITS", USUAL_EDITS);
    let first = cases("RACELENS_PROJECT_SEED", 1);
    let numbered: Vec<(u64, PathBuf)> = (first..).zip(projects()).collect();
    let results = side_by_side(&numbered, &|(seed, project)| {
        let run = Run {
            seed: *seed,
            edits,
            from: 0,
            budget: Duration::MAX,
        };
        let copy = ProjectCopy::new(project, Beginnings::Started)?;
        run.run(&copy.state, &mut |_, _, _| ())
    });
    let mut compared = 0;
    for (result, (seed, project)) in results.into_iter().zip(&numbered) {
        let outcome = result.unwrap_or_else(|error| panic!("{}: {error}", project.display()));
        compared += outcome.compared.values().sum::<u64>();
        let found = outcome.disagreements.first().map(|found| {
            let (edit, kind, file) = (found.edit, found.kind, found.file.display());
            let project = project.display();
            format!(
                "{project}, seed {seed}, edit {edit}, {kind} ({file}): {}",
                found.difference
            )
        });
        assert_eq!(found, None);
    }
    // Otherwise nothing was compared.
    assert!(compared * 2 > edits * numbered.len() as u64, "{compared}");
}
