//! Broken promises about locks, one rule for each attribute.

use super::super::{PathBase, Violation};
use super::{location, without_links};
use serde_json::{Value, json};

/// The attributes with what breaking each means, in the order of their rules.
const RULES: &[(&str, &str, &str)] = &[
    (
        "guarded_by",
        "GuardedBy",
        "Memory is accessed without the lock that its declaration names as its guard.",
    ),
    (
        "requires_capability",
        "RequiresCapability",
        "A function is called without the lock that its declaration requires.",
    ),
    (
        "acquire_capability",
        "AcquireCapability",
        "A function returns without the lock that its declaration says it takes.",
    ),
    (
        "release_capability",
        "ReleaseCapability",
        "A function does not release the lock that its declaration says it releases.",
    ),
];

pub(super) fn rules() -> Vec<Value> {
    let rules = RULES.iter();
    rules
        .map(|(id, name, description)| {
            json!({
                "id": id,
                "name": name,
                "shortDescription": { "text": format!("Violated `{id}`") },
                "fullDescription": { "text": description },
                "help": {
                    "text": include_str!("annotations_help.md"),
                    "markdown": include_str!("annotations_help.md"),
                },
                "defaultConfiguration": { "level": "warning" },
                "properties": {
                    "tags": ["concurrency", "correctness", "external/cwe/cwe-667"],
                    "precision": "high",
                    "problem.severity": "warning",
                },
            })
        })
        .collect()
}

/// `first_rule` is the index of the first of these rules among all.
pub(super) fn result(violation: &Violation, first_rule: usize, base: &PathBase) -> Value {
    let rule = RULES.iter().position(|(id, ..)| *id == violation.code);
    let mut place = location(&violation.place, violation.length, base);
    place["logicalLocations"] = json!([{ "name": violation.function, "kind": "function" }]);
    let message = without_links(&violation.message);
    json!({
        "ruleId": violation.code,
        "ruleIndex": first_rule + rule.unwrap_or(0),
        "level": "warning",
        "message": { "text": format!("{message}.") },
        "locations": [place],
        "suppressions": [],
        "partialFingerprints": {
            "racelensId/v1": violation.id,
            "primaryLocationLineHash": format!("{}:1", violation.id),
        },
        "properties": { "subject": violation.subject, "lock": violation.lock },
    })
}
