//! What many random programs showed: the races that were seen, and what an analysis made of the programs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use super::misses::content;
use super::plan::Plan;
use super::watching::{Batch, PROGRAMS_PER_BATCH};
use super::wrong_reports::WrongReports;
use super::{choices, misses, source};
use crate::fixture::LinePair;
use crate::matching::ReportedRace;
use crate::oracle::OracleError;
use crate::side_by_side::side_by_side;

/// The races that an analysis reports in the program of one file. A report about a group of accesses
/// is one race for each two of them.
pub type Analyse<'a> = &'a (dyn Fn(&Path) -> Vec<ReportedRace> + Sync);

/// Two lines of a program, the smaller number first.
pub type Lines = [u32; 2];

/// Nine of ten racing pairs show themselves in the first three runs; one run is cheaper than to compile.
pub const RUNS: usize = 3;

/// Making a program smaller takes seconds; more than a few are not read anyway.
const MOST_DESCRIPTIONS: usize = 3;

#[derive(Debug, Default)]
pub struct Outcome {
    pub programs: usize,
    /// Programs in which at least one race was seen.
    pub racy: usize,
    /// Pairs of lines that were seen racing.
    pub pairs: usize,
    /// Pairs that were seen and not reported.
    pub missed: usize,
    /// Programs in which a race was seen although nothing is wrong with them.
    pub disciplined_racy: Vec<u64>,
    /// One text for each of the first programs with a missed race, the shortest first.
    pub descriptions: Vec<String>,
    /// The seeds of all programs with a missed race, and the lines that raced.
    pub missing_in: Vec<(u64, String)>,
    /// What is reported about programs with which nothing is wrong.
    pub wrong: WrongReports,
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

/// Runs the programs of the seeds, and asks the analysis about each that raced or cannot race.
pub fn outcome(seeds: Range<u64>, analyse: Analyse<'_>) -> Result<Outcome, OracleError> {
    let firsts: Vec<u64> = seeds.clone().step_by(PROGRAMS_PER_BATCH as usize).collect();
    let batches = side_by_side(&firsts, &|first: &u64| {
        let last = seeds.end.min(first + PROGRAMS_PER_BATCH);
        of_batch((*first..last).map(choices::plan).collect(), analyse)
    });
    let batches = batches
        .into_iter()
        .collect::<Result<Vec<Vec<Watched>>, OracleError>>()?;
    let mut outcome = Outcome::default();
    let mut misses: Vec<Watched> = Vec::new();
    for watched in batches.into_iter().flatten() {
        outcome.programs += 1;
        outcome.racy += usize::from(!watched.seen.is_empty());
        outcome.pairs += watched.seen.len();
        outcome.missed += watched.missed.len();
        if watched.plan.is_disciplined {
            if !watched.seen.is_empty() {
                outcome.disciplined_racy.push(watched.plan.seed);
            }
            outcome.wrong.add(&watched.plan, watched.reported.clone());
        }
        if !watched.missed.is_empty() {
            let text = source::source(&watched.plan);
            let lines = misses::told(&text, &watched.missed);
            outcome.missing_in.push((watched.plan.seed, lines));
            misses.push(watched);
        }
    }
    misses.sort_by_key(|miss| source::source(&miss.plan).len());
    misses.truncate(MOST_DESCRIPTIONS);
    outcome.descriptions = side_by_side(&misses, &|miss: &Watched| {
        misses::describe(&miss.plan, &miss.missed, analyse)
    });
    outcome.descriptions.sort_by_key(String::len);
    Ok(outcome)
}

/// What one program showed.
struct Watched {
    plan: Plan,
    seen: BTreeSet<Lines>,
    reported: BTreeSet<Lines>,
    missed: Vec<Lines>,
}

fn of_batch(plans: Vec<Plan>, analyse: Analyse<'_>) -> Result<Vec<Watched>, OracleError> {
    let batch = Batch::write(plans)?;
    let seen = batch.watch(RUNS)?;
    let programs = batch.plans.iter().zip(seen);
    let watched = programs.map(|(plan, seen)| {
        let seen = lines(plan, &seen);
        let reported = if seen.is_empty() && !plan.is_disciplined {
            BTreeSet::new()
        } else {
            reported(&batch, plan, analyse)
        };
        Watched {
            plan: plan.clone(),
            missed: seen.difference(&reported).copied().collect(),
            seen,
            reported,
        }
    });
    Ok(watched.collect())
}

/// The pairs that were seen, by their lines.
///
/// ThreadSanitizer takes an allocation for a write to all of the new memory. The program's own first
/// write races as well then, so that nothing is lost by leaving the allocation out.
pub fn lines(plan: &Plan, seen: &BTreeSet<LinePair>) -> BTreeSet<Lines> {
    let text = source::source(plan);
    let allocates = |line: &u32| content(&text, *line).contains("calloc(");
    let pairs = seen
        .iter()
        .map(|pair| pair.places().map(|place| place.line));
    pairs
        .filter(|pair| !pair.iter().any(allocates))
        .map(|[one, other]| ordered(one, other))
        .collect()
}

/// The pairs of lines that the analysis reports in the file of a program.
pub fn reported(batch: &Batch, plan: &Plan, analyse: Analyse<'_>) -> BTreeSet<Lines> {
    let races = analyse(&batch.file(plan));
    let pairs = races
        .iter()
        .map(|race| ordered(race.first.line, race.second.line));
    pairs.collect()
}

fn ordered(one: u32, other: u32) -> Lines {
    [one.min(other), one.max(other)]
}
