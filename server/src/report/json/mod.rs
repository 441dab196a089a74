//! Reports for programs. `server/docs/report.schema.json` describes every field.

mod explanation;
mod statistics;
mod verification;
mod violations;

pub use explanation::explanation;
pub use statistics::statistics;
pub use verification::verification;

use super::{
    Access, BaselineComparison, Call, Lock, OfferedComment, PathBase, Race, Report, SuppressedRace,
};
use crate::project::{Note, Place};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

/// Grows when a program that read the last version could not read this one.
const VERSION: u32 = 1;
/// How many bytes are handed on at once.
const PIECE: usize = 64 << 10;

/// The report as one JSON object. Files below `base` are named relative to it.
pub fn json(report: &Report, base: &PathBase) -> String {
    written(&report_view(report, base))
}

/// The same, written piece by piece: the text of a large program is longer than all that is known of it.
pub fn write_json(report: &Report, base: &PathBase, output: impl io::Write) -> io::Result<()> {
    let mut output = io::BufWriter::with_capacity(PIECE, output);
    serde_json::to_writer_pretty(&mut output, &report_view(report, base))?;
    output.write_all(b"\n")?;
    output.flush()
}

fn report_view<'r>(report: &'r Report, base: &'r PathBase) -> ReportView<'r> {
    ReportView {
        version: VERSION,
        races: Races {
            races: &report.races,
            base,
        },
        suppressed: report
            .suppressed
            .iter()
            .map(|suppressed| suppressed_view(suppressed, base))
            .collect(),
        violations: report
            .violations
            .iter()
            .map(|violation| violations::view(violation, base))
            .collect(),
        baseline: report.baseline.as_ref().map(baseline_view),
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
            suppressed: report.suppressed.len() + report.suppressed_violations,
            seconds: report.stats.seconds,
        },
    }
}

pub(super) fn written(view: &impl Serialize) -> String {
    // Strings and numbers only: there is nothing that could fail.
    let mut text = serde_json::to_string_pretty(view).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct ReportView<'r> {
    version: u32,
    races: Races<'r>,
    suppressed: Vec<SuppressedView<'r>>,
    violations: Vec<violations::ViolationView<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineView<'r>>,
    notes: Vec<NoteView<'r>>,
    stats: StatsView,
}

/// One after the other: views of all of them at once would take as much memory as the report.
struct Races<'r> {
    races: &'r [Arc<Race>],
    base: &'r PathBase,
}

impl Serialize for Races<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.races.iter().map(|race| race_view(race, self.base)))
    }
}

#[derive(Serialize)]
struct RaceView<'r> {
    id: &'r str,
    tier: &'static str,
    rank: u8,
    location: &'r str,
    reasons: Vec<ReasonView<'r>>,
    accesses: Vec<AccessView<'r>>,
    more_accesses: usize,
    benign_comments: Vec<CommentView<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<verification::VerifiedView<'r>>,
}

#[derive(Serialize)]
struct CommentView<'r> {
    file: Cow<'r, str>,
    line: u32,
    text: &'r str,
}

#[derive(Serialize)]
struct SuppressedView<'r> {
    #[serde(flatten)]
    race: RaceView<'r>,
    suppressions: Vec<SuppressionView<'r>>,
}

#[derive(Serialize)]
struct SuppressionView<'r> {
    #[serde(flatten)]
    place: PlaceView<'r>,
    reason: &'r str,
}

#[derive(Serialize)]
struct BaselineView<'r> {
    known: usize,
    gone: Vec<GoneView<'r>>,
}

#[derive(Serialize)]
struct GoneView<'r> {
    id: &'r str,
    location: &'r str,
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
    place: PlaceView<'r>,
    length: u32,
    kind: &'static str,
    atomic: bool,
    expression: &'r str,
    function: &'r str,
    thread: &'r str,
    thread_many: bool,
    thread_started: Option<PlaceView<'r>>,
    locks: Vec<LockView<'r>>,
    path: Vec<CallView<'r>>,
}

#[derive(Serialize)]
struct LockView<'r> {
    name: &'r str,
    shared: bool,
    acquired: Option<PlaceView<'r>>,
}

#[derive(Serialize)]
struct CallView<'r> {
    function: &'r str,
    #[serde(flatten)]
    place: PlaceView<'r>,
}

#[derive(Serialize)]
struct PlaceView<'r> {
    file: Cow<'r, str>,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct NoteView<'r> {
    severity: String,
    place: Option<PlaceView<'r>>,
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
    suppressed: usize,
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
        more_accesses: race.unlisted.count,
        benign_comments: race
            .benign_comments
            .iter()
            .map(|comment| comment_view(comment, base))
            .collect(),
        verification: race
            .verified
            .as_ref()
            .map(|verified| verification::verified_view(verified, base)),
    }
}

fn comment_view<'r>(comment: &'r OfferedComment, base: &PathBase) -> CommentView<'r> {
    CommentView {
        file: base.shown(&comment.place.path),
        line: comment.place.line,
        text: &comment.text,
    }
}

fn suppressed_view<'r>(suppressed: &'r SuppressedRace, base: &PathBase) -> SuppressedView<'r> {
    SuppressedView {
        race: race_view(&suppressed.race, base),
        suppressions: suppressed
            .suppressions
            .iter()
            .map(|suppression| SuppressionView {
                place: place_view(&suppression.place, base),
                reason: &suppression.reason,
            })
            .collect(),
    }
}

fn baseline_view(comparison: &BaselineComparison) -> BaselineView<'_> {
    let gone = comparison.gone.iter();
    BaselineView {
        known: comparison.known.len() + comparison.known_violations.len(),
        gone: gone
            .map(|known| GoneView {
                id: &known.id,
                location: &known.location,
            })
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

fn optional_place<'r>(place: Option<&'r Place>, base: &PathBase) -> Option<PlaceView<'r>> {
    place.map(|place| place_view(place, base))
}

fn place_view<'r>(place: &'r Place, base: &PathBase) -> PlaceView<'r> {
    PlaceView {
        file: base.shown(&place.path),
        line: place.line,
        column: place.column,
    }
}
