//! Asks a file's compiler whether it takes a changed copy of the file.

use super::TranslationUnit;
use super::compiler_messages::errors;
use super::process::{ProcessLimits, run};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);
const MOST_OUTPUT: usize = 1 << 20;

/// The lines with errors in a copy of the unit's file, with a header in front of it. None if no compiler can be asked.
pub fn compiler_errors(
    unit: &TranslationUnit,
    search_path: &[PathBuf],
    copy: &Path,
    header: &Path,
) -> BTreeSet<u32> {
    let Some(compiler) = &unit.compiler else {
        return BTreeSet::new();
    };
    // The directory of the copy is ours, that of the unit is the workspace's.
    let directory = copy.parent().unwrap_or(Path::new("/"));
    let mut command = compiler.command(search_path);
    command
        .args(&unit.arguments)
        .args(["-w", "-fsyntax-only", "-fno-diagnostics-color", "-iquote"])
        .arg(unit.file.parent().unwrap_or(Path::new("/")))
        .arg("-include")
        .arg(header)
        .arg(copy)
        .current_dir(directory);
    let limits = ProcessLimits {
        deadline: Instant::now() + LONGEST,
        output_bytes: MOST_OUTPUT,
    };
    let Ok(finished) = run(command, Arc::from([]), limits) else {
        return BTreeSet::new();
    };
    let output = String::from_utf8_lossy(&finished.errors);
    errors(&output)
        .filter_map(|error| Some(error.place?.1))
        .collect()
}
