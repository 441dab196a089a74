//! What a check has cost, for programs. `server/docs/stats.schema.json` describes every field.

use super::super::{FunctionSize, LocationSize, PathBase, Statistics};
use super::{NoteView, PlaceView, VERSION, note_view, optional_place};
use serde::Serialize;

/// The statistics as one JSON object. Files below `base` are named relative to it.
pub fn statistics(statistics: &Statistics, base: &PathBase) -> String {
    let (program, reports) = (&statistics.program, &statistics.reports);
    let stages = statistics.stages.iter();
    let functions = statistics.largest_functions.iter();
    let locations = statistics.largest_locations.iter();
    let notes = statistics.notes.iter();
    let view = StatisticsView {
        version: VERSION,
        seconds: statistics.time().as_secs_f64(),
        stages: stages
            .map(|stage| StageView {
                stage: stage.stage.word(),
                seconds: stage.time.as_secs_f64(),
                share: statistics.share(stage),
            })
            .collect(),
        memory: MemoryView {
            peak_bytes: statistics.memory.peak,
            resident_bytes: statistics.memory.now,
            bytes_per_function: statistics.bytes_per_function(),
        },
        cache: statistics.cache.map(|cache| CacheView {
            units_found: cache.found,
            units_preprocessed: cache.missed,
        }),
        program: ProgramView {
            units: program.units,
            lines: program.lines,
            bytes: program.bytes,
            functions: program.functions,
            statements: program.statements,
            accesses: program.accesses,
            threads: program.threads,
            contexts: program.contexts,
            shared_locations: program.shared_locations,
        },
        reports: ReportsView {
            races: reports.races,
            suppressed: reports.suppressed,
            violations: reports.violations,
        },
        largest_functions: functions
            .map(|function| function_view(function, base))
            .collect(),
        largest_locations: locations.map(location_view).collect(),
        notes: notes.map(|note| note_view(note, base)).collect(),
    };
    super::written(&view)
}

#[derive(Serialize)]
struct StatisticsView<'s> {
    version: u32,
    seconds: f64,
    stages: Vec<StageView>,
    memory: MemoryView,
    cache: Option<CacheView>,
    program: ProgramView,
    reports: ReportsView,
    largest_functions: Vec<FunctionView<'s>>,
    largest_locations: Vec<LocationView<'s>>,
    notes: Vec<NoteView<'s>>,
}

#[derive(Serialize)]
struct StageView {
    stage: &'static str,
    seconds: f64,
    share: f64,
}

#[derive(Serialize)]
struct MemoryView {
    peak_bytes: Option<u64>,
    resident_bytes: Option<u64>,
    bytes_per_function: Option<u64>,
}

#[derive(Serialize)]
struct CacheView {
    units_found: usize,
    units_preprocessed: usize,
}

#[derive(Serialize)]
struct ProgramView {
    units: usize,
    lines: usize,
    bytes: usize,
    functions: usize,
    statements: usize,
    accesses: usize,
    threads: usize,
    contexts: usize,
    shared_locations: usize,
}

#[derive(Serialize)]
struct ReportsView {
    races: usize,
    suppressed: usize,
    violations: usize,
}

#[derive(Serialize)]
struct FunctionView<'s> {
    name: &'s str,
    place: Option<PlaceView<'s>>,
    summary_entries: usize,
    statements: usize,
    accesses: usize,
    contexts: usize,
}

#[derive(Serialize)]
struct LocationView<'s> {
    location: &'s str,
    accesses: usize,
    functions: usize,
    racing_pairs: usize,
}

fn function_view<'s>(function: &'s FunctionSize, base: &PathBase) -> FunctionView<'s> {
    FunctionView {
        name: &function.name,
        place: optional_place(function.place.as_ref(), base),
        summary_entries: function.summary_entries,
        statements: function.statements,
        accesses: function.accesses,
        contexts: function.contexts,
    }
}

fn location_view(location: &LocationSize) -> LocationView<'_> {
    LocationView {
        location: &location.name,
        accesses: location.accesses,
        functions: location.functions,
        racing_pairs: location.racing_pairs,
    }
}
