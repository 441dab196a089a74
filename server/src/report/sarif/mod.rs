//! Reports as SARIF 2.1.0, which GitHub code scanning and many editors read.

mod flows;
mod states;
mod violations;

use super::{Access, PathBase, Race, Report, Tier};
use crate::project::{Note, Place, Severity};
use serde_json::{Value, json};

/// The id of the rule for races.
const RULE: &str = "race";
/// What relative URIs are relative to, by the name that GitHub uses.
const SOURCE_ROOT: &str = "%SRCROOT%";
/// Possible races of a lower rank are notes: a reviewer sees them, a build does not fail for them.
const LEAST_WARNING: u8 = 30;

/// The findings of the report as one SARIF log. Files below `base`, which should be the top of the
/// repository, are named relative to it.
pub fn sarif(report: &Report, base: &PathBase) -> String {
    let results = states::results(report, base);
    let notifications: Vec<Value> = report
        .notes
        .iter()
        .map(|note| notification(note, base))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.stats.units > 0,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// The rules of lock annotations come behind that of races.
const FIRST_ANNOTATION_RULE: usize = 1;

fn driver() -> Value {
    let mut rules = vec![race_rule()];
    rules.extend(violations::rules());
    json!({
        "name": "Racelens",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    })
}

fn race_rule() -> Value {
    json!({
        "id": RULE,
        "name": "DataRace",
        "shortDescription": { "text": "Data race" },
        "fullDescription": { "text":
            "Two threads can access the same memory at the same time, at least one of them writes, and no common lock protects both." },
        "help": {
            "text": include_str!("help.md"),
            "markdown": include_str!("help.md"),
        },
        "defaultConfiguration": { "level": "warning" },
        "properties": {
            "tags": ["concurrency", "correctness", "external/cwe/cwe-362"],
            "precision": "medium",
            "problem.severity": "warning",
        },
    })
}

fn result(race: &Race, base: &PathBase) -> Value {
    let pair = &race.accesses[..race.accesses.len().min(2)];
    let main_location: Vec<Value> = pair
        .first()
        .map(|access| access_location(access, base))
        .into_iter()
        .collect();
    let others = race.accesses.iter().enumerate().skip(1);
    let related: Vec<Value> = others
        .map(|(number, access)| {
            let mut location = access_location(access, base);
            location["id"] = json!(number);
            location["message"] = json!({ "text": super::text::access_in_words(access) });
            location
        })
        .collect();
    let mut result = json!({
        "ruleId": RULE,
        "ruleIndex": 0,
        "level": level(race),
        "rank": f64::from(race.rank),
        "message": { "text": message(race) },
        "locations": main_location,
        "relatedLocations": related,
        "suppressions": [],
        "partialFingerprints": {
            "racelensId/v1": race.id,
            // The one that GitHub compares. Two races on one line stay two.
            "primaryLocationLineHash": format!("{}:1", race.id),
        },
        "properties": {
            "tier": race.tier.word(),
            "verification": race.verified.as_ref().map(|verified| json!({
                "verdict": verified.word(), "summary": super::text::verified_in_words(verified),
            })),
            "location": race.location,
            "moreAccesses": race.unlisted.count,
            "reasons": race.reasons.iter().map(|reason| json!({
                "kind": reason.kind, "text": reason.text, "doubt": reason.doubt,
            })).collect::<Vec<Value>>(),
        },
    });
    if !pair.is_empty() {
        let seen = race.trace().map(|trace| flows::interleaving(trace, base));
        let flows = seen.into_iter().chain([flows::code_flow(pair, base)]);
        result["codeFlows"] = flows.collect();
    }
    result
}

fn level(race: &Race) -> &'static str {
    match race.tier {
        Tier::Witnessed => "error",
        Tier::Possible if race.rank >= LEAST_WARNING => "warning",
        Tier::Possible | Tier::ProvenSafe => "note",
    }
}

/// Plain sentences. `[…](1)` is a link to the related location with that id.
fn message(race: &Race) -> String {
    let verdict = match race.tier {
        Tier::Witnessed => "Data race",
        Tier::Possible | Tier::ProvenSafe => "Possible data race",
    };
    let mut text = format!("{verdict} on `{}`", without_links(&race.location));
    if let [first, second, ..] = race.accesses.as_slice() {
        let second_words = without_links(&super::text::access_in_words(second));
        text.push_str(&format!(
            ": {}; [{second_words}](1).",
            without_links(&super::text::access_in_words(first)),
        ));
    } else {
        text.push('.');
    }
    for reason in &race.reasons {
        let sentence = without_links(reason.text.trim_end_matches('.'));
        let sentence = if reason.doubt {
            format!("But: {sentence}")
        } else {
            capitalised(&sentence)
        };
        text.push_str(&format!(" {sentence}."));
    }
    text
}

fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next();
    let first = first.map_or_else(String::new, |first| first.to_uppercase().to_string());
    first + characters.as_str()
}

/// Brackets of the program are no links (SARIF §3.11.6).
fn without_links(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('[', "\\[")
        .replace(']', "\\]")
}

fn access_location(access: &Access, base: &PathBase) -> Value {
    let mut location = location(&access.place, access.length, base);
    location["logicalLocations"] = json!([{ "name": access.function, "kind": "function" }]);
    location
}

fn location(place: &Place, length: u32, base: &PathBase) -> Value {
    // Zero, for a place that is not known exactly, is not valid.
    let (line, column) = (place.line.max(1), place.column.max(1));
    let mut region = json!({ "startLine": line, "startColumn": column });
    if length > 0 {
        region["endColumn"] = json!(column.saturating_add(length));
    }
    let mut artifact = json!({ "uri": base.uri(&place.path) });
    if base.relative(&place.path).is_some() {
        artifact["uriBaseId"] = json!(SOURCE_ROOT);
    }
    json!({ "physicalLocation": { "artifactLocation": artifact, "region": region } })
}

fn notification(note: &Note, base: &PathBase) -> Value {
    let level = match note.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "note",
    };
    let text = match &note.help {
        Some(help) => format!("{} ({help})", note.message),
        None => note.message.clone(),
    };
    let mut notification = json!({ "level": level, "message": { "text": text } });
    if let Some(place) = &note.place {
        notification["locations"] = json!([location(place, 0, base)]);
    }
    notification
}
