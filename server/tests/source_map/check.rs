//! Shows a program with all its accesses below its lines.

use crate::temporary_folder::TemporaryFolder;
use expect_test::Expect;
use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use racelens_analysis::host::Location;
use racelens_analysis::ir::AccessKind;
use std::fmt::Write;
use std::path::Path;

pub fn check(source: &str, expected: Expect) {
    check_files(&[("main.c", source)], expected);
}

/// The expectation shows all files in which there is an access, in the order that is given.
pub fn check_files(files: &[(&str, &str)], expected: Expect) {
    let folder = TemporaryFolder::new(files);
    let root = folder.root();
    let options = LoadOptions {
        paths: vec![root.join("main.c")],
        current_directory: Some(root.clone()),
        ..LoadOptions::default()
    };
    let workspace = Workspace::load(&options, Some(1)).unwrap();
    let accesses = accesses(&workspace);
    let mut shown = String::new();
    let mut shown_accesses = 0;
    for (name, content) in files {
        let path = root.join(name);
        let own: Vec<&(Location, String)> = accesses
            .iter()
            .filter(|(location, _)| Path::new(location.file.as_str()) == path)
            .collect();
        shown_accesses += own.len();
        if own.is_empty() {
            continue;
        }
        if files.len() > 1 {
            writeln!(shown, "-- {name}").unwrap();
        }
        shown.push_str(&annotated(content, &own));
    }
    let elsewhere = accesses.len() - shown_accesses;
    if elsewhere > 0 {
        for (location, what) in &accesses {
            let file = Path::new(location.file.as_str());
            if !files.iter().any(|(name, _)| root.join(name) == file) {
                let file = file.file_name().unwrap().to_string_lossy();
                let (line, column) = (location.line, location.column);
                writeln!(shown, "{file}:{line}:{column}: {what}").unwrap();
            }
        }
    }
    expected.assert_eq(&shown);
}

/// All accesses to memory that other functions can see, by place.
fn accesses(workspace: &Workspace) -> Vec<(Location, String)> {
    let analysis = workspace.analysis();
    let mut accesses = Vec::new();
    for function in analysis.functions() {
        let Some(lowered) = &analysis.lowered(function).body else {
            panic!("{} does not parse", function.name(analysis.database()));
        };
        for (id, statement) in lowered.body.statements() {
            let Some((kind, place, _)) = statement.access() else {
                continue;
            };
            if place.is_local() {
                continue;
            }
            let span = lowered.source_map.statement(id);
            let location = workspace.location(&analysis, function, span).unwrap();
            let kind = match kind {
                AccessKind::Read => "r",
                AccessKind::Write => "w",
                AccessKind::Update => "u",
            };
            let origin = if location.in_macro {
                " (in a macro)"
            } else {
                ""
            };
            let place = lowered.body.pretty().place(place);
            accesses.push((location, format!("{kind} {place}{origin}")));
        }
    }
    accesses.sort();
    accesses
}

/// The text with carets. Tabs are shown as `→`, carriage returns as `␍`, each one column wide.
fn annotated(content: &str, accesses: &[&(Location, String)]) -> String {
    // A byte order mark is no part of the text for an editor either.
    let content = content.trim_start_matches('\u{feff}');
    let mut shown = String::new();
    let visible = |text: &str| text.replace('\t', "→").replace('\r', "␍");
    for (index, line) in content.split('\n').enumerate() {
        if line.is_empty() && index + 1 == content.split('\n').count() {
            break;
        }
        writeln!(shown, "{}", visible(line)).unwrap();
        for (location, what) in accesses {
            if location.line as usize != index + 1 {
                continue;
            }
            let start = location.column as usize - 1;
            let (end, open) = if location.end_line == location.line {
                (location.end_column as usize - 1, "")
            } else {
                (line.trim_end().len(), "…")
            };
            let space = " ".repeat(line[..start].chars().count());
            let carets = "^".repeat(line[start..end].chars().count());
            writeln!(shown, "{space}{carets}{open} {what}").unwrap();
        }
    }
    shown
}
