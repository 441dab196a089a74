//! Reads text that somebody else has preprocessed.

use super::{ReadProgram, ReadUnit, UnitBasis, Workspace, WorkspaceError, path_name, thread_pool};
use crate::project::{self, Note};
use crate::store::ContentHash;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::models::Models;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;
use ustr::Ustr;

impl Workspace {
    /// Reads text that somebody else has preprocessed.
    pub fn from_preprocessed(
        paths: &[PathBuf],
        jobs: Option<usize>,
    ) -> Result<Workspace, WorkspaceError> {
        let pool = thread_pool(jobs)?;
        let started = Instant::now();
        let mut notes = Vec::new();
        let mut units = Vec::new();
        let mut names: HashMap<Ustr, usize> = HashMap::new();
        for file in preprocessed_files(paths, &mut notes) {
            match project::read_preprocessed(&file) {
                Ok((text, remarks)) => {
                    let name = first_marker(&text).unwrap_or_else(|| path_name(&file));
                    let count = names.entry(name).or_default();
                    *count += 1;
                    let unit = ReadUnit {
                        name: match *count {
                            1 => name,
                            count => Ustr::from(&format!("{name} (command {count})")),
                        },
                        data_model: DataModel::LP64,
                        is_read: true,
                        headers: Vec::new(),
                        missing: Vec::new(),
                        adoption: None,
                        notes: remarks,
                        basis: UnitBasis::Outcome(ContentHash::of(text.as_bytes())),
                    };
                    units.push((unit, Some(text.into())));
                }
                Err(note) => notes.push(note),
            }
        }
        let read = ReadProgram {
            project: None,
            models: Models::builtin().clone(),
            models_hash: ContentHash::of(b""),
            units,
            notes,
            preprocess_time: started.elapsed(),
        };
        Ok(Workspace::new(read, pool, &|_| ()))
    }
}

/// The files that are named, and those called `.i` in the directories that are.
fn preprocessed_files(paths: &[PathBuf], notes: &mut Vec<Note>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                notes.push(
                    Note::error(format!("{} cannot be read: {error}", path.display()))
                        .with_help("give yourself permission to read the directory"),
                );
                continue;
            }
        };
        let before = files.len();
        files.extend(
            entries
                .filter_map(|entry| entry.ok().map(|entry| entry.path()))
                .filter(|path| path.extension().is_some_and(|extension| extension == "i")),
        );
        if files.len() == before {
            notes.push(
                Note::error(format!("there is no .i file in {}", path.display())).with_help(
                    "write one with `cc -E file.c -o file.i`, or leave --preprocessed away",
                ),
            );
        }
    }
    files.sort();
    files
}

/// The file that the first line marker names.
fn first_marker(text: &str) -> Option<Ustr> {
    let line = text.lines().next()?.strip_prefix("# ")?;
    let name = line.split_once('"')?.1;
    Some(Ustr::from(&name[..name.rfind('"')?]))
}
