//! A program that was read from disk into the analysis.

mod editing;
mod from_preprocessed;
mod header_uses;
mod known_places;
mod line_change;
mod line_moves;
mod open_texts;
mod opened;
mod sources;
mod syntax_note;
mod texts;
mod unit_basis;

use crate::project::preprocess::Preprocessed;
use crate::project::{LoadOptions, Note, Place, Project, TranslationUnit, UnsavedTexts};
use crate::store::ContentHash;
use header_uses::HeaderUses;
use racelens_analysis::db::Function;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{
    Analysis, AnalysisHost, Change, FunctionLocations, Location, SourceFile, UnitChange,
};
use racelens_analysis::ir::Span;
use racelens_analysis::models::Models;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use ustr::Ustr;

pub use editing::ReadAgain;
pub use known_places::Spot;
pub use line_moves::LineMoves;
pub use opened::Opened;
pub use sources::AskedText;
pub use syntax_note::SyntaxNote;
pub use texts::{Reading, Since, Stretch, Texts};
pub use unit_basis::{UnitBasis, outcome};

/// The program, what was to say about it, and how long reading it took.
pub struct Workspace {
    pub host: AnalysisHost,
    pub project: Option<Project>,
    /// What library functions do, with what the project adds.
    pub models: Models,
    pub notes: Vec<Note>,
    pub units: usize,
    pub bytes: usize,
    pub lines: usize,
    pub preprocess_time: Duration,
    pub front_end_time: Duration,
    /// The part of it before the first function is parsed.
    pub splitting_time: Duration,
    pool: rayon::ThreadPool,
    texts: Texts,
    /// In the order of the project's units.
    read_units: Vec<ReadUnit>,
    header_uses: HeaderUses,
    /// What is to say about the project itself, and not about one of its units.
    project_notes: Vec<Note>,
    /// Of the project's model files.
    models_hash: ContentHash,
    /// What the program is beside what lies on the disk.
    past: Past,
}

/// What happened to a program since it was read.
#[derive(Clone, Copy, Default)]
struct Past {
    /// Whether units were read again: what does not parse may be there as it was before.
    is_edited: bool,
}

/// How a program is read.
pub struct Loading<'l> {
    pub options: &'l LoadOptions,
    pub jobs: Option<usize>,
    /// Is told how far it is, from several threads.
    pub watch: Watch<'l>,
    /// Set by somebody who no longer wants the program.
    pub stop: &'l AtomicBool,
}

/// How much of the work is done, out of how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Translation units.
    Preprocessed(usize, usize),
    /// Functions.
    Lowered(usize, usize),
}

pub type Watch<'w> = &'w (dyn Fn(Progress) + Sync);

/// Why a program could not be read at all.
#[derive(Debug)]
pub struct WorkspaceError(String);

impl fmt::Display for WorkspaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WorkspaceError {}

/// A program as it was read, before it is analysed.
struct ReadProgram {
    project: Option<Project>,
    models: Models,
    models_hash: ContentHash,
    units: Vec<(ReadUnit, Option<Arc<str>>)>,
    notes: Vec<Note>,
    preprocess_time: Duration,
}

/// What is known of a translation unit beside its text.
struct ReadUnit {
    /// By which the analysis knows it.
    name: Ustr,
    data_model: DataModel,
    /// Whether there was any text.
    is_read: bool,
    headers: Vec<PathBuf>,
    /// Headers that it asks for and that are not there.
    missing: Vec<String>,
    notes: Vec<Note>,
    /// If nobody says how it is compiled: with whose flags it is.
    adoption: Option<Note>,
    basis: UnitBasis,
}

/// Stack for the threads that parse: enough that ordinary code never needs a larger one.
const STACK_BYTES: usize = 16 << 20;

impl Workspace {
    /// Reads the project's files through the preprocessor.
    pub fn load(options: &LoadOptions, jobs: Option<usize>) -> Result<Workspace, WorkspaceError> {
        Workspace::load_watched(options, jobs, &|_| ())
    }

    /// As `load`, and tells `watch` how far it is. That is called from several threads.
    pub fn load_watched(
        options: &LoadOptions,
        jobs: Option<usize>,
        watch: Watch<'_>,
    ) -> Result<Workspace, WorkspaceError> {
        Workspace::load_as(Loading {
            options,
            jobs,
            watch,
            stop: &AtomicBool::new(false),
        })
    }

    pub fn load_as(loading: Loading<'_>) -> Result<Workspace, WorkspaceError> {
        Workspace::read(Opened::new(loading.options), &loading)
    }

    /// Reads the files of a program that was opened, with the same options.
    pub fn read(opened: Opened, loading: &Loading<'_>) -> Result<Workspace, WorkspaceError> {
        let pool = thread_pool(loading.jobs)?;
        let Opened {
            project,
            notes,
            models,
            models_hash,
            started,
        } = opened;
        let total = project.units.len();
        let results = Mutex::new(Vec::with_capacity(total));
        pool.install(|| {
            let numbers: Vec<usize> = (0..total).collect();
            numbers.into_par_iter().for_each(|index| {
                if loading.stop.load(Ordering::Relaxed) {
                    return;
                }
                let result = project.preprocess_one(index, &UnsavedTexts::new());
                let mut results = locked(&results);
                results.push((index, result));
                (loading.watch)(Progress::Preprocessed(results.len(), total));
            });
        });
        if loading.stop.load(Ordering::Relaxed) {
            return Err(WorkspaceError("reading the program was stopped".to_owned()));
        }
        let mut results = results
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        results.sort_by_key(|(index, _)| *index);
        let results = results.into_iter();
        let units = results.map(|(index, result)| read_unit(&project.units, index, result));
        let units = units.collect();
        let preprocess_time = started.elapsed();
        let read = ReadProgram {
            project: Some(project),
            models,
            models_hash,
            units,
            notes,
            preprocess_time,
        };
        Ok(Workspace::new(read, pool, loading.watch))
    }

    fn new(read: ReadProgram, pool: rayon::ThreadPool, watch: Watch<'_>) -> Workspace {
        let texts = || read.units.iter().filter_map(|(_, text)| text.as_deref());
        let bytes = texts().map(str::len).sum();
        let lines = texts()
            .map(|text| text.bytes().filter(|&byte| byte == b'\n').count())
            .sum();
        let units = texts().count();
        let mut workspace = Workspace {
            host: AnalysisHost::default(),
            project: read.project,
            models: read.models,
            notes: Vec::new(),
            units,
            bytes,
            lines,
            preprocess_time: read.preprocess_time,
            front_end_time: Duration::ZERO,
            splitting_time: Duration::ZERO,
            pool,
            texts: Texts::new(),
            read_units: Vec::new(),
            header_uses: HeaderUses::default(),
            project_notes: read.notes,
            models_hash: read.models_hash,
            past: Past::default(),
        };
        let started = Instant::now();
        let mut change = Change::default();
        for (unit, text) in read.units {
            change.units.extend(text.map(|text| unit.change(text)));
            workspace.header_uses.add(&unit);
            workspace.read_units.push(unit);
        }
        workspace.apply(change);
        workspace.splitting_time = started.elapsed();
        workspace.lower_everything(watch);
        workspace.front_end_time = started.elapsed();
        workspace
    }

    fn apply(&mut self, change: Change) {
        let units = change.units.iter().map(|unit| unit.path);
        self.texts.read_again(units);
        let Workspace { host, pool, .. } = self;
        pool.install(|| host.apply(change));
        self.units = self.read_units.iter().filter(|unit| unit.is_read).count();
        // Notes of shared headers come once for each unit that includes them.
        let of_units = self
            .read_units
            .iter()
            .flat_map(|unit| unit.notes.iter().chain(&unit.adoption));
        let notes: BTreeSet<&Note> = self.project_notes.iter().chain(of_units).collect();
        self.notes = notes.into_iter().cloned().collect();
    }

    fn lower_everything(&mut self, watch: Watch<'_>) {
        let analysis = self.host.analysis();
        let functions = analysis.functions();
        let done = AtomicUsize::new(0);
        self.pool.install(|| {
            functions
                .par_iter()
                .for_each_with(analysis, |analysis, function| {
                    analysis.lowered(*function);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    watch(Progress::Lowered(done, functions.len()));
                });
        });
    }

    /// Ends the work with a program together with the process: what lies on the disk is removed, but freeing memory piece
    /// by piece would only cost time.
    pub fn leave(mut self) {
        self.project = None;
        std::mem::forget(self);
    }

    /// What is to say about the project itself, and not about one of its units.
    pub fn project_notes(&self) -> &[Note] {
        &self.project_notes
    }

    /// Of the project's model files.
    pub fn models_hash(&self) -> ContentHash {
        self.models_hash
    }

    /// What each of the project's units was made from.
    pub fn unit_bases(&self) -> impl ExactSizeIterator<Item = &UnitBasis> {
        self.read_units.iter().map(|unit| &unit.basis)
    }

    /// Whether the program is what anybody would read from the disk now, if no file has changed: nothing in it is left from
    /// a text that was there before, or known to an editor only.
    pub fn is_as_on_disk(&self) -> bool {
        let is_unmixed = !self.past.is_edited || self.syntax_notes().is_empty();
        let has_adopted = self.read_units.iter().any(|unit| unit.adoption.is_some());
        is_unmixed && !has_adopted && self.texts.sources.unsaved.is_empty()
    }

    pub fn analysis(&self) -> Analysis {
        self.host.analysis()
    }

    /// Runs work on the program with as many threads as the user allows.
    pub fn in_parallel<T: Send>(&self, work: impl FnOnce(Analysis) -> T + Send) -> T {
        let analysis = self.analysis();
        self.pool.install(move || work(analysis))
    }

    /// The way back to the text that the user wrote.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Finds places in one function, for when many are asked for.
    pub fn locations<'a>(
        &self,
        analysis: &'a Analysis,
        function: Function,
    ) -> Option<FunctionLocations<'a>> {
        self.texts.locations(analysis, function)
    }

    pub fn location(
        &self,
        analysis: &Analysis,
        function: Function,
        span: Span,
    ) -> Option<Location> {
        self.texts.location(analysis, function, span)
    }

    /// A source file as it is now, saved or not.
    pub fn source(&self, file: &Path) -> Option<Arc<SourceFile>> {
        self.texts.source(file)
    }

    /// The texts of those source files that are relevant, which must mean the same at every call, by name.
    pub fn texts_that(
        &self,
        files: HashSet<Ustr>,
        are_relevant: fn(&str) -> bool,
    ) -> Vec<(Ustr, Arc<str>)> {
        let sources = &self.texts.sources;
        let (mut texts, unknown) = sources.known_to_be_relevant(files);
        let relevant = |file: &Ustr| Some((*file, sources.text_if(*file, are_relevant)?));
        if !unknown.is_empty() {
            let found: Vec<_> = self
                .pool
                .install(|| unknown.par_iter().filter_map(relevant).collect());
            texts.extend(found);
        }
        texts.sort();
        texts
    }

    /// What of the user's own files does not parse, with the place and the reason.
    pub fn syntax_notes(&self) -> Vec<SyntaxNote> {
        let analysis = self.analysis();
        let sources = &self.texts.sources;
        let problems = self
            .pool
            .install(move || analysis.syntax_problems(&|file| sources.get(file)));
        problems
            .into_iter()
            .map(|problem| SyntaxNote {
                place: problem.location.map(|location| self.place(&location)),
                problem,
            })
            .collect()
    }

    /// A location as the user counts: columns in characters, not in bytes.
    pub fn place(&self, location: &Location) -> Place {
        self.texts.place(location)
    }
}

fn thread_pool(jobs: Option<usize>) -> Result<rayon::ThreadPool, WorkspaceError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|error| {
            WorkspaceError(format!("the worker threads could not be started: {error}"))
        })
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl ReadUnit {
    fn change(&self, text: Arc<str>) -> UnitChange {
        UnitChange {
            path: self.name,
            text: Some(text),
            data_model: self.data_model,
        }
    }
}

/// The result of preprocessing one of a project's units.
fn read_unit(
    units: &[TranslationUnit],
    index: usize,
    result: Result<Preprocessed, Note>,
) -> (ReadUnit, Option<Arc<str>>) {
    let unit = &units[index];
    let basis = UnitBasis::of(&result);
    let (text, headers, missing, notes) = match result {
        Ok(read) => (Some(read.text), read.headers, read.missing, read.notes),
        // That no compiler was found is said once, not for each file.
        Err(_) if unit.compiler.is_none() => (None, Vec::new(), Vec::new(), Vec::new()),
        Err(note) => (None, Vec::new(), Vec::new(), vec![note]),
    };
    let read = ReadUnit {
        name: unit_name(units, index),
        data_model: data_model(&unit.arguments),
        is_read: text.is_some(),
        headers,
        missing,
        notes,
        adoption: None,
        basis,
    };
    (read, text)
}

/// Several entries for one file stand one beside the other: their names must differ.
fn unit_name(units: &[TranslationUnit], index: usize) -> Ustr {
    let file = &units[index].file;
    let before = units[..index].iter().rev();
    let count = before.take_while(|unit| unit.file == *file).count() + 1;
    let path = path_name(file);
    if count == 1 {
        path
    } else {
        Ustr::from(&format!("{path} (command {count})"))
    }
}

fn path_name(path: &Path) -> Ustr {
    Ustr::from(&path.to_string_lossy())
}

fn data_model(arguments: &[String]) -> DataModel {
    let model = arguments
        .iter()
        .fold(DataModel::LP64, |model, argument| match argument.as_str() {
            "-m32" => DataModel::ILP32,
            "-m64" => DataModel::LP64,
            _ => model,
        });
    let is_unsigned = arguments
        .iter()
        .any(|argument| matches!(argument.as_str(), "-funsigned-char" | "-fno-signed-char"));
    DataModel {
        char_is_signed: !is_unsigned,
        ..model
    }
}
