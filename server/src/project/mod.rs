//! What a program consists of on disk, and how its files become preprocessed text.

pub mod cache;
pub mod compile_commands;
pub mod compiler;
mod compiler_choice;
mod compiler_messages;
pub mod config;
mod config_reader;
pub mod flags;
mod foreign;
mod glob;
mod kept_units;
mod line_markers;
mod load;
mod missing_headers;
mod moment;
mod namesakes;
pub mod note;
mod paths;
pub mod preprocess;
mod process;
pub mod regular_file;
mod repair;
mod requested;
mod source_text;
mod suggest;
mod syntax_check;
mod universal_names;
mod visible_text;
mod walk;
pub mod whole_file;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use compiler::Compiler;
use config::Config;
use preprocess::{Preprocessed, Preprocessor};

use crate::store::{ContentHash, Store};
use source_text::MAX_SOURCE_BYTES;

pub use kept_units::KeptCounters;
pub use load::LoadOptions;
pub use namesakes::namesakes;
pub use note::{Note, Place, Severity};
pub use syntax_check::compiler_errors;
pub use visible_text::{visible, visible_in_line};

/// A program on disk.
pub struct Project {
    /// Absolute. Programs below it are never run.
    pub root: PathBuf,
    pub config: Config,
    /// The configuration that was read, if there is one.
    pub config_file: Option<PathBuf>,
    /// The compilation database that was read, if there is one.
    pub compile_commands: Option<PathBuf>,
    /// What is analysed, sorted by file. A file that is compiled in several ways is there several times.
    pub units: Vec<TranslationUnit>,
    pub preprocessor: Preprocessor,
    /// Where results are kept for the next start.
    pub store: Option<Arc<Store>>,
    /// Every file of the database, also those that are not analysed: their flags serve new files.
    known_units: Vec<TranslationUnit>,
    default_compiler: Option<Compiler>,
}

/// One file and how it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationUnit {
    /// Absolute and normalised.
    pub file: PathBuf,
    /// Where the compile command runs: relative names in messages are relative to it.
    pub directory: PathBuf,
    /// The file as the compile command names it, which `__FILE__` shows.
    pub spelling: String,
    /// Safe preprocessor arguments; the paths in them are absolute.
    pub arguments: Vec<String>,
    /// Whether the arguments come from a compile command, rather than being defaults.
    pub has_command: bool,
    /// None if no compiler was found.
    pub compiler: Option<Compiler>,
}

/// Unsaved text of files that are open in an editor, by absolute path.
pub type UnsavedTexts = HashMap<PathBuf, Arc<str>>;

/// An absolute path without `.` and `..`: the name by which the project knows a file.
pub fn normalised(path: &Path) -> PathBuf {
    paths::absolute(Path::new("/"), path)
}

/// The text of a source file or header, as the preprocessor gets it.
pub fn read_source(path: &Path) -> Option<String> {
    source_text::read(path).ok().map(|source| source.text)
}

/// What is in a source file or header now; `None` if it cannot be read.
pub fn content(path: &Path) -> Option<ContentHash> {
    let bytes = regular_file::read(path, MAX_SOURCE_BYTES).ok()?;
    Some(ContentHash::of(&bytes))
}

/// As `content`, with the text as `read_source` gives it.
pub fn content_and_text(path: &Path) -> (Option<ContentHash>, Option<String>) {
    let Ok(bytes) = regular_file::read(path, MAX_SOURCE_BYTES) else {
        return (None, None);
    };
    let hash = ContentHash::of(&bytes);
    let text = source_text::decode(path, bytes).ok();
    (Some(hash), text.map(|source| source.text))
}

/// The text of a file for a report about what lies in `base`. A file elsewhere is shown only if it is called as
/// code is: text that was preprocessed by somebody else can name any file of the user.
pub fn read_shown(path: &Path, base: &Path) -> Option<String> {
    foreign::may_be_read(path, base)
        .then(|| read_source(path))
        .flatten()
}

/// Text that was preprocessed by somebody else, with what is to say about it.
pub fn read_preprocessed(path: &Path) -> Result<(String, Vec<Note>), Note> {
    let bytes = std::fs::read(path).map_err(|error| source_text::unreadable(path, &error))?;
    let source = source_text::decode(path, bytes)?;
    Ok((source.text, source.notes))
}

impl Project {
    /// Finds and reads everything that describes the program. What is wrong with it costs only
    /// itself: there is always a project, and the notes say what it lacks.
    pub fn load(options: &LoadOptions) -> (Project, Vec<Note>) {
        load::load(options)
    }

    /// Preprocesses all units, on all cores. The answers are in the order of the units.
    ///
    /// A large program's text may not fit into memory at once; see `preprocess_one`.
    pub fn preprocess_all(
        &self,
        unsaved: &UnsavedTexts,
    ) -> Vec<(usize, Result<Preprocessed, Note>)> {
        self.units
            .par_iter()
            .enumerate()
            .map(|(index, unit)| (index, self.preprocess(unit, unsaved)))
            .collect()
    }

    /// Preprocesses the unit with this number.
    pub fn preprocess_one(
        &self,
        index: usize,
        unsaved: &UnsavedTexts,
    ) -> Result<Preprocessed, Note> {
        self.preprocess(&self.units[index], unsaved)
    }

    /// These files may have come or gone.
    pub fn look_again_for(&self, files: &BTreeSet<PathBuf>) {
        self.preprocessor.look_again_for(files);
    }

    /// Headers may be found elsewhere than before.
    pub fn forget_preprocessed(&self) {
        self.preprocessor.forget();
    }

    /// The units that compile `file`, by index. A name with symbolic links is recognised too.
    pub fn units_of(&self, file: &Path) -> Range<usize> {
        let by_name = self.units_named(file);
        match file.canonicalize() {
            Ok(real) if by_name.is_empty() => self.units_named(&real),
            _ => by_name,
        }
    }

    /// A unit for a file that no command is known for, with the flags of the nearest file that has
    /// some, and a note that says so.
    pub fn adopt(&self, file: &Path) -> (TranslationUnit, Note) {
        load::adopt(
            file,
            &self.root,
            &self.known_units,
            &self.config,
            self.default_compiler.as_ref(),
        )
    }

    /// Takes a file into the program that nobody named, and returns its number.
    pub fn add(&mut self, unit: TranslationUnit) -> usize {
        let index = self.units.partition_point(|known| known.file <= unit.file);
        self.units.insert(index, unit);
        index
    }

    fn units_named(&self, file: &Path) -> Range<usize> {
        let start = self
            .units
            .partition_point(|unit| unit.file.as_path() < file);
        let count = self.units[start..]
            .iter()
            .take_while(|unit| unit.file == file)
            .count();
        start..start + count
    }

    fn preprocess(
        &self,
        unit: &TranslationUnit,
        unsaved: &UnsavedTexts,
    ) -> Result<Preprocessed, Note> {
        self.preprocessor
            .preprocess(unit, unsaved.get(&unit.file).map(|text| &**text))
    }
}
