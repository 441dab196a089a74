//! What a check has cost, and of what there was the most.

use super::Check;
use super::checked::Checked;
use super::stage_clock::StageClock;
use crate::process_memory::ProcessMemory;
use crate::report::{
    FunctionSize, LocationSize, ProgramSize, ReportCounts, StageName, StageTime, Statistics,
};
use crate::workspace::Workspace;
use racelens_analysis::callgraph::FunctionId;
use std::cmp::Reverse;

impl Check {
    /// What reading, checking and reporting the program cost, where `clock` has run during the check; with the `most`
    /// largest functions and locations.
    pub fn statistics(&self, workspace: &Workspace, clock: StageClock, most: usize) -> Statistics {
        clock.begin_stage(StageName::Reporting);
        let report = self.report(workspace);
        let mut stages = reading_stages(workspace);
        stages.extend(clock.finish());
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let program = checked.program();
        let largest_functions = largest_functions(&checked, most);
        let largest_locations = program.largest_locations(most).into_iter();
        Statistics {
            stages,
            memory: ProcessMemory::read(),
            cache: workspace
                .project
                .as_ref()
                .and_then(|project| project.preprocessor.kept_counters()),
            program: ProgramSize {
                units: workspace.units,
                lines: workspace.lines,
                bytes: workspace.bytes,
                functions: program.functions.with_names().count(),
                statements: program
                    .functions
                    .ids()
                    .map(|function| program.functions.body(function).statements().count())
                    .sum(),
                accesses: report.stats.accesses,
                threads: report.stats.threads,
                contexts: program
                    .functions
                    .ids()
                    .map(|function| program.contexts.of(function).count())
                    .sum(),
                shared_locations: report.stats.shared_locations,
            },
            reports: ReportCounts {
                races: report.races.len(),
                suppressed: report.suppressed.len() + report.suppressed_violations,
                violations: report.violations.len(),
            },
            largest_functions,
            largest_locations: largest_locations
                .map(|location| LocationSize {
                    name: location.name,
                    accesses: location.accesses,
                    functions: location.functions,
                    racing_pairs: location.pairs,
                })
                .collect(),
            notes: report.notes,
        }
    }
}

/// What happened before the check.
fn reading_stages(workspace: &Workspace) -> Vec<StageTime> {
    let splitting = workspace.splitting_time;
    let lowering = workspace.front_end_time.saturating_sub(splitting);
    [
        (StageName::Preprocessing, workspace.preprocess_time),
        (StageName::Splitting, splitting),
        (StageName::Lowering, lowering),
    ]
    .map(|(stage, time)| StageTime { stage, time })
    .to_vec()
}

fn largest_functions(checked: &Checked<'_>, most: usize) -> Vec<FunctionSize> {
    let program = checked.program();
    let entries = |function: FunctionId| program.summaries.get(function).entries();
    let statements = |function| program.functions.body(function).statements().count();
    let mut functions: Vec<FunctionId> = program.functions.with_names().collect();
    functions.sort_by_cached_key(|&function| {
        (Reverse((entries(function), statements(function))), function)
    });
    functions.truncate(most);
    let sizes = functions.into_iter().map(|function| FunctionSize {
        name: checked.function_name(function),
        place: checked.places.function_place(checked.entity(function)),
        summary_entries: entries(function),
        statements: statements(function),
        accesses: program.facts[function.0 as usize].accesses.len(),
        contexts: program.contexts.of(function).count(),
    });
    sizes.collect()
}
