//! `textDocument/codeLens`: over each function, which threads run it; at each racing access, what can be done to see the
//! race happen. What a lens says is found when it is shown.

use crate::lsp::capabilities::{EXPLAIN, SHOW_INTERLEAVING, VERIFY};
use crate::lsp::driver::{Program, View};
use crate::report::{FunctionPlace, Race, Thread, Verified, VerifyVerdict};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{CodeLens, Command, Position};

/// What a lens is about, which the client gives back when it wants to show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    pub file: PathBuf,
    #[serde(flatten)]
    about: About,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum About {
    Function(String),
    /// By its id.
    Race(String),
}

pub fn lenses(view: &View<'_>, file: &Path) -> Vec<CodeLens> {
    if !view.settings.code_lens {
        return Vec::new();
    }
    let Some((program, name)) = view.program_of(file) else {
        return Vec::new();
    };
    let functions = program.check.functions_in(program.workspace, &name);
    let functions = functions
        .into_iter()
        .filter(|function| function.place.path == name);
    let lens = |range, about| CodeLens {
        range,
        command: None,
        data: serde_json::to_value(Subject {
            file: file.to_owned(),
            about,
        })
        .ok(),
    };
    let mut lenses: Vec<CodeLens> = functions
        .map(|function| {
            let range = program.range(&function.place, function.name.chars().count() as u32);
            lens(range, About::Function(function.name))
        })
        .collect();
    for race in program.report.races.iter().filter(|race| race.is_finding()) {
        let mut lines = BTreeSet::new();
        let ends = race.accesses.iter().take(2);
        for end in ends.filter(|end| end.place.path == name) {
            // Both accesses of a line are the same to its reader.
            if lines.insert(end.place.line) {
                let range = program.range(&end.place, end.length);
                lenses.push(lens(range, About::Race(race.id.clone())));
            }
        }
    }
    lenses
}

pub fn subject(lens: &CodeLens) -> Option<Subject> {
    serde_json::from_value(lens.data.clone()?).ok()
}

pub fn resolve(view: &View<'_>, subject: &Subject, lens: CodeLens) -> CodeLens {
    let program = view.program_of(&subject.file);
    let command = match (&subject.about, &program) {
        (About::Function(function), Some((program, name))) => {
            let found = function_named(program, name, function);
            let title = found.map(|found| title(&found));
            title.map(|title| explain_command(view, &subject.file, title, lens.range.start))
        }
        (About::Race(id), Some((program, _))) => program.race(id).map(race_command),
        _ => None,
    };
    // A lens without a command cannot be shown, and one with an empty command cannot be clicked.
    let gone = || Command::new("this is gone".to_owned(), String::new(), None);
    CodeLens {
        command: Some(command.unwrap_or_else(gone)),
        ..lens
    }
}

fn function_named(program: &Program<'_>, file: &Path, function: &str) -> Option<FunctionPlace> {
    let functions = program.check.functions_in(program.workspace, file);
    let mut functions = functions.into_iter();
    functions.find(|it| it.name == function && it.place.path == file)
}

/// Explains the place of the lens.
fn explain_command(view: &View<'_>, file: &Path, title: String, position: Position) -> Command {
    let uri = view.uri(file).map(|uri| uri.as_str().to_owned());
    let arguments = vec![json!(uri), json!(position)];
    Command::new(title, EXPLAIN.to_owned(), Some(arguments))
}

/// What to do next about a race.
fn race_command(race: &Race) -> Command {
    let (title, command) = match &race.verified {
        None => (format!("Verify the race on {}", race.location), VERIFY),
        Some(Verified::OutOfDate) => (
            "Interleaving is out of date – verify again".to_owned(),
            VERIFY,
        ),
        Some(Verified::Answered { verdict, bounds }) => match verdict {
            VerifyVerdict::Witnessed(_) => ("Show interleaving".to_owned(), SHOW_INTERLEAVING),
            VerifyVerdict::NotFound { complete: true, .. } => (
                "No interleaving found: all were tried – verify again".to_owned(),
                VERIFY,
            ),
            VerifyVerdict::NotFound { .. } => {
                let most = match bounds.switches_done {
                    Some(1) => "with 1 switch at most".to_owned(),
                    Some(switches) => format!("with {switches} switches at most"),
                    None => "within the bounds".to_owned(),
                };
                (
                    format!("No interleaving found {most} – verify again"),
                    VERIFY,
                )
            }
            VerifyVerdict::Unknown(_) => (
                "Verifying came to no answer – verify again".to_owned(),
                VERIFY,
            ),
        },
    };
    Command::new(title, command.to_owned(), Some(vec![json!(race.id)]))
}

fn title(function: &FunctionPlace) -> String {
    if function.threads.is_empty() {
        return "no known thread runs this".to_owned();
    }
    let mut names: Vec<String> = Vec::new();
    for thread in &function.threads {
        let name = named(thread);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let several = names.len() > 1;
    let noun = if several { "threads" } else { "thread" };
    format!("{noun}: {}", names.join(", "))
}

fn named(thread: &Thread) -> String {
    if thread.many {
        format!("{} (several)", thread.name)
    } else {
        thread.name.clone()
    }
}
