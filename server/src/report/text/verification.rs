//! What `verify` found out, for people: an interleaving has one column for each thread.

use crate::project::Place;
use crate::report::{
    Answer, PathBase, Race, SearchBounds, TraceStep, VerificationReport, Verified, VerifyVerdict,
    WitnessTrace,
};
use std::fmt::Write;

/// Steps before the end that are shown; a long way there says little.
const MOST_STEPS: usize = 60;
/// How wide a thread's column is at most.
const WIDEST: usize = 44;

pub fn verification_text(report: &VerificationReport, base: &PathBase) -> String {
    let mut text = String::new();
    for answer in &report.answers {
        write_answer(&mut text, answer, &report.bounds, base);
    }
    let count = |is_such: fn(&VerifyVerdict) -> bool| {
        let verdicts = report.answers.iter().map(|answer| &answer.verdict);
        verdicts.filter(|verdict| is_such(verdict)).count()
    };
    let _ = writeln!(
        text,
        "{} witnessed, {} not found, {} unknown; {} states, {:.1} s",
        count(|verdict| matches!(verdict, VerifyVerdict::Witnessed(_))),
        count(|verdict| matches!(verdict, VerifyVerdict::NotFound { .. })),
        count(|verdict| matches!(verdict, VerifyVerdict::Unknown(_))),
        report.bounds.states,
        report.seconds
    );
    text
}

/// One race by itself, for an editor.
pub fn verified_text(race: &Race, verified: &Verified, base: &PathBase) -> String {
    let mut text = String::new();
    match verified {
        Verified::Answered { verdict, bounds } => {
            let answer = Answer {
                id: Some(race.id.clone()),
                question: format!("race on {}", race.location),
                verdict: verdict.clone(),
            };
            write_answer(&mut text, &answer, bounds, base);
        }
        Verified::OutOfDate => {
            let words = verified_in_words(verified);
            let _ = writeln!(text, "race on {} [{}]\n  {words}", race.location, race.id);
        }
    }
    text
}

/// What stands below a race in a report, each line with two spaces in front.
pub(super) fn verified_remark(verified: &Verified, base: &PathBase) -> String {
    let mut text = verified_in_words(verified);
    text.push('\n');
    if let Some(trace) = verified.trace() {
        write_trace(&mut text, trace, base);
    }
    text.trim_end().to_owned()
}

/// What verifying a race came to, in one sentence.
pub fn verified_in_words(verified: &Verified) -> String {
    let Verified::Answered { verdict, bounds } = verified else {
        return "A function that the interleaving passes has changed: verify again.".to_owned();
    };
    match verdict {
        VerifyVerdict::Witnessed(trace) => {
            let steps = trace.steps.len() + trace.ends.len();
            format!("An interleaving of {steps} steps gets there.")
        }
        VerifyVerdict::NotFound { complete: true, .. } => {
            "No interleaving gets there: every one of the steps as they are written was tried."
                .to_owned()
        }
        VerifyVerdict::NotFound { .. } => {
            format!("No interleaving was found: {}.", bounds_in_words(bounds))
        }
        VerifyVerdict::Unknown(reasons) => format!("Unknown: {}.", reasons.join("; ")),
    }
}

fn write_answer(text: &mut String, answer: &Answer, bounds: &SearchBounds, base: &PathBase) {
    let id = answer
        .id
        .as_ref()
        .map_or_else(String::new, |id| format!(" [{id}]"));
    match &answer.verdict {
        VerifyVerdict::Witnessed(trace) => {
            let _ = writeln!(text, "witnessed: {}{id}", answer.question);
            write_trace(text, trace, base);
        }
        VerifyVerdict::NotFound {
            complete: true,
            reservations,
        } => {
            let _ = writeln!(
                text,
                "not found: {}{id}\n  every interleaving of the steps as they are written was tried ({} states); what weaker \
                 orders of atomic operations allow was not",
                answer.question, bounds.states
            );
            for reservation in reservations {
                let _ = writeln!(text, "  assumed: {reservation}");
            }
        }
        VerifyVerdict::NotFound {
            complete: false,
            reservations,
        } => {
            let _ = writeln!(
                text,
                "not found: {}{id}\n  tried: {}",
                answer.question,
                bounds_in_words(bounds)
            );
            for reservation in reservations {
                let _ = writeln!(text, "  assumed: {reservation}");
            }
        }
        VerifyVerdict::Unknown(reasons) => {
            let _ = writeln!(text, "unknown: {}{id}", answer.question);
            for reason in reasons {
                let _ = writeln!(text, "  {reason}");
            }
            let _ = writeln!(text, "  tried: {}", bounds_in_words(bounds));
        }
    }
    text.push('\n');
}

fn bounds_in_words(bounds: &SearchBounds) -> String {
    let switches = match bounds.switches_done {
        Some(done) => format!("all interleavings with {done} switches or fewer"),
        None => "some interleavings without a switch".to_owned(),
    };
    format!(
        "{switches}, {} threads at most, {} shared steps on a path, {} states",
        bounds.threads, bounds.path_steps, bounds.states
    )
}

fn write_trace(text: &mut String, trace: &WitnessTrace, base: &PathBase) {
    let threads = trace.threads.len();
    let skipped = trace.steps.len().saturating_sub(MOST_STEPS);
    let shown = &trace.steps[skipped..];
    let rows: Vec<(&TraceStep, String)> = shown
        .iter()
        .chain(&trace.ends)
        .map(|step| (step, cell(step)))
        .collect();
    let mut widths = vec![0; threads];
    for (thread, width) in widths.iter_mut().enumerate() {
        *width = heading(trace, thread).chars().count();
    }
    for (step, cell) in &rows {
        if let Some(width) = widths.get_mut(step.thread) {
            *width = (*width).max(cell.chars().count()).min(WIDEST);
        }
    }
    let places: Vec<String> = rows
        .iter()
        .map(|(step, _)| place(step.place.as_ref(), base))
        .collect();
    let place_width = places
        .iter()
        .map(|place| place.chars().count())
        .max()
        .unwrap_or(0);
    let mut line = format!("  {:place_width$}", "");
    for (thread, width) in widths.iter().enumerate() {
        let _ = write!(line, "  {:width$}", heading(trace, thread));
    }
    let _ = writeln!(text, "{}", line.trim_end());
    if skipped > 0 {
        let _ = writeln!(text, "  … {skipped} steps before");
    }
    for (number, ((step, cell), place)) in rows.iter().zip(&places).enumerate() {
        if number == shown.len() {
            let what = if trace.ends.len() > 1 {
                "at the same time:"
            } else {
                "and then:"
            };
            let _ = writeln!(text, "  {what}");
        }
        let mut line = format!("  {place:place_width$}");
        for (thread, width) in widths.iter().enumerate() {
            let cell = if thread == step.thread {
                cell.as_str()
            } else {
                ""
            };
            let _ = write!(line, "  {cell:width$}");
        }
        let is_end = number >= shown.len();
        if is_end {
            let locks = match step.locks.as_slice() {
                [] => "no lock held".to_owned(),
                locks => format!("holds {}", locks.join(", ")),
            };
            line = format!("{}  ({locks})", line.trim_end());
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for assumption in &trace.assumptions {
        let _ = writeln!(text, "  assumed: {assumption}");
    }
}

fn heading(trace: &WitnessTrace, thread: usize) -> String {
    let entry = trace
        .threads
        .get(thread)
        .map_or("", |thread| thread.entry.as_str());
    format!("{thread}: {entry}")
}

fn cell(step: &TraceStep) -> String {
    let length = step.text.chars().count();
    if length <= WIDEST {
        return step.text.clone();
    }
    let kept: String = step.text.chars().take(WIDEST - 1).collect();
    format!("{kept}…")
}

fn place(place: Option<&Place>, base: &PathBase) -> String {
    place.map_or_else(String::new, |place| {
        format!("{}:{}", base.shown(&place.path), place.line)
    })
}
