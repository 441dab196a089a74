//! `textDocument/codeAction`: what can be done about a race, as edits of the text that was checked.

mod add_guarded_by;
mod declaration;
mod edit;
mod make_atomic;
mod mark_benign;
mod statement;
mod take_lock;

use crate::lsp::capabilities::{EXPLAIN, SHOW_INTERLEAVING, VERIFY};
use crate::lsp::driver::{Program, View};
use crate::report::{Access, Race};
use edit::Edits;
use serde_json::{Value, json};
use std::path::Path;
use tower_lsp::ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, Range,
};

/// An edit that would do something about a race.
struct Fix {
    title: String,
    edits: Edits,
    is_preferred: bool,
}

/// For every race and violation that has an access in the range.
pub fn actions(
    view: &View<'_>,
    file: &Path,
    range: Range,
    context: &CodeActionContext,
) -> Vec<CodeActionOrCommand> {
    let wanted = context.only.as_deref().is_none_or(|kinds| {
        let is_wanted = |kind: &CodeActionKind| {
            let kind = kind.as_str();
            kind.is_empty() || kind == CodeActionKind::QUICKFIX.as_str()
        };
        kinds.iter().any(is_wanted)
    });
    let Some((program, name)) = view.program_of(file).filter(|_| wanted) else {
        return Vec::new();
    };
    let mut actions = Vec::new();
    let is_here = |place: &crate::project::Place, length: u32| {
        place.path == name && overlap(program.range(place, length), range)
    };
    for race in program.report.races.iter().filter(|race| race.is_finding()) {
        let mut ends = race.accesses.iter();
        let Some(end) = ends.find(|access| is_here(&access.place, access.length)) else {
            continue;
        };
        let diagnostics = matching(&context.diagnostics, &race.id);
        for fix in fixes(&program, race, end) {
            actions.extend(action(view, fix, &diagnostics));
        }
        actions.push(verify(race, &diagnostics));
        actions.push(explain(&race.location, &race.id, diagnostics));
    }
    for violation in &program.report.violations {
        if !is_here(&violation.place, violation.length) {
            continue;
        }
        let diagnostics = matching(&context.diagnostics, &violation.id);
        let (check, workspace) = (program.check, program.workspace);
        let comment = violation.thread.as_ref();
        let comment = comment.and_then(|_| check.benign_comment(workspace, &violation.place));
        let fix = mark_benign::fix(&program, &violation.subject, comment.as_slice());
        actions.extend(fix.and_then(|fix| action(view, fix, &diagnostics)));
        actions.push(explain(&violation.subject, &violation.id, diagnostics));
    }
    actions
}

fn fixes(program: &Program<'_>, race: &Race, end: &Access) -> Vec<Fix> {
    let comments = program.check.benign_comments(program.workspace, &race.id);
    [
        take_lock::fix(program, race, end),
        make_atomic::fix(program, race, end),
        add_guarded_by::fix(program, race, end),
        mark_benign::fix(program, &race.location, &comments),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn action(view: &View<'_>, fix: Fix, diagnostics: &[Diagnostic]) -> Option<CodeActionOrCommand> {
    let action = CodeAction {
        title: fix.title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(diagnostics.to_vec()),
        edit: Some(fix.edits.workspace_edit(view)?),
        is_preferred: Some(fix.is_preferred),
        ..CodeAction::default()
    };
    Some(CodeActionOrCommand::CodeAction(action))
}

fn explain(subject: &str, id: &str, diagnostics: Vec<Diagnostic>) -> CodeActionOrCommand {
    let title = format!("Explain the race on `{subject}`");
    command(title, EXPLAIN, id, diagnostics)
}

/// Lets the race be seen: looks for an interleaving, or shows the one that is known.
fn verify(race: &Race, diagnostics: &[Diagnostic]) -> CodeActionOrCommand {
    let location = &race.location;
    let (title, name) = match race.trace() {
        Some(_) => (
            format!("Show the interleaving of the race on `{location}`"),
            SHOW_INTERLEAVING,
        ),
        None => (format!("Verify the race on `{location}`"), VERIFY),
    };
    command(title, name, &race.id, diagnostics.to_vec())
}

/// An action that changes nothing in the text.
fn command(
    title: String,
    name: &str,
    id: &str,
    diagnostics: Vec<Diagnostic>,
) -> CodeActionOrCommand {
    CodeActionOrCommand::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(diagnostics),
        command: Some(Command::new(title, name.to_owned(), Some(vec![json!(id)]))),
        ..CodeAction::default()
    })
}

/// The diagnostics of the client that are about a finding.
fn matching(diagnostics: &[Diagnostic], id: &str) -> Vec<Diagnostic> {
    let diagnostics = diagnostics.iter();
    let about = diagnostics.filter(|diagnostic| {
        let data = diagnostic.data.as_ref();
        data.and_then(|data| data.get("id")).and_then(Value::as_str) == Some(id)
    });
    about.cloned().collect()
}

/// Also if one of them is empty and lies at the other's end.
fn overlap(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
