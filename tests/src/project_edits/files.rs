//! Source files that come, go or get another name, with their compile commands or without.

use super::flags::write_entries;
use super::functions::random_function;
use super::names::replaced;
use super::state::State;
use super::statements::random_source;
use crate::random::Random;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileEdit {
    Addition,
    Removal,
    Renaming,
}

impl FileEdit {
    pub fn apply(self, state: &mut State, random: &mut Random) -> Option<PathBuf> {
        match self {
            FileEdit::Addition => add(state, random),
            FileEdit::Removal => remove(state, random),
            FileEdit::Renaming => rename(state, random),
        }
    }
}

/// A new file with the includes of another one and a copy of one of its functions.
fn add(state: &mut State, random: &mut Random) -> Option<PathBuf> {
    let (file, function) = random_function(state, random)?;
    let number = random.below(1_000);
    let new = file.with_file_name(format!("edited_{number}.c"));
    let lines: Vec<&str> = state.text(&file).lines().collect();
    let includes = lines.iter().filter(|line| line.starts_with("#include"));
    let mut text: String = includes.map(|line| format!("{line}\n")).collect();
    let copy = lines[function.lines.clone()].join("\n");
    let name = format!("{}_{number}", function.name);
    text.push_str(&replaced(&copy, &function.name, &name));
    text.push('\n');
    state.disk.insert(new.clone(), text.into());
    match random.below(4) {
        // Nobody says how it is compiled, but somebody looks at it.
        0 => {
            let text = state.disk[&new].clone();
            state.open.insert(new.clone(), text);
        }
        1 => {}
        _ => change_entries(state, |entry| {
            let mut added = entry.clone();
            let is_of_file = file_of(entry)? == file;
            is_of_file.then(|| name_file(&mut added, &new));
            is_of_file.then_some(vec![entry.clone(), added])
        }),
    }
    Some(new)
}

fn remove(state: &mut State, random: &mut Random) -> Option<PathBuf> {
    if state.sources().len() < 3 {
        return None;
    }
    let file = random_source(state, random)?;
    state.remove(&file);
    // A compile command for a file that is not there is left out with a note.
    if !random.one_in(4) {
        change_entries(state, |entry| (file_of(entry)? == file).then(Vec::new));
    }
    Some(file)
}

fn rename(state: &mut State, random: &mut Random) -> Option<PathBuf> {
    let file = random_source(state, random)?;
    let name = file.file_stem()?.to_str()?;
    let name = match name.strip_prefix("edited_name_") {
        Some(first) => format!("{first}.c"),
        None => format!("edited_name_{name}.c"),
    };
    let new = file.with_file_name(name);
    let (text, open) = (
        state.disk.get(&file)?.clone(),
        state.open.get(&file).cloned(),
    );
    state.remove(&file);
    state.disk.insert(new.clone(), text);
    if let Some(open) = open {
        state.open.insert(new.clone(), open);
    }
    change_entries(state, |entry| {
        let mut renamed = entry.clone();
        let is_of_file = file_of(entry)? == file;
        is_of_file.then(|| name_file(&mut renamed, &new));
        is_of_file.then_some(vec![renamed])
    });
    Some(new)
}

/// Puts others in the place of some compile commands, where there are any.
fn change_entries(state: &mut State, replaced: impl Fn(&Value) -> Option<Vec<Value>>) {
    let text = state.disk.get(&state.database());
    let entries = text.and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok());
    if let Some(entries) = entries {
        let changed = entries.into_iter().flat_map(|entry| {
            let others = replaced(&entry);
            others.unwrap_or_else(|| vec![entry])
        });
        let changed = changed.collect();
        write_entries(state, changed);
    }
}

/// The file that a compile command is for.
pub fn file_of(entry: &Value) -> Option<PathBuf> {
    let directory = Path::new(entry.get("directory")?.as_str()?);
    let file = directory.join(entry.get("file")?.as_str()?);
    // Without the points in it.
    file.parent()?
        .canonicalize()
        .ok()
        .map(|parent| parent.join(file.file_name().unwrap_or_default()))
}

fn name_file(entry: &mut Value, file: &Path) {
    let before = entry["file"].clone();
    let name = Value::from(file.to_string_lossy());
    if let Some(arguments) = entry["arguments"].as_array_mut() {
        let own = arguments.iter_mut().filter(|argument| **argument == before);
        own.for_each(|argument| *argument = name.clone());
    }
    entry["file"] = name;
}
