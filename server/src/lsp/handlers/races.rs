//! `racelens/races`: everything that was found, for the editor's own views.

use crate::lsp::driver::{Program, View};
use crate::lsp::to_proto::race_message;
use crate::report::text::verified_in_words;
use crate::report::{Access, Race, Verified, Violation};
use serde_json::{Value, json};

pub fn races(view: &View<'_>) -> Value {
    let mut races = Vec::new();
    let mut violations = Vec::new();
    for program in view.programs() {
        let found = program.report.races.iter().filter(|race| race.is_finding());
        races.extend(found.map(|race| race_value(&program, race)));
        let broken = program.report.violations.iter();
        violations.extend(broken.map(|violation| violation_value(&program, violation)));
    }
    json!({ "races": races, "violations": violations, "checks": view.checks })
}

fn race_value(program: &Program<'_>, race: &Race) -> Value {
    let accesses = race.accesses.iter();
    let accesses: Vec<Value> = accesses
        .filter_map(|access| access_value(program, access))
        .collect();
    let reasons = race.reasons.iter();
    let reasons: Vec<Value> = reasons
        .map(|reason| json!({ "kind": reason.kind, "text": reason.text, "doubt": reason.doubt }))
        .collect();
    json!({
        "id": race.id,
        "tier": race.tier.word(),
        "verdict": race.verified.as_ref().map(Verified::word),
        "summary": race.verified.as_ref().map(verified_in_words),
        "rank": race.rank,
        "kind": "race",
        "location_name": race.location,
        "message": race.accesses.first().map(|first| race_message(race, first)),
        "reasons": reasons,
        "accesses": accesses,
        "more_accesses": race.unlisted.count,
    })
}

fn access_value(program: &Program<'_>, access: &Access) -> Option<Value> {
    let location = program.location(&access.place, access.length)?;
    let locks: Vec<&str> = access.locks.iter().map(|lock| lock.name.as_str()).collect();
    Some(json!({
        "uri": location.uri,
        "range": location.range,
        "write": access.kind.writes(),
        "atomic": access.atomic,
        "expression": access.expression,
        "thread": access.thread.name,
        "thread_many": access.thread.many,
        "locks": locks,
        "function": access.function,
    }))
}

fn violation_value(program: &Program<'_>, violation: &Violation) -> Option<Value> {
    let location = program.location(&violation.place, violation.length)?;
    let locks: Vec<&str> = violation
        .locks
        .iter()
        .map(|lock| lock.name.as_str())
        .collect();
    Some(json!({
        "id": violation.id,
        "kind": violation.code,
        "message": violation.message,
        "subject": violation.subject,
        "lock": violation.lock,
        "uri": location.uri,
        "range": location.range,
        "function": violation.function,
        "thread": violation.thread.as_ref().map(|thread| &thread.name),
        "locks": locks,
    }))
}
