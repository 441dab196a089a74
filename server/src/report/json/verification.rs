//! What `verify` found out, for programs. `server/docs/verify.md` describes every field.

use super::{NoteView, PlaceView, VERSION, note_view, optional_place};
use crate::report::{
    Answer, PathBase, SearchBounds, TraceStep, VerificationReport, Verified, VerifyVerdict,
    WitnessTrace,
};
use serde::Serialize;

/// The answers as one JSON object. Files below `base` are named relative to it.
pub fn verification(report: &VerificationReport, base: &PathBase) -> String {
    let view = VerificationView {
        version: VERSION,
        answers: report
            .answers
            .iter()
            .map(|answer| answer_view(answer, base))
            .collect(),
        bounds: bounds_view(&report.bounds),
        notes: report
            .notes
            .iter()
            .map(|note| note_view(note, base))
            .collect(),
        seconds: report.seconds,
    };
    super::written(&view)
}

#[derive(Serialize)]
struct VerificationView<'r> {
    version: u32,
    answers: Vec<AnswerView<'r>>,
    bounds: BoundsView,
    notes: Vec<NoteView<'r>>,
    seconds: f64,
}

#[derive(Serialize)]
struct BoundsView {
    switches_done: Option<u32>,
    switches: u32,
    threads: usize,
    path_steps: u32,
    local_steps: u32,
    states: usize,
}

#[derive(Serialize)]
struct AnswerView<'r> {
    id: Option<&'r str>,
    question: &'r str,
    /// `witnessed`, `not_found` or `unknown`.
    verdict: &'static str,
    /// Of `not_found`: whether every interleaving was tried.
    complete: bool,
    limits: &'r [String],
    trace: Option<TraceView<'r>>,
}

#[derive(Serialize)]
struct TraceView<'r> {
    threads: Vec<ThreadView<'r>>,
    steps: Vec<StepView<'r>>,
    /// The accesses that happen at the same time, or the assertion.
    ends: Vec<StepView<'r>>,
    assumptions: &'r [String],
}

#[derive(Serialize)]
struct ThreadView<'r> {
    entry: &'r str,
    started: Option<PlaceView<'r>>,
}

#[derive(Serialize)]
struct StepView<'r> {
    thread: usize,
    place: Option<PlaceView<'r>>,
    function: &'r str,
    what: &'r str,
    locks: &'r [String],
}

fn bounds_view(bounds: &SearchBounds) -> BoundsView {
    BoundsView {
        switches_done: bounds.switches_done,
        switches: bounds.switches,
        threads: bounds.threads,
        path_steps: bounds.path_steps,
        local_steps: bounds.local_steps,
        states: bounds.states,
    }
}

/// What looking for an interleaving of one race came to, as part of a report.
#[derive(Serialize)]
pub(super) struct VerifiedView<'r> {
    verdict: &'static str,
    complete: bool,
    limits: &'r [String],
    bounds: Option<BoundsView>,
    trace: Option<TraceView<'r>>,
}

pub(super) fn verified_view<'r>(verified: &'r Verified, base: &PathBase) -> VerifiedView<'r> {
    let answer = match verified {
        Verified::Answered { verdict, bounds } => Some((verdict, bounds)),
        Verified::OutOfDate => None,
    };
    VerifiedView {
        verdict: verified.word(),
        complete: answer.is_some_and(|(verdict, _)| verdict.is_complete()),
        limits: answer.map_or(&[], |(verdict, _)| verdict.limits()),
        bounds: answer.map(|(_, bounds)| bounds_view(bounds)),
        trace: verified.trace().map(|trace| trace_view(trace, base)),
    }
}

fn answer_view<'r>(answer: &'r Answer, base: &PathBase) -> AnswerView<'r> {
    let trace = match &answer.verdict {
        VerifyVerdict::Witnessed(trace) => Some(trace),
        _ => None,
    };
    AnswerView {
        id: answer.id.as_deref(),
        question: &answer.question,
        verdict: answer.verdict.word(),
        complete: answer.verdict.is_complete(),
        limits: answer.verdict.limits(),
        trace: trace.map(|trace| trace_view(trace, base)),
    }
}

fn trace_view<'r>(trace: &'r WitnessTrace, base: &PathBase) -> TraceView<'r> {
    let steps = |steps: &'r [TraceStep]| {
        steps
            .iter()
            .map(|step| StepView {
                thread: step.thread,
                place: optional_place(step.place.as_ref(), base),
                function: &step.function,
                what: &step.text,
                locks: &step.locks,
            })
            .collect()
    };
    TraceView {
        threads: trace
            .threads
            .iter()
            .map(|thread| ThreadView {
                entry: &thread.entry,
                started: optional_place(thread.started.as_ref(), base),
            })
            .collect(),
        steps: steps(&trace.steps),
        ends: steps(&trace.ends),
        assumptions: &trace.assumptions,
    }
}
