//! Asks the analysis for races, and turns its answers into reports.

mod access;
mod checked;
mod explanation;
mod expression;
mod held_locks;
mod no_race;
mod places;
mod race;
mod summary;
mod thread;

use crate::project::Note;
use crate::race_options::RaceOptions;
use crate::report::{Explanation, Report, Stats};
use crate::workspace::Workspace;
use checked::Checked;
use explanation::AskedPlace;
use std::path::Path;
use std::time::Instant;

/// All races of the program, whatever their rank.
pub fn find_races(workspace: &Workspace, options: &RaceOptions) -> Report {
    let started = Instant::now();
    let analysis = workspace.analysis();
    let checked = Checked::new(workspace, &analysis, options);
    let races = checked.program().races.iter();
    let races = races
        .filter_map(|race| race::report(&checked, race))
        .collect();
    let time = workspace.preprocess_time + workspace.front_end_time + started.elapsed();
    Report {
        races,
        notes: missing_entries(&checked, options),
        stats: Stats {
            units: workspace.units,
            functions: analysis.functions().len(),
            threads: thread::count(checked.program()),
            shared_locations: checked.program().shared_locations,
            accesses: checked.access_count(),
            seconds: time.as_secs_f64(),
        },
    }
}

/// What is known about a line, or about one column of it.
pub fn explain(workspace: &Workspace, file: &Path, line: u32, column: Option<u32>) -> Explanation {
    let analysis = workspace.analysis();
    let options = RaceOptions::new(workspace, None);
    let checked = Checked::new(workspace, &analysis, &options);
    let asked = AskedPlace { file, line, column };
    explanation::explain(&checked, &workspace.models, asked)
}

/// Entries that the project names and that are no functions of the program.
fn missing_entries(checked: &Checked<'_>, options: &RaceOptions) -> Vec<Note> {
    let functions = &checked.program().functions;
    let named = options.named_entries.iter();
    let missing = named.filter(|name| {
        let mut bodies = functions.ids().map(|function| functions.body(function));
        !bodies.any(|body| body.function.name.as_str() == name.as_str())
    });
    missing
        .map(|name| {
            Note::warning(format!(
                "`{name}`, which `threads.entries` in racelens.toml names, is no function of the files that were analysed"
            ))
            .with_help("correct its name, or analyse the file that it is in")
        })
        .collect()
}
