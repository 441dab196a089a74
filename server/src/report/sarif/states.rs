//! What became of each race: new, known before, gone, or accepted by a comment.

use super::super::{KnownRace, PathBase, Race, Report, Suppression, Violation};
use super::{FIRST_ANNOTATION_RULE, location, result, violations, without_links};
use serde_json::{Value, json};
use std::sync::Arc;

/// All results. Those that a comment accepts or that a baseline knows are among them, marked as such, because a
/// reader of SARIF would otherwise take them for repaired.
pub(super) fn results(report: &Report, base: &PathBase) -> Vec<Value> {
    let finding = |race: &&Arc<Race>| race.is_finding();
    let state = report.baseline.as_ref().map(|_| "new");
    let races = report.races.iter().filter(finding);
    let mut results: Vec<Value> = races
        .map(|race| with_state(result(race, base), state))
        .collect();
    let violation =
        |violation: &Violation| violations::result(violation, FIRST_ANNOTATION_RULE, base);
    let violations = report.violations.iter();
    results.extend(violations.map(|one| with_state(violation(one), state)));
    if let Some(baseline) = &report.baseline {
        let known = baseline.known.iter().filter(finding);
        results.extend(known.map(|race| with_state(result(race, base), Some("unchanged"))));
        let known = baseline.known_violations.iter();
        results.extend(known.map(|one| with_state(violation(one), Some("unchanged"))));
        results.extend(baseline.gone.iter().map(absent));
    }
    for suppressed in &report.suppressed {
        let mut result = result(&suppressed.race, base);
        let suppressions = suppressed.suppressions.iter();
        result["suppressions"] = suppressions.map(|one| suppression(one, base)).collect();
        results.push(result);
    }
    results
}

fn with_state(mut result: Value, state: Option<&str>) -> Value {
    if let Some(state) = state {
        result["baselineState"] = json!(state);
    }
    result
}

fn suppression(suppression: &Suppression, base: &PathBase) -> Value {
    json!({
        "kind": "inSource",
        "status": "accepted",
        "justification": suppression.reason,
        "location": location(&suppression.place, 0, base),
    })
}

/// The baseline does not know where a race was.
fn absent(known: &KnownRace) -> Value {
    let location = without_links(&known.location);
    json!({
        "ruleId": known.code,
        "level": "none",
        "kind": "pass",
        "message": { "text": format!("The finding on `{location}` is gone.") },
        "suppressions": [],
        "partialFingerprints": { "racelensId/v1": known.id },
        "baselineState": "absent",
    })
}
