//! What a check has cost, as tables for people.

use super::super::{FunctionSize, LocationSize, PathBase, Statistics};
use super::words::{counted, place};

/// The statistics in words and tables. Files below `base` are named relative to it.
pub fn statistics_text(statistics: &Statistics, base: &PathBase) -> String {
    let mut parts = vec![size(statistics), stages(statistics)];
    parts.extend(memory(statistics));
    parts.extend(cache(statistics));
    parts.extend(functions(&statistics.largest_functions, base));
    parts.extend(locations(&statistics.largest_locations));
    parts.join("\n")
}

fn size(statistics: &Statistics) -> String {
    let (program, reports) = (&statistics.program, &statistics.reports);
    format!(
        "{}, {} after preprocessing\n{}, {}, {} to memory that threads may share\n{}, {}, {}\n{}, {} accepted, {} of lock annotations\n",
        counted(program.units, "translation unit", "translation units"),
        counted(program.lines, "line", "lines"),
        counted(program.functions, "function", "functions"),
        counted(program.statements, "statement", "statements"),
        counted(program.accesses, "access", "accesses"),
        counted(program.threads, "thread", "threads"),
        counted(
            program.contexts,
            "context of a function",
            "contexts of functions"
        ),
        counted(
            program.shared_locations,
            "shared location",
            "shared locations"
        ),
        counted(reports.races, "race", "races"),
        reports.suppressed,
        counted(reports.violations, "violation", "violations"),
    )
}

fn stages(statistics: &Statistics) -> String {
    let mut rows = vec![["stage".into(), "s".into(), "%".into()]];
    for stage in &statistics.stages {
        rows.push([
            stage.stage.in_words().to_owned(),
            format!("{:.3}", stage.time.as_secs_f64()),
            format!("{:.1}", 100.0 * statistics.share(stage)),
        ]);
    }
    let all = format!("{:.3}", statistics.time().as_secs_f64());
    rows.push(["all of them".into(), all, String::new()]);
    table(&rows, 0)
}

fn cache(statistics: &Statistics) -> Option<String> {
    let cache = statistics.cache?;
    let units = counted(
        cache.found + cache.missed,
        "translation unit",
        "translation units",
    );
    Some(format!(
        "cache: {} of {units} as an earlier run has preprocessed them\n",
        cache.found
    ))
}

fn memory(statistics: &Statistics) -> Option<String> {
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let memory = &statistics.memory;
    let mut text = format!(
        "memory: {} at the most, {} at the end",
        megabytes(memory.peak?),
        megabytes(memory.now?)
    );
    if let Some(bytes) = statistics.bytes_per_function() {
        text.push_str(&format!(
            ", which is {:.1} kB for each function",
            bytes as f64 / 1e3
        ));
    }
    Some(text + "\n")
}

fn functions(functions: &[FunctionSize], base: &PathBase) -> Option<String> {
    let heading = ["entries", "statements", "accesses", "contexts", "function"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(functions.iter().map(|function| {
        [
            function.summary_entries.to_string(),
            function.statements.to_string(),
            function.accesses.to_string(),
            function.contexts.to_string(),
            match &function.place {
                Some(at) => format!("{} ({})", function.name, place(at, base)),
                None => function.name.clone(),
            },
        ]
    }));
    let title = "the functions with the largest summaries";
    (!functions.is_empty()).then(|| format!("{title}\n{}", table(&rows, 4)))
}

fn locations(locations: &[LocationSize]) -> Option<String> {
    let heading = ["accesses", "functions", "racing pairs", "location"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(locations.iter().map(|location| {
        [
            location.accesses.to_string(),
            location.functions.to_string(),
            location.racing_pairs.to_string(),
            location.name.clone(),
        ]
    }));
    let title = "the locations with the most accesses";
    (!locations.is_empty()).then(|| format!("{title}\n{}", table(&rows, 3)))
}

/// Columns of numbers, which end below each other, and the one of words.
fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]], words: usize) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, &width))| {
                if column == words {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        text.push_str("  ");
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
