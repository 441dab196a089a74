//! What is known about a line, for programs. `server/docs/explanation.schema.json` describes every field.

use super::super::{
    Explanation, FunctionSummary, HeldLock, LineFact, LockOrigin, NoRace, OtherAccess, Outcome,
    PathBase, Thread,
};
use super::{
    LockView, NoteView, PlaceView, VERSION, lock_view, note_view, optional_place, place_view,
};
use crate::project::{Note, Place};
use serde::Serialize;

/// The explanation as one JSON object. Files below `base` are named relative to it.
pub fn explanation(explanation: &Explanation, notes: &[Note], base: &PathBase) -> String {
    let lines = explanation.lines.iter();
    let view = ExplanationView {
        version: VERSION,
        accesses: lines.map(|fact| fact_view(fact, base)).collect(),
        function: explanation
            .summary
            .as_ref()
            .map(|summary| function_view(summary, base)),
        notes: notes.iter().map(|note| note_view(note, base)).collect(),
    };
    super::written(&view)
}

#[derive(Serialize)]
struct ExplanationView<'e> {
    version: u32,
    accesses: Vec<FactView<'e>>,
    function: Option<FunctionView<'e>>,
    notes: Vec<NoteView<'e>>,
}

#[derive(Serialize)]
struct FactView<'e> {
    #[serde(flatten)]
    place: PlaceView<'e>,
    length: u32,
    kind: &'static str,
    atomic: bool,
    expression: &'e str,
    shared: bool,
    locks: Vec<HeldLockView<'e>>,
    threads: Vec<ThreadView<'e>>,
    races: &'e [String],
    no_races: Vec<NoRaceView<'e>>,
    remarks: &'e [String],
}

#[derive(Serialize)]
struct HeldLockView<'e> {
    name: &'e str,
    shared: bool,
    /// `here` or `every_caller`.
    taken_by: &'static str,
    places: Vec<PlaceView<'e>>,
}

#[derive(Serialize)]
struct ThreadView<'e> {
    name: &'e str,
    many: bool,
    started: Option<PlaceView<'e>>,
}

#[derive(Serialize)]
struct NoRaceView<'e> {
    with: Vec<OtherView<'e>>,
    reason: &'e str,
}

#[derive(Serialize)]
struct OtherView<'e> {
    #[serde(flatten)]
    place: PlaceView<'e>,
    kind: &'static str,
    atomic: bool,
}

#[derive(Serialize)]
struct FunctionView<'e> {
    name: &'e str,
    #[serde(flatten)]
    place: PlaceView<'e>,
    threads: Vec<ThreadView<'e>>,
    takes: Vec<LockView<'e>>,
    releases: Vec<LockView<'e>>,
    starts: Vec<ThreadView<'e>>,
    joins: Vec<ThreadView<'e>>,
    joined_handles: &'e [String],
    returns_holding: Vec<LockView<'e>>,
    outcomes: Vec<OutcomeView<'e>>,
}

#[derive(Serialize)]
struct OutcomeView<'e> {
    result: &'e str,
    holding: Vec<LockView<'e>>,
}

fn fact_view<'e>(fact: &'e LineFact, base: &PathBase) -> FactView<'e> {
    FactView {
        place: place_view(&fact.place, base),
        length: fact.length,
        kind: fact.kind.word(),
        atomic: fact.atomic,
        expression: &fact.expression,
        shared: fact.is_shared,
        locks: views(&fact.locks, base, held_lock_view),
        threads: views(&fact.threads, base, thread_view),
        races: &fact.races,
        no_races: views(&fact.no_races, base, no_race_view),
        remarks: &fact.remarks,
    }
}

fn function_view<'e>(summary: &'e FunctionSummary, base: &PathBase) -> FunctionView<'e> {
    FunctionView {
        name: &summary.name,
        place: place_view(&summary.place, base),
        threads: views(&summary.threads, base, thread_view),
        takes: views(&summary.takes, base, lock_view),
        releases: views(&summary.releases, base, lock_view),
        starts: views(&summary.starts, base, thread_view),
        joins: views(&summary.joins, base, thread_view),
        joined_handles: &summary.joined_handles,
        returns_holding: views(&summary.returns_holding, base, lock_view),
        outcomes: views(&summary.outcomes, base, outcome_view),
    }
}

fn held_lock_view<'e>(lock: &'e HeldLock, base: &PathBase) -> HeldLockView<'e> {
    let (taken_by, places): (_, &[Place]) = match &lock.origin {
        LockOrigin::Here(places) => ("here", places),
        LockOrigin::EveryCaller(calls) => ("every_caller", calls),
    };
    HeldLockView {
        name: &lock.name,
        shared: lock.shared,
        taken_by,
        places: views(places, base, place_view),
    }
}

fn thread_view<'e>(thread: &'e Thread, base: &PathBase) -> ThreadView<'e> {
    ThreadView {
        name: &thread.name,
        many: thread.many,
        started: optional_place(thread.started.as_ref(), base),
    }
}

fn no_race_view<'e>(no_race: &'e NoRace, base: &PathBase) -> NoRaceView<'e> {
    NoRaceView {
        with: views(&no_race.with, base, other_view),
        reason: &no_race.reason,
    }
}

fn other_view<'e>(other: &'e OtherAccess, base: &PathBase) -> OtherView<'e> {
    OtherView {
        place: place_view(&other.place, base),
        kind: other.kind.word(),
        atomic: other.atomic,
    }
}

fn outcome_view<'e>(outcome: &'e Outcome, base: &PathBase) -> OutcomeView<'e> {
    OutcomeView {
        result: &outcome.result,
        holding: views(&outcome.holding, base, lock_view),
    }
}

fn views<'e, T, V>(items: &'e [T], base: &PathBase, view: fn(&'e T, &PathBase) -> V) -> Vec<V> {
    items.iter().map(|item| view(item, base)).collect()
}
