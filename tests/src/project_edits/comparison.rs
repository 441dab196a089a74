//! Everything that is said about a project by who kept it up to date, beside what is said by who has read it anew.

use super::class_numbers::renumbered;
use super::functions::called_names;
use super::names::words;
use super::session::Session;
use super::state::State;
use crate::incremental::described;
use crate::random::Random;
use racelens::project::Place;
use racelens::report::Report;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// What is asked besides what is always said.
pub struct Questions {
    files: Vec<PathBuf>,
    words: Vec<(Place, String)>,
    lines: Vec<(PathBuf, u32)>,
    functions: Vec<(PathBuf, String)>,
}

/// How many files are asked about that have nothing to do with an edit.
const OTHER_FILES: usize = 2;

/// How many questions of each kind are asked about a file.
const IN_A_FILE: usize = 6;

/// How far around an edit half of the questions are.
const AROUND: usize = 8;

/// Of how many lines of a file all locks are asked for.
const LINES_WITH_LOCKS: u32 = 400;

/// How many lines of a difference are shown in front of it, and from it on.
const BEFORE: usize = 10;
const BEHIND: usize = 20;

impl Questions {
    /// About the files that an edit changed and some others, most of them near what was changed.
    pub fn new(before: &State, now: &State, file: &Path, random: &mut Random) -> Questions {
        let mut files = BTreeSet::from([file.to_owned()]);
        let mut changed: Vec<PathBuf> = now.changed_on_disk(before).into_iter().collect();
        changed.extend(now.changed_in_editor(before));
        changed.truncate(4);
        files.extend(changed);
        let all = now.c_files();
        for _ in 0..OTHER_FILES.min(all.len()) {
            files.insert(all[random.below(all.len())].clone());
        }
        let mut questions = Questions {
            files: files.into_iter().collect(),
            words: Vec::new(),
            lines: Vec::new(),
            functions: Vec::new(),
        };
        for file in questions.files.clone() {
            questions.ask_about(&file, before.text(&file), now.text(&file), random);
        }
        questions
    }

    fn ask_about(&mut self, file: &Path, before: &str, text: &str, random: &mut Random) {
        let lines: Vec<&str> = text.lines().collect();
        let with_words: Vec<usize> = (0..lines.len())
            .filter(|line| words(lines[*line]).next().is_some())
            .collect();
        if with_words.is_empty() {
            return;
        }
        let pairs = before.lines().zip(&lines);
        let edited = pairs.take_while(|(old, new)| old == *new).count();
        let near = with_words.partition_point(|line| *line < edited);
        for number in 0..IN_A_FILE {
            let at = match number % 2 {
                0 => random.below(with_words.len()),
                _ => (near + random.below(2 * AROUND)).saturating_sub(AROUND),
            };
            let line = with_words[at.min(with_words.len() - 1)];
            let found: Vec<(usize, &str)> = words(lines[line]).collect();
            let (column, word) = found[random.below(found.len())];
            let column = lines[line][..column].chars().count() as u32 + 1;
            let place = Place::new(file, line as u32 + 1, column);
            self.words.push((place, word.to_owned()));
            self.lines.push((file.to_owned(), line as u32 + 1));
        }
        let names = called_names(text);
        for _ in 0..IN_A_FILE.min(names.len()) {
            let name = names[random.below(names.len())].to_owned();
            self.functions.push((file.to_owned(), name));
        }
    }
}

/// The first difference, in words.
pub fn compare(now: &Session, anew: &Session, questions: &Questions) -> Result<(), String> {
    same("the notes", now, anew, |session| {
        Ok(session.workspace.notes.clone())
    })?;
    same("the syntax notes", now, anew, |session| {
        Ok(session.syntax_notes())
    })?;
    same("the brief report", now, anew, |session| {
        Ok(without_time(
            session.check()?.brief_report(&session.workspace),
        ))
    })?;
    same("the full report", now, anew, |session| {
        Ok(without_time(session.check()?.report(&session.workspace)))
    })?;
    let [one, other] = [now, anew].map(|session| {
        session
            .check()
            .map(|check| renumbered(&described(check.program())))
    });
    if one != other {
        return Err(first_difference("the contexts", &one?, &other?));
    }
    for file in &questions.files {
        compare_file(now, anew, file, questions)?;
    }
    for (place, word) in &questions.words {
        let what = format!("what is known about `{word}` at {}", shown(place));
        same(&what, now, anew, |session| {
            let check = session.check()?;
            Ok(check.insight(&session.workspace, place, Some(word)))
        })?;
    }
    for (file, line) in &questions.lines {
        let what = format!("the explanation of line {line} of {}", file.display());
        same(&what, now, anew, |session| {
            Ok(session
                .check()?
                .explain(&session.workspace, file, *line, None))
        })?;
    }
    for (file, name) in &questions.functions {
        for callers in [false, true] {
            let what = format!(
                "the calls of `{name}` in {} (callers: {callers})",
                file.display()
            );
            same(&what, now, anew, |session| {
                let check = session.check()?;
                Ok(check.calls(&session.workspace, file, name, callers))
            })?;
        }
    }
    Ok(())
}

fn compare_file(
    now: &Session,
    anew: &Session,
    file: &Path,
    questions: &Questions,
) -> Result<(), String> {
    let in_file = |what: &str| format!("{what} in {}", file.display());
    same(&in_file("the functions"), now, anew, |session| {
        Ok(session.check()?.functions_in(&session.workspace, file))
    })?;
    same(&in_file("the shared accesses"), now, anew, |session| {
        Ok(session.check()?.shared_accesses(&session.workspace, file))
    })?;
    let asked = questions.lines.iter().find(|(asked, _)| asked == file);
    let first = asked.map_or(1, |(_, line)| line.saturating_sub(LINES_WITH_LOCKS / 2));
    let lines = first..=first + LINES_WITH_LOCKS;
    same(&in_file("the held locks"), now, anew, |session| {
        let check = session.check()?;
        Ok(check.held_locks(&session.workspace, file, lines.clone()))
    })?;
    // What functions do for their callers.
    let functions = now.check()?.functions_in(&now.workspace, file);
    let step = functions.len().div_ceil(2 * IN_A_FILE).max(1);
    for function in functions.iter().step_by(step) {
        let what = format!("the summary of `{}`", function.name);
        same(&what, now, anew, |session| {
            let check = session.check()?;
            let (place, name) = (&function.place, Some(function.name.as_str()));
            Ok(check.insight(&session.workspace, place, name).function)
        })?;
    }
    Ok(())
}

fn same<T: PartialEq + Debug>(
    what: &str,
    now: &Session,
    anew: &Session,
    of: impl Fn(&Session) -> Result<T, String>,
) -> Result<(), String> {
    let (one, other) = (of(now)?, of(anew)?);
    if one == other {
        return Ok(());
    }
    Err(first_difference(
        what,
        &format!("{one:#?}"),
        &format!("{other:#?}"),
    ))
}

/// The lines in which two texts differ first, and some around them.
fn first_difference(what: &str, now: &str, anew: &str) -> String {
    let lines: Vec<&str> = now.lines().collect();
    let others: Vec<&str> = anew.lines().collect();
    let same = lines
        .iter()
        .zip(&others)
        .take_while(|(one, other)| one == other);
    let at = same.count();
    let shown = |lines: &[&str], from: usize, to: usize| {
        let shown = &lines[from.min(lines.len())..to.min(lines.len())];
        shown
            .iter()
            .map(|line| format!("  {}\n", line.trim_start()))
            .collect::<String>()
    };
    format!(
        "{what} differ from line {at} of {} and {}:\n{}now:\n{}anew:\n{}",
        lines.len(),
        others.len(),
        shown(&lines, at.saturating_sub(BEFORE), at),
        shown(&lines, at, at + BEHIND),
        shown(&others, at, at + BEHIND)
    )
}

fn without_time(mut report: Report) -> Report {
    report.stats.seconds = 0.0;
    report
}

fn shown(place: &Place) -> String {
    format!("{}:{}:{}", place.path.display(), place.line, place.column)
}
