//! Tells about races that were seen and are not reported.

use std::fmt::Write;

use super::outcome::{Analyse, Lines, RUNS, lines, reported};
use super::plan::Plan;
use super::shrinking::smallest;
use super::source;
use super::watching::Batch;

/// Everything one needs to repeat a miss: the seed, and the smallest program that still shows it.
pub fn describe(plan: &Plan, missed: &[Lines], analyse: Analyse<'_>) -> String {
    let still_missed = |plan: &Plan| -> Option<Vec<Lines>> {
        let batch = Batch::write(vec![plan.clone()]).ok()?;
        let seen = lines(plan, &batch.watch(RUNS).ok()?[0]);
        if seen.is_empty() {
            return None;
        }
        let reported = reported(&batch, plan, analyse);
        let missed: Vec<Lines> = seen.difference(&reported).copied().collect();
        (!missed.is_empty()).then_some(missed)
    };
    let (plan, missed) = smallest(plan.clone(), missed.to_vec(), &still_missed);
    let text = source::source(&plan);
    let mut description = format!("program {}, made smaller:\n", plan.seed);
    description.push_str(&told(&text, &missed));
    description + &numbered(&text)
}

/// A text with the numbers of its lines.
pub fn numbered(text: &str) -> String {
    let lines = text.lines().enumerate();
    lines
        .map(|(index, line)| format!("{:4} {line}\n", index + 1))
        .collect()
}

/// The pairs of lines that were missed, one to a line.
pub fn told(text: &str, missed: &[Lines]) -> String {
    let mut told = String::new();
    for &[one, other] in missed {
        let _ = writeln!(
            told,
            "  lines {one} `{}` and {other} `{}` raced and are not reported",
            content(text, one),
            content(text, other)
        );
    }
    told
}

/// One line of a text.
pub fn content(text: &str, line: u32) -> &str {
    text.lines().nth(line as usize - 1).map_or("", str::trim)
}
