//! What `verify` found out, for programs. `server/docs/verify.md` describes every field.

use super::{NoteView, PlaceView, VERSION, note_view, optional_place};
use crate::report::{Answer, PathBase, TraceStep, VerificationReport, VerifyVerdict, WitnessTrace};
use serde::Serialize;

/// The answers as one JSON object. Files below `base` are named relative to it.
pub fn verification(report: &VerificationReport, base: &PathBase) -> String {
    let bounds = &report.bounds;
    let view = VerificationView {
        version: VERSION,
        answers: report
            .answers
            .iter()
            .map(|answer| answer_view(answer, base))
            .collect(),
        bounds: BoundsView {
            switches_done: bounds.switches_done,
            switches: bounds.switches,
            threads: bounds.threads,
            path_steps: bounds.path_steps,
            local_steps: bounds.local_steps,
            states: bounds.states,
        },
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
    started: Option<PlaceView>,
}

#[derive(Serialize)]
struct StepView<'r> {
    thread: usize,
    place: Option<PlaceView>,
    function: &'r str,
    what: &'r str,
    locks: &'r [String],
}

fn answer_view<'r>(answer: &'r Answer, base: &PathBase) -> AnswerView<'r> {
    let (verdict, complete, limits, trace): (_, _, &[String], _) = match &answer.verdict {
        VerifyVerdict::Witnessed(trace) => ("witnessed", false, &[], Some(trace)),
        VerifyVerdict::NotFound {
            complete,
            reservations,
        } => ("not_found", *complete, reservations, None),
        VerifyVerdict::Unknown(reasons) => ("unknown", false, reasons, None),
    };
    AnswerView {
        id: answer.id.as_deref(),
        question: &answer.question,
        verdict,
        complete,
        limits,
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
