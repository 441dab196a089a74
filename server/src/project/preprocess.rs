//! Preprocesses a translation unit with the real compiler, and gets text out of it whatever happens.
//!
//! The text always goes through standard input, saved or not, so that an edit does not change how
//! anything else is found. The compiler then runs in an empty directory, because for standard input
//! it looks up `#include "x.h"` in its working directory first; the directory of the source file
//! follows through `-iquote`, as it would be for the file itself.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::TranslationUnit;
use super::cache::{Cache, CacheCounters, CacheKey, HeaderHashes};
use super::compiler::Compiler;
use super::kept_units::{KeptCounters, KeptUnits};
use super::line_markers::{self, MarkerNames};
use super::missing_headers::HeaderIndex;
use super::moment::Moment;
use super::note::{Note, Place};
use super::process::{self, Finished, ProcessError, ProcessLimits};
use super::repair::Attempt;
use super::source_text::{self, MAX_SOURCE_BYTES, SourceText};
use super::universal_names;
use crate::store::{ContentHash, Store};

/// A translation unit after preprocessing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preprocessed {
    /// UTF-8; its line markers name absolute paths.
    pub text: Arc<str>,
    /// The headers that were read, sorted.
    pub headers: Vec<PathBuf>,
    /// Headers that are not where they were looked for, as they were asked for.
    pub missing: Vec<String>,
    pub notes: Vec<Note>,
    /// The files on disk that it was made from, if it depends on nothing else.
    pub inputs: Option<Arc<Inputs>>,
}

/// The content of the files that preprocessed text was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub source: ContentHash,
    pub headers: HeaderHashes,
}

#[derive(Clone, Debug)]
pub struct PreprocessorOptions {
    /// Where a header that is missing is looked for, to give a hint.
    pub root: PathBuf,
    /// The `PATH` that the compiler gets to see.
    pub search_path: Vec<PathBuf>,
    /// For one translation unit, with all its repetitions.
    pub timeout: Duration,
    pub max_output_bytes: usize,
    pub cache_bytes: usize,
    /// What outlives the process.
    pub store: Option<Arc<Store>>,
}

impl PreprocessorOptions {
    pub fn new(root: &Path) -> PreprocessorOptions {
        PreprocessorOptions {
            root: root.to_owned(),
            search_path: Vec::new(),
            timeout: Duration::from_secs(30),
            max_output_bytes: 256 << 20,
            cache_bytes: 512 << 20,
            store: None,
        }
    }
}

/// Runs compilers. Can be used from many threads at once.
pub struct Preprocessor {
    options: PreprocessorOptions,
    cache: Cache,
    kept: Option<KeptUnits>,
    scratch: OnceLock<Result<Scratch, String>>,
    header_index: Mutex<Option<Arc<HeaderIndex>>>,
}

impl Preprocessor {
    pub fn new(options: PreprocessorOptions) -> Preprocessor {
        Preprocessor {
            cache: Cache::new(options.cache_bytes),
            kept: KeptUnits::new(&options),
            options,
            scratch: OnceLock::new(),
            header_index: Mutex::default(),
        }
    }

    /// Preprocesses `unit`, from `unsaved` text if there is some, otherwise from its file.
    pub fn preprocess(
        &self,
        unit: &TranslationUnit,
        unsaved: Option<&str>,
    ) -> Result<Preprocessed, Note> {
        let compiler = unit
            .compiler
            .as_ref()
            .ok_or_else(|| no_compiler().at(Place::start_of(&unit.file)))?;
        let source = match unsaved {
            Some(text) if text.len() as u64 > MAX_SOURCE_BYTES => {
                return Err(
                    Note::error("the unsaved text is too large").at(Place::start_of(&unit.file))
                );
            }
            Some(text) => source_text::decode(&unit.file, text.as_bytes().to_vec())?,
            None => source_text::read(&unit.file)?,
        };
        let key = cache_key(unit, compiler, &source.text);
        if let Some(mut found) = self.cache.get(key) {
            found.notes.splice(0..0, source.notes);
            found.inputs = inputs(
                source.hash,
                found.inputs.map(|inputs| inputs.headers.clone()),
            );
            return Ok(found);
        }
        let kept = self.kept.as_ref();
        // What is typed is not worth keeping beyond the session.
        let kept = kept.and_then(|kept| Some((kept, kept.name(unit, compiler, source.hash?)?)));
        if let Some((kept, name)) = &kept
            && let Some(mut found) = kept.get(name, unit, &self.cache)
        {
            if let Some(headers) = &found.inputs {
                self.cache.insert(key, &found, headers.headers.clone());
            }
            found.notes.splice(0..0, source.notes);
            return Ok(found);
        }
        let started = Moment::now();
        let run = self.run(unit, compiler, &source.text)?;
        let mut output = run.output;
        // Nothing would tell us later that a header which was missing is there.
        let headers = if run.is_complete {
            self.cache.hashes(&output.headers, &started)
        } else {
            None
        };
        if let Some(headers) = headers {
            if run.is_certain {
                output.inputs = inputs(source.hash, Some(headers.clone()));
            }
            self.cache.insert(key, &output, headers);
            if let (Some((kept, name)), true) = (kept, run.is_certain) {
                kept.put(&name, unit, &output);
            }
        }
        let SourceText { mut notes, .. } = source;
        notes.extend(output.notes);
        Ok(Preprocessed { notes, ..output })
    }

    /// The `PATH` that a compiler gets to see.
    pub fn search_path(&self) -> &[PathBuf] {
        &self.options.search_path
    }

    pub fn cache_counters(&self) -> CacheCounters {
        self.cache.counters()
    }

    /// How much of the program earlier runs have preprocessed, if such things are kept.
    pub fn kept_counters(&self) -> Option<KeptCounters> {
        self.kept.as_ref().map(KeptUnits::counters)
    }

    /// Everything that decides what preprocessing a unit gives, except the content of files. `None` if that is not
    /// known, or if nothing is kept on disk.
    pub fn circumstances(&self, unit: &TranslationUnit) -> Option<ContentHash> {
        let compiler = unit.compiler.as_ref()?;
        self.kept.as_ref()?.circumstances(unit, compiler)
    }

    /// Runs the compiler until it has no more complaint that can be mended.
    fn run(
        &self,
        unit: &TranslationUnit,
        compiler: &Compiler,
        text: &str,
    ) -> Result<CompilerRun, Note> {
        let scratch = self.scratch()?;
        let deadline = Instant::now() + self.options.timeout;
        let mut attempt = Attempt::new(
            unit,
            text,
            scratch.new_stubs_directory(),
            &self.options.root,
        );
        let finished = loop {
            let finished = self.run_once(unit, compiler, scratch, &attempt, deadline)?;
            let errors = String::from_utf8_lossy(&finished.errors);
            if !attempt.mend(&errors, &|header, includer| self.hint(header, includer)) {
                break finished;
            }
        };
        if finished.output.is_empty() && !finished.status.success() {
            return Err(failed(unit, compiler, &finished));
        }
        attempt.report_errors(&String::from_utf8_lossy(&finished.errors));
        if !finished.status.success() && attempt.notes.is_empty() {
            attempt.notes.push(stopped_early(unit, compiler, &finished));
        }

        let output = String::from_utf8(finished.output).unwrap_or_else(|error| {
            attempt.notes.push(
                Note::information("a header is not valid UTF-8; what is not is read as U+FFFD")
                    .at(Place::start_of(&unit.file))
                    .with_help("save the project's headers as UTF-8"),
            );
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        let output = universal_names::spelled_out(output);
        let renamed = line_markers::rename(&output, &attempt.names());
        attempt
            .notes
            .extend(renamed.private.iter().map(|path| private(unit, path)));
        Ok(CompilerRun {
            is_complete: attempt.is_complete(),
            is_certain: finished.status.success() && attempt.is_certain(),
            output: Preprocessed {
                text: renamed.text.into(),
                headers: renamed.headers.into_iter().collect(),
                missing: attempt.missing_headers(),
                notes: attempt.notes,
                inputs: None,
            },
        })
    }

    fn run_once(
        &self,
        unit: &TranslationUnit,
        compiler: &Compiler,
        scratch: &Scratch,
        attempt: &Attempt<'_>,
        deadline: Instant,
    ) -> Result<Finished, Note> {
        let mut command = compiler.command(&self.options.search_path);
        command
            .args(attempt.arguments())
            .current_dir(&scratch.empty)
            .env("TMPDIR", scratch.directory.path());
        let limits = ProcessLimits {
            deadline,
            output_bytes: self.options.max_output_bytes,
        };
        process::run(command, attempt.input(), limits)
            .map_err(|error| self.stopped(unit, compiler, &error))
    }

    fn stopped(&self, unit: &TranslationUnit, compiler: &Compiler, error: &ProcessError) -> Note {
        let program = compiler.path.display();
        let (message, help) = match error {
            ProcessError::Time => (
                format!(
                    "preprocessing took longer than {} seconds and was stopped",
                    self.options.timeout.as_secs()
                ),
                "raise `timeout-seconds` under [preprocessor] in racelens.toml".to_owned(),
            ),
            ProcessError::Output => (
                format!(
                    "preprocessing gave more than {} MiB of text and was stopped",
                    self.options.max_output_bytes >> 20
                ),
                "raise `max-output-megabytes` under [preprocessor] in racelens.toml".to_owned(),
            ),
            ProcessError::Start(error) => (
                format!("the compiler {program} could not be started: {error}"),
                "check that it can be run, or pass another one with --compiler".to_owned(),
            ),
            ProcessError::Wait(error) => (
                format!("the compiler {program} was lost while it ran: {error}"),
                "try again".to_owned(),
            ),
        };
        Note::error(message)
            .at(Place::start_of(&unit.file))
            .with_help(help)
    }

    /// The directory of the project in which `header` is found.
    fn hint(&self, header: &str, includer: &Path) -> Option<PathBuf> {
        let mut known = self.locked_index();
        let index = known.get_or_insert_with(|| Arc::new(HeaderIndex::new(&self.options.root)));
        let index = index.clone();
        drop(known);
        index.directory_for(header, includer)
    }

    /// These files may have come or gone.
    pub fn look_again_for(&self, files: &BTreeSet<PathBuf>) {
        let mut known = self.locked_index();
        let mut files = files.iter();
        if known
            .as_ref()
            .is_some_and(|index| files.any(|file| index.knows(file) != file.is_file()))
        {
            *known = None;
        }
    }

    /// What is known was found among other files.
    pub fn forget(&self) {
        self.cache.clear();
    }

    fn locked_index(&self) -> MutexGuard<'_, Option<Arc<HeaderIndex>>> {
        self.header_index
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn scratch(&self) -> Result<&Scratch, Note> {
        self.scratch
            .get_or_init(|| Scratch::new().map_err(|error| error.to_string()))
            .as_ref()
            .map_err(|error| {
                Note::error(format!("no temporary directory could be made: {error}"))
                    .with_help("free some space, or set TMPDIR to a directory that can be written")
            })
    }
}

/// What the compiler gave.
struct CompilerRun {
    output: Preprocessed,
    /// Whether it depends on nothing but the headers that it names.
    is_complete: bool,
    /// Whether another run would give the same, today or tomorrow.
    is_certain: bool,
}

fn inputs(source: Option<ContentHash>, headers: Option<HeaderHashes>) -> Option<Arc<Inputs>> {
    Some(Arc::new(Inputs {
        source: source?,
        headers: headers?,
    }))
}

/// A private directory: an empty one to run in, and room for the stubs of missing headers.
struct Scratch {
    directory: TempDir,
    empty: PathBuf,
    next_stubs: AtomicU64,
}

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let directory = tempfile::Builder::new().prefix("racelens-").tempdir()?;
        let empty = directory.path().join("empty");
        std::fs::create_dir(&empty)?;
        Ok(Scratch {
            directory,
            empty,
            next_stubs: AtomicU64::new(0),
        })
    }

    fn new_stubs_directory(&self) -> PathBuf {
        let number = self.next_stubs.fetch_add(1, Ordering::Relaxed);
        self.directory.path().join(format!("stubs-{number}"))
    }
}

/// The note for a unit that no compiler was found for.
pub fn no_compiler() -> Note {
    Note::error("no C compiler was found, so that nothing can be preprocessed").with_help(
        "install gcc or clang so that it is in PATH, or pass --compiler with the path of one",
    )
}

fn failed(unit: &TranslationUnit, compiler: &Compiler, finished: &Finished) -> Note {
    let errors = String::from_utf8_lossy(&finished.errors);
    let first = errors.lines().find(|line| !line.trim().is_empty());
    let reason = first.map_or_else(|| finished.status.to_string(), str::to_owned);
    Note::error(format!(
        "{} gave no text: {reason}",
        compiler.path.display()
    ))
    .at(Place::start_of(&unit.file))
    .with_help("check the flags of this file in compile_commands.json or racelens.toml")
}

fn private(unit: &TranslationUnit, path: &Path) -> Note {
    Note::warning(format!(
        "{} is left out: it lies outside of the project and is not called as a header is",
        path.display()
    ))
    .at(Place::start_of(&unit.file))
    .with_help(
        "if it is a header of the program, put it into the project, or rename it to end in .h",
    )
}

/// For a compiler that fails without saying why, as one does that crashes.
fn stopped_early(unit: &TranslationUnit, compiler: &Compiler, finished: &Finished) -> Note {
    Note::warning(format!(
        "{} failed ({}); the end of this file may not be analysed",
        compiler.path.display(),
        finished.status
    ))
    .at(Place::start_of(&unit.file))
    .with_help("try the same command by hand, or another compiler with --compiler")
}

fn cache_key(unit: &TranslationUnit, compiler: &Compiler, text: &str) -> CacheKey {
    let compiler: OsString = compiler.path.clone().into();
    let paths = [unit.file.as_os_str(), unit.directory.as_os_str(), &compiler];
    let words = unit.arguments.iter().map(|argument| argument.as_bytes());
    CacheKey::new(
        [text.as_bytes(), unit.spelling.as_bytes()]
            .into_iter()
            .chain(paths.into_iter().map(|path| path.as_encoded_bytes()))
            .chain(words),
    )
}

/// The names that line markers and messages use for the files of `unit`.
pub(super) fn marker_names<'a>(
    unit: &'a TranslationUnit,
    stubs: Option<&'a Path>,
    root: &'a Path,
) -> MarkerNames<'a> {
    MarkerNames {
        main_spelling: &unit.spelling,
        main_file: &unit.file,
        directory: &unit.directory,
        stubs,
        root,
    }
}
