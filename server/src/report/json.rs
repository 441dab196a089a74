//! Reports for programs. `server/docs/report.schema.json` describes every field.

use super::{Access, Call, Lock, PathBase, Race, Report};
use crate::project::{Note, Place};
use serde::Serialize;

/// Grows when a program that read the last version could not read this one.
const VERSION: u32 = 1;

/// The report as one JSON object. Files below `base` are named relative to it.
pub fn json(report: &Report, base: &PathBase) -> String {
    let report = ReportView {
        version: VERSION,
        races: report
            .races
            .iter()
            .map(|race| race_view(race, base))
            .collect(),
        notes: report
            .notes
            .iter()
            .map(|note| note_view(note, base))
            .collect(),
        stats: StatsView {
            units: report.stats.units,
            functions: report.stats.functions,
            threads: report.stats.threads,
            shared_locations: report.stats.shared_locations,
            accesses: report.stats.accesses,
            seconds: report.stats.seconds,
        },
    };
    // Strings and numbers only: there is nothing that could fail.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct ReportView<'r> {
    version: u32,
    races: Vec<RaceView<'r>>,
    notes: Vec<NoteView<'r>>,
    stats: StatsView,
}

#[derive(Serialize)]
struct RaceView<'r> {
    id: &'r str,
    tier: &'static str,
    rank: u8,
    location: &'r str,
    reasons: Vec<ReasonView<'r>>,
    accesses: Vec<AccessView<'r>>,
}

#[derive(Serialize)]
struct ReasonView<'r> {
    kind: &'r str,
    text: &'r str,
    doubt: bool,
}

#[derive(Serialize)]
struct AccessView<'r> {
    #[serde(flatten)]
    place: PlaceView,
    length: u32,
    kind: &'static str,
    atomic: bool,
    expression: &'r str,
    function: &'r str,
    thread: &'r str,
    thread_many: bool,
    thread_started: Option<PlaceView>,
    locks: Vec<LockView<'r>>,
    path: Vec<CallView<'r>>,
}

#[derive(Serialize)]
struct LockView<'r> {
    name: &'r str,
    shared: bool,
    acquired: Option<PlaceView>,
}

#[derive(Serialize)]
struct CallView<'r> {
    function: &'r str,
    #[serde(flatten)]
    place: PlaceView,
}

#[derive(Serialize)]
struct PlaceView {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct NoteView<'r> {
    severity: String,
    place: Option<PlaceView>,
    message: &'r str,
    help: Option<&'r str>,
}

#[derive(Serialize)]
struct StatsView {
    units: usize,
    functions: usize,
    threads: usize,
    shared_locations: usize,
    accesses: usize,
    seconds: f64,
}

fn race_view<'r>(race: &'r Race, base: &PathBase) -> RaceView<'r> {
    RaceView {
        id: &race.id,
        tier: race.tier.word(),
        rank: race.rank,
        location: &race.location,
        reasons: race
            .reasons
            .iter()
            .map(|reason| ReasonView {
                kind: &reason.kind,
                text: &reason.text,
                doubt: reason.doubt,
            })
            .collect(),
        accesses: race
            .accesses
            .iter()
            .map(|access| access_view(access, base))
            .collect(),
    }
}

fn access_view<'r>(access: &'r Access, base: &PathBase) -> AccessView<'r> {
    AccessView {
        place: place_view(&access.place, base),
        length: access.length,
        kind: access.kind.word(),
        atomic: access.atomic,
        expression: &access.expression,
        function: &access.function,
        thread: &access.thread.name,
        thread_many: access.thread.many,
        thread_started: optional_place(access.thread.started.as_ref(), base),
        locks: access
            .locks
            .iter()
            .map(|lock| lock_view(lock, base))
            .collect(),
        path: access
            .path
            .iter()
            .map(|call| call_view(call, base))
            .collect(),
    }
}

fn lock_view<'r>(lock: &'r Lock, base: &PathBase) -> LockView<'r> {
    LockView {
        name: &lock.name,
        shared: lock.shared,
        acquired: optional_place(lock.acquired.as_ref(), base),
    }
}

fn call_view<'r>(call: &'r Call, base: &PathBase) -> CallView<'r> {
    CallView {
        function: &call.function,
        place: place_view(&call.place, base),
    }
}

fn note_view<'r>(note: &'r Note, base: &PathBase) -> NoteView<'r> {
    NoteView {
        severity: note.severity.to_string(),
        place: optional_place(note.place.as_ref(), base),
        message: &note.message,
        help: note.help.as_deref(),
    }
}

fn optional_place(place: Option<&Place>, base: &PathBase) -> Option<PlaceView> {
    place.map(|place| place_view(place, base))
}

fn place_view(place: &Place, base: &PathBase) -> PlaceView {
    PlaceView {
        file: base.shown(&place.path),
        line: place.line,
        column: place.column,
    }
}
