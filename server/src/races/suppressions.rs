//! The comments by which the user accepts races, and the statements that they are about.

use super::checked::Checked;
use super::places::Places;
use crate::project::Note;
use crate::report::Suppression;
use crate::suppression::{BenignComment, Directive, Mistake, SourceCode, may_have_comments};
use crate::workspace::Workspace;
use racelens_analysis::contracts::Violation;
use racelens_analysis::db::Function;
use racelens_analysis::host::Analysis;
use racelens_analysis::ir::StatementId;
use racelens_analysis::races::{Race, Sighting};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use ustr::Ustr;

/// All comments of the program that are meant for Racelens.
#[derive(Default)]
pub(super) struct Suppressions {
    comments: Vec<FoundComment>,
    /// By number, whether or not they are in force.
    by_statement: HashMap<(Function, StatementId), Vec<usize>>,
}

struct FoundComment {
    comment: BenignComment,
    /// The fingerprint of the code as it is now.
    fingerprint: Option<String>,
    /// Whether the compiler saw code there, rather than leaving it out by `#if`.
    is_compiled: bool,
}

impl Suppressions {
    pub fn find(workspace: &Workspace, analysis: &Analysis, places: &Places<'_>) -> Suppressions {
        let units = analysis.program().units.values();
        let placed = || units.clone().flat_map(|table| &table.functions);
        let files: HashSet<Ustr> = units
            .clone()
            .flat_map(|table| table.files().iter().copied())
            .collect();
        let texts = workspace.texts_that(files, may_have_comments);
        let mut suppressions = Suppressions::default();
        for (file, text) in texts {
            let code = SourceCode::new(text.to_string());
            let functions = placed().filter(|placed| placed.key.file == file && !placed.kept);
            let functions: HashSet<Function> = functions.map(|placed| placed.function).collect();
            for comment in code.benign_comments(Path::new(file.as_str())) {
                let fingerprint = comment.lines.clone().map(|lines| code.fingerprint(lines));
                let found = FoundComment {
                    comment,
                    fingerprint,
                    is_compiled: false,
                };
                suppressions.add(found, file, &functions, analysis, places);
            }
        }
        suppressions
    }

    fn add(
        &mut self,
        mut found: FoundComment,
        file: Ustr,
        functions: &HashSet<Function>,
        analysis: &Analysis,
        places: &Places<'_>,
    ) {
        let number = self.comments.len();
        if let Some(lines) = found.comment.lines.clone() {
            for &function in functions {
                let Some(locations) = places.locations(function) else {
                    continue;
                };
                if !lines.clone().any(|line| locations.has_line(file, line)) {
                    continue;
                }
                found.is_compiled = true;
                let Some(body) = analysis.body(function) else {
                    continue;
                };
                for (statement, _) in body.statements() {
                    let place = places.statement_place(function, statement);
                    if place.is_some_and(|place| {
                        place.path == Path::new(file.as_str()) && lines.contains(&place.line)
                    }) {
                        let key = (function, statement);
                        self.by_statement.entry(key).or_default().push(number);
                    }
                }
            }
        }
        self.comments.push(found);
    }

    /// The statements whose races are accepted.
    pub fn statements(&self) -> Vec<(Function, StatementId)> {
        let statements = self.by_statement.iter();
        statements
            .filter(|(_, numbers)| self.in_force(numbers).next().is_some())
            .map(|(statement, _)| *statement)
            .collect()
    }

    /// Whether a comment accepts a broken promise about locks.
    pub fn accepts(&self, checked: &Checked<'_>, violation: &Violation) -> bool {
        let numbers = self.at_violation(checked, violation);
        numbers.is_some_and(|numbers| self.in_force(numbers).next().is_some())
    }

    fn at_violation(&self, checked: &Checked<'_>, violation: &Violation) -> Option<&Vec<usize>> {
        let function = checked.entity(violation.function);
        self.by_statement.get(&(function, violation.statement?))
    }

    /// The comments that accept a race, each once, in the order of the text.
    pub fn of(&self, checked: &Checked<'_>, race: &Race) -> Vec<Suppression> {
        let numbers: BTreeSet<usize> = sides(race)
            .filter_map(|side| self.by_statement.get(&checked.statement(side)))
            .flat_map(|numbers| self.in_force(numbers))
            .collect();
        let comments = numbers.into_iter().map(|number| &self.comments[number]);
        comments
            .filter_map(|found| {
                Some(Suppression {
                    place: found.comment.place.clone(),
                    reason: found.directive_in_force()?.reason.clone(),
                })
            })
            .collect()
    }

    /// What is wrong with comments: mistakes, code that has changed, and comments that nothing needs.
    pub fn notes(&self, checked: &Checked<'_>) -> Vec<Note> {
        // Most programs have none, and some have many races.
        if self.comments.is_empty() {
            return Vec::new();
        }
        let program = checked.program();
        let needed = |races: &[Arc<Race>]| -> HashSet<usize> {
            let sides = races.iter().flat_map(|race| sides(race));
            let numbers = sides.filter_map(|side| self.by_statement.get(&checked.statement(side)));
            numbers.flatten().copied().collect()
        };
        let (open, accepted) = (needed(&program.races), needed(&program.accepted_races));
        let violations = checked.violations().iter();
        let violations = violations.filter_map(|violation| self.at_violation(checked, violation));
        let violated: HashSet<usize> = violations.flatten().copied().collect();
        let comments = self.comments.iter().enumerate();
        comments
            .filter_map(|(number, found)| {
                let needs = [&accepted, &open, &violated];
                found.note(needs.iter().any(|needed| needed.contains(&number)))
            })
            .collect()
    }

    fn in_force<'n>(&'n self, numbers: &'n [usize]) -> impl Iterator<Item = usize> + 'n {
        let numbers = numbers.iter().copied();
        numbers.filter(|number| self.comments[*number].directive_in_force().is_some())
    }
}

impl FoundComment {
    /// What the comment says, unless it was written for other code.
    fn directive_in_force(&self) -> Option<&Directive> {
        let directive = self.comment.content.as_ref().ok()?;
        let is_right = match (&directive.fingerprint, &self.fingerprint) {
            (Some(stated), Some(now)) => stated == now,
            _ => true,
        };
        is_right.then_some(directive)
    }

    /// `is_needed`: there is a race at the code that the comment is about.
    fn note(&self, is_needed: bool) -> Option<Note> {
        let note = match &self.comment.content {
            Err(mistake) => mistake_note(mistake, self.fingerprint.as_deref()),
            Ok(_) if self.directive_in_force().is_some() && is_needed => return None,
            Ok(directive) if is_needed => {
                let renewed = Directive {
                    fingerprint: self.fingerprint.clone(),
                    reason: directive.reason.clone(),
                };
                let renewed = renewed.written_as(&self.comment.text);
                Note::warning(
                    "the code under this comment has changed, so its races are reported again",
                )
                .with_help(format!("if they are still benign, write: {renewed}"))
            }
            Ok(_) if self.is_compiled => {
                Note::warning("this comment hides no race").with_help("remove it")
            }
            Ok(_) if self.comment.is_at_top_level || self.comment.lines.is_none() => {
                Note::warning("this comment hides no race: it stands at no statement")
                    .with_help("put it on the line of an access, or on the line above it")
            }
            // Another configuration may need it.
            Ok(_) => return None,
        };
        Some(note.at(self.comment.place.clone()))
    }
}

fn mistake_note(mistake: &Mistake, fingerprint: Option<&str>) -> Note {
    match mistake {
        Mistake::Word(word) => Note::warning(format!("`{word}` is not known behind `racelens:`"))
            .with_help("write `racelens: benign -- ` and why the race is benign"),
        Mistake::Fingerprint(digits) => Note::warning(format!(
            "`{digits}` is no fingerprint, so this comment hides no race"
        ))
        .with_help(match fingerprint {
            Some(now) => format!("write `benign({now})` if the code under it is benign as it is"),
            None => "leave the brackets away".to_owned(),
        }),
        Mistake::NoReason { fingerprint } => {
            let digits = fingerprint.as_ref();
            let brackets = digits.map_or_else(String::new, |digits| format!("({digits})"));
            Note::warning("this comment gives no reason, so it hides no race").with_help(format!(
                "write `racelens: benign{brackets} -- ` and why the race is benign"
            ))
        }
    }
}

fn sides(race: &Race) -> impl Iterator<Item = Sighting> {
    race.pairs.iter().flat_map(|pair| [pair.first, pair.second])
}
