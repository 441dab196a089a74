//! Findings and notes as diagnostics.

use crate::lsp::documentation::Page;
use crate::lsp::driver::Findings;
use crate::project::{Note, Place, Severity};
use crate::report::text::{access_in_words, lock_taken_in_words};
use crate::report::{Access, Lock, Race, Thread, Tier, Verified, Violation, WitnessTrace};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tower_lsp::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString,
};

/// Who the diagnostics are from.
pub const SOURCE: &str = "racelens";
/// Possible races of a lower rank are no warnings, as in reports for code scanning.
const LEAST_WARNING: u8 = 30;
/// More accesses of one cause than this tell nobody anything.
const MOST_RELATED: usize = 12;
/// The last steps of an interleaving that are listed: a long way there says little.
const MOST_STEPS: usize = 60;

/// All that is to show for a program, by the name of the file.
pub fn diagnostics(findings: &Findings<'_>) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut files: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    let mut add = |place: &Place, diagnostic: Diagnostic| {
        files
            .entry(place.path.clone())
            .or_default()
            .push(diagnostic);
    };
    for race in findings
        .report
        .races
        .iter()
        .filter(|race| race.is_finding())
    {
        let mut seen: BTreeSet<&Place> = BTreeSet::new();
        for end in race.accesses.iter().take(2) {
            // An access that races with itself in another thread is one end.
            if seen.insert(&end.place) {
                add(&end.place, race_end(findings, race, end));
            }
        }
    }
    for violation in &findings.report.violations {
        add(&violation.place, violated(findings, violation));
    }
    for note in &findings.report.notes {
        if let Some(place) = &note.place {
            add(place, noted(findings, note, place));
        }
    }
    for diagnostics in files.values_mut() {
        diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
    }
    files
}

/// A race in words, seen from one of its accesses.
pub fn race_message(race: &Race, end: &Access) -> String {
    let verdict = match race.tier {
        Tier::Witnessed => "data race",
        Tier::Possible | Tier::ProvenSafe => "possible data race",
    };
    let words = access_in_words(end);
    let mut message = format!("{verdict} on `{}`: {words}", race.location);
    let mut pair = race.accesses.iter().take(2);
    match pair.find(|other| other.place != end.place) {
        Some(other) => message.push_str(&format!("; {}", access_in_words(other))),
        None => message.push_str("; the same in another thread"),
    }
    // The other reasons say what the accesses show themselves.
    let mut reasons = race.reasons.iter();
    if let Some(reason) = reasons.find(|reason| reason.kind == "inferred_guard") {
        message.push_str(&format!("\n{}", reason.text));
    }
    message
}

fn race_end(findings: &Findings<'_>, race: &Race, end: &Access) -> Diagnostic {
    Diagnostic {
        range: findings.range(&end.place, end.length),
        severity: Some(severity(race)),
        code: Some(NumberOrString::String("race".to_owned())),
        code_description: page(findings, Page::Race),
        source: Some(SOURCE.to_owned()),
        message: race_message(race, end),
        related_information: Some(match race.trace() {
            Some(trace) => interleaving(findings, trace),
            None => circumstances(findings, race, end),
        }),
        tags: None,
        data: Some(json!({
            "id": race.id,
            "tier": race.tier.word(),
            "verdict": race.verified.as_ref().map(Verified::word),
            "rank": race.rank,
            "location": race.location,
        })),
    }
}

/// The steps of an interleaving in their order, so that whoever walks through them sees it happen.
fn interleaving(
    findings: &Findings<'_>,
    trace: &WitnessTrace,
) -> Vec<DiagnosticRelatedInformation> {
    let mut related = Related::new(findings);
    let count = trace.steps.len() + trace.ends.len();
    let steps = trace.all_steps().enumerate();
    for (index, step) in steps.skip(count.saturating_sub(MOST_STEPS)) {
        let thread = trace.thread_name(step.thread);
        let mut text = format!("{}. thread {thread}: {}", index + 1, step.text);
        if index >= trace.steps.len() {
            let together = if trace.ends.len() > 1 {
                ", at the same time"
            } else {
                ""
            };
            let locks = match step.locks.as_slice() {
                [] => "no lock".to_owned(),
                locks => locks.join(", "),
            };
            text.push_str(&format!("{together}, holding {locks}"));
        }
        related.add(step.place.as_ref(), step.length(), text);
    }
    related.found
}

/// The other accesses, and where locks were taken and threads were started.
fn circumstances(
    findings: &Findings<'_>,
    race: &Race,
    end: &Access,
) -> Vec<DiagnosticRelatedInformation> {
    let mut related = Related::new(findings);
    let others = race
        .accesses
        .iter()
        .filter(|other| other.place != end.place);
    for other in others.take(MOST_RELATED) {
        let text = access_in_words(other);
        related.add(
            Some(&other.place),
            other.length,
            format!("`{}`: {text}", other.expression),
        );
        related.locks(&other.locks);
        related.thread(&other.thread);
    }
    related.locks(&end.locks);
    related.thread(&end.thread);
    related.found
}

fn severity(race: &Race) -> DiagnosticSeverity {
    match race.tier {
        Tier::Witnessed => DiagnosticSeverity::ERROR,
        Tier::Possible if race.rank >= LEAST_WARNING => DiagnosticSeverity::WARNING,
        Tier::Possible | Tier::ProvenSafe => DiagnosticSeverity::INFORMATION,
    }
}

fn violated(findings: &Findings<'_>, violation: &Violation) -> Diagnostic {
    let mut related = Related::new(findings);
    related.locks(&violation.locks);
    if let Some(thread) = &violation.thread {
        related.thread(thread);
    }
    for call in violation.path.iter().rev().take(MOST_RELATED) {
        related.add(
            Some(&call.place),
            0,
            format!("`{}` is called here", call.function),
        );
    }
    Diagnostic {
        range: findings.range(&violation.place, violation.length),
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String(violation.code.clone())),
        code_description: page(findings, Page::Annotation),
        source: Some(SOURCE.to_owned()),
        message: violation.message.clone(),
        related_information: Some(related.found),
        tags: None,
        data: Some(json!({ "id": violation.id })),
    }
}

fn noted(findings: &Findings<'_>, note: &Note, place: &Place) -> Diagnostic {
    let message = match &note.help {
        Some(help) => format!("{}\n{help}", note.message),
        None => note.message.clone(),
    };
    Diagnostic {
        range: findings.range(place, 0),
        severity: Some(match note.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String("note".to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    }
}

fn page(findings: &Findings<'_>, page: Page) -> Option<CodeDescription> {
    let href = findings.view().documentation.uri(page)?;
    Some(CodeDescription { href })
}

/// Other places that belong to a diagnostic, each once.
struct Related<'p> {
    findings: &'p Findings<'p>,
    found: Vec<DiagnosticRelatedInformation>,
}

impl<'p> Related<'p> {
    fn new(findings: &'p Findings<'_>) -> Related<'p> {
        Related {
            findings,
            found: Vec::new(),
        }
    }

    fn add(&mut self, place: Option<&Place>, length: u32, message: String) {
        let location = place.and_then(|place| self.findings.location(place, length));
        if let Some(location) = location {
            let related = DiagnosticRelatedInformation { location, message };
            if !self.found.contains(&related) {
                self.found.push(related);
            }
        }
    }

    fn locks(&mut self, locks: &[Lock]) {
        for lock in locks {
            let text = lock_taken_in_words(&lock.name, lock.shared);
            self.add(lock.acquired.as_ref(), 0, text);
        }
    }

    fn thread(&mut self, thread: &Thread) {
        let text = format!("thread `{}` is started here", thread.name);
        self.add(thread.started.as_ref(), 0, text);
    }
}
