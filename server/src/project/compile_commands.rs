//! Reads `compile_commands.json`: which files are compiled, where, and with which flags.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::compiler::{compiler_of, is_cplusplus_driver};
use super::flags::{Refusal, SafeFlags, safe_flags};
use super::note::{Note, Place};
use super::paths;

/// How one C file is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompileEntry {
    /// Absolute and normalised.
    pub file: PathBuf,
    /// Where the compiler runs. Absolute and normalised.
    pub directory: PathBuf,
    /// The file as the command names it, which `__FILE__` shows.
    pub spelling: String,
    /// The compiler that the command names. It is not run just because it stands here.
    pub program: String,
    /// Safe preprocessor arguments.
    pub arguments: Vec<String>,
}

/// Malformed entries beyond this many are only counted.
const MAX_MALFORMED_NOTES: usize = 20;

/// Reads the text of the database at `path`. A malformed entry costs only itself; after malformed
/// JSON the entries before it remain. The order is that of the files' names.
pub fn parse(path: &Path, text: &str) -> (Vec<CompileEntry>, Vec<Note>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut notes = Vec::new();
    let raw_entries = split_entries(path, text, &mut notes);
    let base = path.parent().unwrap_or(Path::new("/"));
    let outcomes: Vec<Outcome> = raw_entries
        .par_iter()
        .map(|raw| read_entry(base, raw.get()))
        .collect();

    let mut collected = Collected::default();
    for (raw, outcome) in raw_entries.iter().zip(outcomes) {
        collected.add(offset_in(text, raw.get()), outcome);
    }
    collected.report(path, text, &mut notes);
    let mut entries = collected.entries;
    entries.sort_by(|left, right| left.file.cmp(&right.file));
    (entries, notes)
}

enum Outcome {
    Entry(CompileEntry, BTreeMap<Refusal, String>),
    OtherLanguage,
    /// The file does not exist.
    Absent(PathBuf),
    Malformed(Malformation),
}

/// What is wrong with an entry.
struct Malformation {
    message: String,
    /// A line and a column relative to the entry, if it is about a part of it.
    position: Option<(usize, usize)>,
}

impl From<&str> for Malformation {
    fn from(message: &str) -> Malformation {
        Malformation {
            message: message.to_owned(),
            position: None,
        }
    }
}

#[derive(Deserialize)]
struct RawEntry<'t> {
    #[serde(borrow)]
    directory: Cow<'t, str>,
    #[serde(borrow)]
    file: Cow<'t, str>,
    #[serde(borrow)]
    command: Option<Cow<'t, str>>,
    arguments: Option<Vec<String>>,
}

fn read_entry(base: &Path, raw: &str) -> Outcome {
    let entry: RawEntry<'_> = match serde_json::from_str(raw) {
        Ok(entry) => entry,
        Err(error) => {
            return Outcome::Malformed(Malformation {
                message: without_position(&error),
                position: Some((error.line(), error.column())),
            });
        }
    };
    let command = match (entry.arguments, entry.command) {
        (Some(arguments), _) => arguments,
        (None, Some(command)) => match shlex::split(&command) {
            Some(command) => command,
            None => {
                return Outcome::Malformed("`command` has a quote that is never closed".into());
            }
        },
        (None, None) => {
            return Outcome::Malformed("neither `command` nor `arguments` is there".into());
        }
    };
    let Some((program, arguments)) = compiler_of(&command) else {
        return Outcome::Malformed("the command is empty".into());
    };
    let directory = paths::absolute(base, Path::new(&*entry.directory));
    let file = paths::absolute(&directory, Path::new(&*entry.file));
    let flags = safe_flags(arguments, &directory);
    if !is_c(&file, program, &flags) {
        return Outcome::OtherLanguage;
    }
    if !file.is_file() {
        return Outcome::Absent(file);
    }
    let spelling = flags
        .inputs
        .iter()
        .find(|input| paths::absolute(&directory, Path::new(input)) == file)
        .cloned()
        .unwrap_or_else(|| entry.file.into_owned());
    let entry = CompileEntry {
        file,
        directory,
        spelling,
        program: program.to_owned(),
        arguments: flags.arguments,
    };
    Outcome::Entry(entry, flags.refused)
}

fn is_c(file: &Path, program: &str, flags: &SafeFlags) -> bool {
    match flags.language.as_deref() {
        Some("none") | None => {
            file.extension().is_some_and(|extension| extension == "c")
                && !is_cplusplus_driver(program)
        }
        Some(language) => language == "c",
    }
}

/// The outcomes of all entries, with the offset of the first of each kind that is reported.
#[derive(Default)]
struct Collected {
    entries: Vec<CompileEntry>,
    known: HashSet<CompileEntry>,
    refused: BTreeMap<Refusal, (String, usize, usize)>,
    absent: Vec<(PathBuf, usize)>,
    malformed: Vec<(Malformation, usize)>,
    other_languages: usize,
}

impl Collected {
    fn add(&mut self, offset: usize, outcome: Outcome) {
        match outcome {
            Outcome::Entry(entry, refused) => {
                for (refusal, example) in refused {
                    self.refused
                        .entry(refusal)
                        .or_insert((example, offset, 0))
                        .2 += 1;
                }
                if self.known.insert(entry.clone()) {
                    self.entries.push(entry);
                }
            }
            Outcome::OtherLanguage => self.other_languages += 1,
            Outcome::Absent(file) => self.absent.push((file, offset)),
            Outcome::Malformed(malformation) => self.malformed.push((malformation, offset)),
        }
    }

    fn report(&self, path: &Path, text: &str, notes: &mut Vec<Note>) {
        let place = |offset| Place::at_offset(path, text, offset);
        for (malformation, offset) in self.malformed.iter().take(MAX_MALFORMED_NOTES) {
            let Malformation { message, position } = malformation;
            notes.push(
                Note::error(format!("this entry is left out: {message}"))
                    .at(shifted(place(*offset), *position))
                    .with_help(
                        "an entry needs `directory`, `file`, and `arguments` (a list) or `command` (a string); \
                         let the build system write the file again",
                    ),
            );
        }
        if let Some(more) = self.malformed.len().checked_sub(MAX_MALFORMED_NOTES)
            && more > 0
        {
            notes.push(
                Note::error(format!("{more} more entries are malformed and left out"))
                    .at(Place::start_of(path)),
            );
        }
        if let Some((first, offset)) = self.absent.first() {
            let others = match self.absent.len() - 1 {
                0 => String::new(),
                1 => " (and 1 other file)".to_owned(),
                count => format!(" (and {count} other files)"),
            };
            notes.push(
                Note::warning(format!(
                    "{} does not exist{others} and is left out",
                    first.display()
                ))
                .at(place(*offset))
                .with_help("build the project first, so that generated files are there"),
            );
        }
        for (refusal, (example, offset, count)) in &self.refused {
            notes.push(
                Note::information(format!(
                    "`{example}` is not passed to the preprocessor: {} ({})",
                    refusal.reason(),
                    counted(*count, "entry", "entries"),
                ))
                .at(place(*offset))
                .with_help("if the analysis misses something because of it, put what is needed into `flags` under [preprocessor] in racelens.toml"),
            );
        }
        if self.other_languages > 0 {
            notes.push(
                Note::information(format!(
                    "{} for other languages than C left out",
                    counted(self.other_languages, "entry", "entries")
                ))
                .at(Place::start_of(path)),
            );
        }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Cuts the list into its entries. They are collected outside of the visitor, so that those before a
/// syntax error are not lost.
fn split_entries<'t>(path: &Path, text: &'t str, notes: &mut Vec<Note>) -> Vec<&'t RawValue> {
    let mut entries = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let result = deserializer
        .deserialize_seq(EntryCollector(&mut entries))
        .and_then(|()| deserializer.end());
    if let Err(error) = result {
        let kept = match entries.len() {
            0 => "so that no entry could be read".to_owned(),
            count => format!(
                "so that only {} before it could be read",
                counted(count, "entry", "entries")
            ),
        };
        let place = Place::new(
            path,
            error.line().max(1) as u32,
            error.column().max(1) as u32,
        );
        notes.push(
            Note::error(format!("this is not a valid compilation database: {}, {kept}", without_position(&error)))
                .at(place)
                .with_help("let the build system write it again (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make)"),
        );
    }
    entries
}

struct EntryCollector<'c, 't>(&'c mut Vec<&'t RawValue>);

impl<'t> Visitor<'t> for EntryCollector<'_, 't> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element()? {
            self.0.push(entry);
        }
        Ok(())
    }
}

/// serde_json puts the position at the end of its message; ours stands in front.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((front, _)) => front.to_owned(),
        None => message,
    }
}

/// Where `part`, which was borrowed from `text`, begins.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// A position within an entry, as a position within the file.
fn shifted(start: Place, position: Option<(usize, usize)>) -> Place {
    match position {
        Some((1, column)) => Place {
            column: start.column + (column as u32).saturating_sub(1),
            ..start
        },
        Some((line, column)) if line > 1 => Place {
            line: start.line + line as u32 - 1,
            column: (column as u32).max(1),
            ..start
        },
        _ => start,
    }
}
