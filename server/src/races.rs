//! Asks the analysis for races, and turns its answers into reports.

use crate::race_options::RaceOptions;
use crate::report::{Explanation, Report, Stats};
use crate::workspace::Workspace;
use std::path::Path;

pub fn find_races(workspace: &Workspace, _options: &RaceOptions) -> Report {
    Report {
        stats: Stats {
            units: workspace.units,
            functions: workspace.analysis().functions().len(),
            seconds: (workspace.preprocess_time + workspace.front_end_time).as_secs_f64(),
            ..Stats::default()
        },
        ..Report::default()
    }
}

/// What is known about a line, or about one column of it.
pub fn explain(
    _workspace: &Workspace,
    _file: &Path,
    _line: u32,
    _column: Option<u32>,
) -> Explanation {
    Explanation::default()
}
