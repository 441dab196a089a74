//! Holds what an analysis reports about random programs against the races that were seen.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::plan::Plan;
use super::shrinking::smallest;
use super::watching::{Batch, PROGRAMS_PER_BATCH};
use super::{choices, source};
use crate::fixture::LinePair;
use crate::matching::ReportedRace;
use crate::oracle::OracleError;

/// The races that an analysis reports in the program of one file. A report about a group of accesses
/// is one race for each two of them.
pub type Analyse<'a> = &'a (dyn Fn(&Path) -> Vec<ReportedRace> + Sync);

/// Nine of ten racing pairs show themselves in the first three runs; one run is cheaper than to compile.
const RUNS: usize = 3;

/// Making a program smaller takes seconds; more than a few are not read anyway.
const MOST_DESCRIPTIONS: usize = 3;

/// What many programs showed.
#[derive(Debug, Default)]
pub struct Outcome {
    pub programs: usize,
    /// Programs in which at least one race was seen.
    pub racy: usize,
    /// Pairs of lines that were seen racing.
    pub pairs: usize,
    /// Pairs that were seen and not reported.
    pub missed: usize,
    /// Programs in which a race was seen although every access has its lock.
    pub disciplined_racy: Vec<u64>,
    /// One text for each of the first programs with a missed race, the shortest first.
    pub descriptions: Vec<String>,
    /// The seeds of all programs with a missed race, and the lines that raced.
    pub missing_in: Vec<(u64, String)>,
}

impl Outcome {
    /// What to tell when races were missed: how many, where, and the smallest programs with one.
    pub fn failure(&self) -> Option<String> {
        (self.missed > 0).then(|| {
            let (missed, pairs) = (self.missed, self.pairs);
            let mut text = format!("{missed} of {pairs} racing pairs are not reported\n");
            for (seed, lines) in &self.missing_in {
                let _ = write!(text, "in program {seed}:\n{lines}");
            }
            text + &self.descriptions.join("\n")
        })
    }
}

/// Runs the programs of the seeds, and asks the analysis about each that raced.
pub fn missed_races(seeds: Range<u64>, analyse: Analyse<'_>) -> Result<Outcome, OracleError> {
    let firsts: Vec<u64> = seeds.clone().step_by(PROGRAMS_PER_BATCH as usize).collect();
    let batches = firsts
        .into_par_iter()
        .map(|first| {
            let last = seeds.end.min(first + PROGRAMS_PER_BATCH);
            of_batch((first..last).map(choices::plan).collect(), analyse)
        })
        .collect::<Result<Vec<Vec<Watched>>, OracleError>>()?;
    let mut outcome = Outcome::default();
    let mut misses: Vec<Watched> = Vec::new();
    for watched in batches.into_iter().flatten() {
        outcome.programs += 1;
        outcome.racy += usize::from(watched.seen > 0);
        outcome.pairs += watched.seen;
        outcome.missed += watched.missed.len();
        if watched.seen > 0 && watched.plan.is_disciplined {
            outcome.disciplined_racy.push(watched.plan.seed);
        }
        if !watched.missed.is_empty() {
            let text = source::source(&watched.plan);
            let lines = told(&text, &watched.missed);
            outcome.missing_in.push((watched.plan.seed, lines));
            misses.push(watched);
        }
    }
    misses.sort_by_key(|miss| source::source(&miss.plan).len());
    misses.truncate(MOST_DESCRIPTIONS);
    outcome.descriptions = misses
        .par_iter()
        .map(|miss| describe(&miss.plan, &miss.missed, analyse))
        .collect();
    outcome.descriptions.sort_by_key(String::len);
    Ok(outcome)
}

/// What one program showed.
struct Watched {
    plan: Plan,
    seen: usize,
    missed: Vec<[u32; 2]>,
}

fn of_batch(plans: Vec<Plan>, analyse: Analyse<'_>) -> Result<Vec<Watched>, OracleError> {
    let batch = Batch::write(plans)?;
    let seen = batch.watch(RUNS)?;
    let programs = batch.plans.iter().zip(seen);
    let watched = programs.map(|(plan, seen)| Watched {
        plan: plan.clone(),
        seen: seen.len(),
        missed: unreported(&batch, plan, &seen, analyse),
    });
    Ok(watched.collect())
}

/// The pairs among `seen` that the analysis does not report in the file of a program.
fn unreported(
    batch: &Batch,
    plan: &Plan,
    seen: &BTreeSet<LinePair>,
    analyse: Analyse<'_>,
) -> Vec<[u32; 2]> {
    if seen.is_empty() {
        return Vec::new();
    }
    let ordered = |one: u32, other: u32| [one.min(other), one.max(other)];
    let reported: BTreeSet<[u32; 2]> = analyse(&batch.file(plan))
        .iter()
        .map(|race| ordered(race.first.line, race.second.line))
        .collect();
    let lines = seen
        .iter()
        .map(|pair| pair.places().map(|place| place.line));
    lines
        .map(|[one, other]| ordered(one, other))
        .filter(|pair| !reported.contains(pair))
        .collect()
}

/// Everything one needs to repeat a miss: the seed, and the smallest program that still shows it.
fn describe(plan: &Plan, missed: &[[u32; 2]], analyse: Analyse<'_>) -> String {
    let still_missed = |plan: &Plan| -> Option<Vec<[u32; 2]>> {
        let batch = Batch::write(vec![plan.clone()]).ok()?;
        let seen = batch.watch(RUNS).ok()?;
        let missed = unreported(&batch, plan, &seen[0], analyse);
        (!missed.is_empty()).then_some(missed)
    };
    let (plan, missed) = smallest(plan.clone(), missed.to_vec(), &still_missed);
    let text = source::source(&plan);
    let mut description = format!("program {}, made smaller:\n", plan.seed);
    description.push_str(&told(&text, &missed));
    for (number, line) in text.lines().enumerate() {
        let _ = writeln!(description, "{:4} {line}", number + 1);
    }
    description
}

/// The pairs of lines that were missed, one to a line.
fn told(text: &str, missed: &[[u32; 2]]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let content = |line: u32| lines.get(line as usize - 1).map_or("", |line| line.trim());
    let mut told = String::new();
    for &[one, other] in missed {
        let _ = writeln!(
            told,
            "  lines {one} `{}` and {other} `{}` raced and are not reported",
            content(one),
            content(other)
        );
    }
    told
}
