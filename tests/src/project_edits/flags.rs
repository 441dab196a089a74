//! Edits of how a project is compiled, and of what it says about itself.

use super::functions::random_function;
use super::names::words;
use super::state::State;
use crate::random::Random;
use serde_json::Value;
use std::path::PathBuf;

/// Defines a macro in a compile command, or in all, or takes back what such an edit did.
pub fn change_command(state: &mut State, random: &mut Random) -> Option<PathBuf> {
    let file = state.database();
    let mut entries: Vec<Value> = serde_json::from_str(state.disk.get(&file)?).ok()?;
    let name = random_macro(state, random)?;
    let only = (!random.one_in(4)).then(|| random.below(entries.len().max(1)));
    let flag = match random.below(3) {
        0 => format!("-D{name}"),
        1 => format!("-D{name}=2"),
        _ => format!("-U{name}"),
    };
    let goes = |argument: &Value| {
        let text = argument.as_str().unwrap_or_default();
        let defined = text.strip_prefix("-D").or_else(|| text.strip_prefix("-U"));
        defined.is_some_and(|defined| defined.split('=').next() == Some(name.as_str()))
    };
    for (number, entry) in entries.iter_mut().enumerate() {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        let arguments = entry.get_mut("arguments")?.as_array_mut()?;
        let before = arguments.len();
        arguments.retain(|argument| !goes(argument));
        if arguments.len() == before {
            arguments.insert(1, Value::from(flag.clone()));
        }
    }
    write_entries(state, entries)
}

pub fn write_entries(state: &mut State, entries: Vec<Value>) -> Option<PathBuf> {
    let file = state.database();
    let text = serde_json::to_string_pretty(&entries).ok()?;
    state.disk.insert(file.clone(), text.into());
    Some(file)
}

/// What begins the second part of the configuration that is written here.
const THREADS: &str = "[threads]\n";

/// Has a macro defined for all files by the configuration, or none.
pub fn change_configured_flags(state: &mut State, random: &mut Random) -> Option<PathBuf> {
    let name = random_macro(state, random)?;
    let flags = match random.below(4) {
        0 => String::new(),
        1 => format!("[preprocessor]\nflags = [\"-U{name}\"]\n"),
        _ => format!("[preprocessor]\nflags = [\"-D{name}=1\"]\n"),
    };
    let (_, threads) = configuration(state);
    write_configuration(state, flags + &threads)
}

/// Has threads begin in other functions.
pub fn change_threads(state: &mut State, random: &mut Random) -> Option<PathBuf> {
    let mut entries = Vec::new();
    for _ in 0..random.below(4) {
        let (_, function) = random_function(state, random)?;
        entries.push(format!("{:?}", function.name));
    }
    let exported = random.one_in(4);
    let (flags, _) = configuration(state);
    let entries = entries.join(", ");
    let threads = format!("{THREADS}entries = [{entries}]\nexported = {exported}\n");
    write_configuration(state, flags + &threads)
}

/// What it says about flags, and about threads.
fn configuration(state: &State) -> (String, String) {
    let text = state.text(&state.configuration()).to_owned();
    match text.find(THREADS) {
        Some(at) => (text[..at].to_owned(), text[at..].to_owned()),
        None => (text, String::new()),
    }
}

fn write_configuration(state: &mut State, text: String) -> Option<PathBuf> {
    let file = state.configuration();
    match text.is_empty() {
        true => state.disk.remove(&file),
        false => state.disk.insert(file.clone(), text.into()),
    };
    Some(file)
}

/// A macro on which something in one of the files depends, or one that nothing mentions.
fn random_macro(state: &State, random: &mut Random) -> Option<String> {
    let files = state.c_files();
    for _ in 0..20 {
        let file = files.get(random.below(files.len().max(1)))?;
        let conditions = state
            .text(file)
            .lines()
            .filter(|line| line.starts_with("#if"));
        let names: Vec<&str> = conditions
            .flat_map(|line| words(&line[1..]))
            .map(|(_, word)| word)
            .filter(|word| !["if", "ifdef", "ifndef", "defined"].contains(word))
            .filter(|word| !word.starts_with("__"))
            .collect();
        if !names.is_empty() {
            return Some(names[random.below(names.len())].to_owned());
        }
    }
    Some("EDITED".to_owned())
}
