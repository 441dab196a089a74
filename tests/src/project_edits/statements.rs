//! Edits of statements and braces in the sources of a project.

use super::functions::{functions, joined};
use super::state::State;
use crate::body_edits::{BodyEdit, statements};
use crate::edits::edited_file;
use crate::random::Random;
use std::path::PathBuf;

/// What is done to one of a project's lines, besides what `BodyEdit` does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LineEdit {
    /// A statement of any file is written in another place too.
    Copy,
    /// A statement stands elsewhere in its file.
    Move,
    /// A lock is taken in front of a statement, and released behind it.
    LockPair,
    /// A thread is started that runs a function of the file.
    Thread,
    /// The last brace of a function is gone.
    BraceGone,
    /// A statement has a brace too many.
    BraceTooMany,
    /// Any line becomes something else, as in `edits`.
    Any,
}

/// Edits a statement of one of the sources.
pub fn edit_body(state: &mut State, edit: BodyEdit, random: &mut Random) -> Option<PathBuf> {
    let file = random_source(state, random)?;
    let text = edit.apply(state.text(&file), random)?;
    state.set_text(&file, text);
    Some(file)
}

impl LineEdit {
    pub fn apply(self, state: &mut State, random: &mut Random) -> Option<PathBuf> {
        let file = random_source(state, random)?;
        let text = state.text(&file).to_owned();
        if self == LineEdit::Any {
            state.set_text(&file, edited_file(&text, random));
            return Some(file);
        }
        let mut lines: Vec<&str> = text.lines().collect();
        let places = statements(&lines);
        let at = *places.get(random.below(places.len().max(1)))?;
        let other = random_source(state, random)?;
        let written: String;
        match self {
            LineEdit::Copy => {
                let there: Vec<&str> = state.text(&other).lines().collect();
                let places = statements(&there);
                let from = *places.get(random.below(places.len().max(1)))?;
                written = there[from].to_owned();
                lines.insert(at, &written);
            }
            LineEdit::Move => {
                let statement = lines.remove(at);
                let places = statements(&lines);
                let to = *places.get(random.below(places.len().max(1)))?;
                lines.insert(to, statement);
            }
            LineEdit::LockPair => {
                let (lock, is_new) = lock_of(&lines, random);
                written = format!(
                    "pthread_mutex_lock({lock});\n{}\npthread_mutex_unlock({lock});",
                    lines[at]
                );
                lines[at] = &written;
                if is_new {
                    let includes = lines.iter().rposition(|line| line.starts_with("#include"));
                    let begin = includes.map_or(0, |last| last + 1);
                    lines.insert(begin, "static pthread_mutex_t edited_lock;");
                    lines.insert(begin, "#include <pthread.h>");
                }
            }
            LineEdit::Thread => {
                let found = functions(&lines);
                let function = found.get(random.below(found.len().max(1)))?;
                written = format!(
                    "{{ unsigned long edited; pthread_create(&edited, 0, (void *(*)(void *)){}, 0); }}\n{}",
                    function.name, lines[at]
                );
                lines[at] = &written;
            }
            LineEdit::BraceGone => {
                let found = functions(&lines);
                let function = found.get(random.below(found.len().max(1)))?;
                let brace = match random.one_in(2) {
                    true => function.brace,
                    false => function.lines.end - 1,
                };
                written = lines[brace].replace(['{', '}'], "");
                lines[brace] = &written;
            }
            LineEdit::BraceTooMany => {
                let brace = if random.one_in(2) { "{" } else { "}" };
                written = format!("{brace} {}", lines[at]);
                lines[at] = &written;
            }
            LineEdit::Any => {}
        }
        state.set_text(&file, joined(&lines));
        Some(file)
    }
}

pub fn random_source(state: &State, random: &mut Random) -> Option<PathBuf> {
    let files = state.sources();
    let file = files.get(random.below(files.len().max(1)))?;
    Some((*file).clone())
}

/// A lock that the file takes, or a new one that it has to declare.
fn lock_of(lines: &[&str], random: &mut Random) -> (String, bool) {
    let taken = |line: &&str| {
        let (_, rest) = line.split_once("pthread_mutex_lock(")?;
        let (lock, _) = rest.split_once(");")?;
        Some(lock.to_owned())
    };
    let mut locks: Vec<String> = lines.iter().filter_map(taken).collect();
    if locks.is_empty() || random.one_in(4) {
        let new = "&edited_lock".to_owned();
        let is_new = !lines.iter().any(|line| line.contains("edited_lock;"));
        return (new, is_new);
    }
    let chosen = random.below(locks.len());
    (locks.swap_remove(chosen), false)
}
