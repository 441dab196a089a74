//! Sequential programs, compiled and run with choices made at random.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use racelens::race_options::RaceOptions;
use racelens::sequential::{Refused, Request, Target, exported_functions, text};
use racelens_analysis::kiss::sequential::Points;

use crate::fixture::{LinePair, Place};
use crate::printed_programs::{compile, read};

/// The sequential program that looks for any race; one without `main` starts its exported functions.
pub fn sequential_text(files: &[PathBuf], target: Target, max: u32, points: Points) -> String {
    sequential_text_with(files, target, max, None, points)
}

/// The same, with threads that go on in rounds.
pub fn sequential_text_in_rounds(files: &[PathBuf], target: Target, rounds: u32) -> String {
    sequential_text_with(files, target, 0, Some(rounds), Points::WhereNoticed)
}

fn sequential_text_with(
    files: &[PathBuf],
    target: Target,
    max: u32,
    rounds: Option<u32>,
    points: Points,
) -> String {
    let workspace = read(files);
    let options = RaceOptions::default();
    let mut request = Request {
        target,
        max,
        rounds,
        points,
        functions: Vec::new(),
    };
    let mut printed = text(&workspace, &options, &request);
    if printed == Err(Refused::NoMain) {
        request.functions = exported_functions(&workspace);
        printed = text(&workspace, &options, &request);
    }
    match printed {
        Ok(printed) => printed,
        Err(refused) => panic!("{files:?}: {refused}"),
    }
}

/// What many runs came to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Runs {
    /// The pairs of lines that were found racing, and how often.
    pub races: BTreeMap<LinePair, usize>,
    pub violated_assertions: usize,
    pub runs: usize,
}

/// Compiles a sequential program and runs it so often, with seeds from 1 on, or until it finds something.
pub fn run_until(
    text: &str,
    folder: &Path,
    runs: usize,
    is_enough: &dyn Fn(&Runs) -> bool,
) -> Result<Runs, String> {
    let executable = compile(text, folder, "sequential", &["-lm"])?;
    let mut result = Runs::default();
    for seed in 1..=runs {
        if is_enough(&result) {
            break;
        }
        result.runs += 1;
        let output = Command::new(&executable)
            .env("RACELENS_SEED", seed.to_string())
            .env("RACELENS_STEPS", "20000")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.code() != Some(FAILED) {
            continue;
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let last = printed.lines().last().unwrap_or_default();
        match witness(last) {
            Some(pair) => *result.races.entry(pair).or_default() += 1,
            None => result.violated_assertions += 1,
        }
    }
    Ok(result)
}

/// Compiles a sequential program and runs it so often.
pub fn run_often(text: &str, folder: &Path, runs: usize) -> Result<Runs, String> {
    run_until(text, folder, runs, &|_| false)
}

/// The status with which a program ends that has found what it looks for.
const FAILED: i32 = 70;

/// `racelens: race of a.c:3 in f with a.c:7 in g`, the lines in order.
fn witness(line: &str) -> Option<LinePair> {
    let (first, second) = line
        .strip_prefix("racelens: race of ")?
        .split_once(" with ")?;
    let place = |text: &str| {
        let (place, _) = text.split_once(" in ")?;
        let (file, line) = place.rsplit_once(':')?;
        Some(Place {
            file: file.to_owned(),
            line: line.parse().ok()?,
        })
    };
    Some(LinePair::new(place(first)?, place(second)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_names_two_lines() {
        let place = |line| Place {
            file: "a.c".into(),
            line,
        };
        let line = "racelens: race of a.c:7 in f with a.c:3 in g";
        assert_eq!(witness(line), Some(LinePair::new(place(3), place(7))));
        assert_eq!(witness("racelens: assertion violated at a.c:3 in f"), None);
    }
}
