//! A program that was read from disk into the analysis.

use crate::project::{self, LoadOptions, Note, Place, Project, UnsavedTexts};
use racelens_analysis::db::Function;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{
    Analysis, AnalysisHost, Change, FunctionLocations, Location, ProblemKind, SourceFile,
    SyntaxProblem, UnitChange,
};
use racelens_analysis::ir::Span;
use racelens_analysis::models::Models;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use ustr::Ustr;

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
    pool: rayon::ThreadPool,
    sources: Sources,
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
    texts: Vec<(Ustr, Arc<str>, DataModel)>,
    notes: Vec<Note>,
    preprocess_time: Duration,
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
        let pool = thread_pool(jobs)?;
        let started = Instant::now();
        let (project, mut notes) = Project::load(options);
        let total = project.units.len();
        let results = Mutex::new(Vec::with_capacity(total));
        pool.install(|| {
            project.preprocess_each(&UnsavedTexts::new(), |index, result| {
                let mut results = locked(&results);
                results.push((index, result));
                watch(Progress::Preprocessed(results.len(), total));
            });
        });
        let mut results = results
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        results.sort_by_key(|(index, _)| *index);
        let mut texts = Vec::with_capacity(results.len());
        for (index, result) in results {
            let unit = &project.units[index];
            match result {
                Ok(preprocessed) => {
                    notes.extend(preprocessed.notes);
                    let model = data_model(&unit.arguments);
                    texts.push((path_name(&unit.file), preprocessed.text, model));
                }
                // That no compiler was found is said once, not for each file.
                Err(note) if unit.compiler.is_some() => notes.push(note),
                Err(_) => {}
            }
        }
        let (models, model_notes) = crate::models::load(&project.config.models);
        notes.extend(model_notes);
        let preprocess_time = started.elapsed();
        let read = ReadProgram {
            project: Some(project),
            models,
            texts,
            notes,
            preprocess_time,
        };
        Ok(Workspace::new(read, pool, watch))
    }

    /// Reads text that somebody else has preprocessed.
    pub fn from_preprocessed(
        paths: &[PathBuf],
        jobs: Option<usize>,
    ) -> Result<Workspace, WorkspaceError> {
        let pool = thread_pool(jobs)?;
        let started = Instant::now();
        let mut notes = Vec::new();
        let mut texts = Vec::new();
        for file in preprocessed_files(paths, &mut notes) {
            match project::read_preprocessed(&file) {
                Ok((text, remarks)) => {
                    notes.extend(remarks);
                    let name = first_marker(&text).unwrap_or_else(|| path_name(&file));
                    texts.push((name, text.into(), DataModel::LP64));
                }
                Err(note) => notes.push(note),
            }
        }
        let preprocess_time = started.elapsed();
        let read = ReadProgram {
            project: None,
            models: Models::builtin().clone(),
            texts,
            notes,
            preprocess_time,
        };
        Ok(Workspace::new(read, pool, &|_| ()))
    }

    fn new(read: ReadProgram, pool: rayon::ThreadPool, watch: Watch<'_>) -> Workspace {
        let ReadProgram {
            project,
            models,
            texts,
            notes,
            preprocess_time,
        } = read;
        let bytes = texts.iter().map(|(_, text, _)| text.len()).sum();
        let lines = texts
            .iter()
            .map(|(_, text, _)| text.bytes().filter(|&byte| byte == b'\n').count())
            .sum();
        let started = Instant::now();
        let mut host = AnalysisHost::default();
        let units = texts.len();
        pool.install(|| {
            // Several entries for one file stand one beside the other: their names must differ.
            let mut seen: HashMap<Ustr, usize> = HashMap::new();
            let changes = texts.into_iter().map(|(path, text, data_model)| {
                let count = seen.entry(path).or_default();
                *count += 1;
                let path = if *count == 1 {
                    path
                } else {
                    Ustr::from(&format!("{path} (command {count})"))
                };
                UnitChange {
                    path,
                    text: Some(text),
                    data_model,
                }
            });
            host.apply(Change {
                units: changes.collect(),
            });
        });
        // Notes of shared headers come once for each unit that includes them.
        let notes: BTreeSet<Note> = notes.into_iter().collect();
        let mut workspace = Workspace {
            host,
            project,
            models,
            notes: notes.into_iter().collect(),
            units,
            bytes,
            lines,
            preprocess_time,
            front_end_time: Duration::ZERO,
            pool,
            sources: Sources::default(),
        };
        workspace.lower_everything(watch);
        workspace.front_end_time = started.elapsed();
        workspace
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

    pub fn analysis(&self) -> Analysis {
        self.host.analysis()
    }

    /// Runs work on the program with as many threads as the user allows.
    pub fn in_parallel<T: Send>(&self, work: impl FnOnce(Analysis) -> T + Send) -> T {
        let analysis = self.analysis();
        self.pool.install(move || work(analysis))
    }

    /// Finds places in one function, for when many are asked for.
    pub fn locations<'a>(
        &self,
        analysis: &'a Analysis,
        function: Function,
    ) -> Option<FunctionLocations<'a>> {
        analysis.locations(function, &|file| self.sources.get(file))
    }

    pub fn location(
        &self,
        analysis: &Analysis,
        function: Function,
        span: Span,
    ) -> Option<Location> {
        analysis.location(function, span, &|file| self.sources.get(file))
    }

    /// What of the user's own files does not parse, with the place and the reason.
    pub fn syntax_notes(&self) -> Vec<SyntaxNote> {
        let analysis = self.analysis();
        let sources = &self.sources;
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

    /// The text at a location, if it stands on one line that the user wrote.
    pub fn text_at(&self, location: &Location) -> Option<String> {
        if location.in_macro || location.line != location.end_line {
            return None;
        }
        let file = self.sources.get(location.file)?;
        let range = location.column as usize - 1..location.end_column as usize - 1;
        Some(file.line(location.line)?.get(range)?.to_owned())
    }

    /// A location as the user counts: columns in characters, not in bytes.
    pub fn place(&self, location: &Location) -> Place {
        let before = location.column.saturating_sub(1);
        let column = self
            .sources
            .get(location.file)
            .and_then(|file| {
                let line = file.line(location.line)?.get(..before as usize)?;
                Some(line.chars().count() as u32)
            })
            .unwrap_or(before);
        Place::new(location.file.as_str(), location.line, column + 1)
    }
}

/// Something that could not be understood, where the user finds it.
pub struct SyntaxNote {
    pub problem: SyntaxProblem,
    pub place: Option<Place>,
}

impl SyntaxNote {
    pub fn to_note(&self) -> Note {
        let name = match self.problem.name {
            Some(name) => format!(" `{name}`"),
            None => String::new(),
        };
        let (what, is_missing) = match self.problem.kind {
            ProblemKind::Function => ("function", true),
            ProblemKind::Initialiser => ("the initialiser of", true),
            ProblemKind::Typedef => ("type", false),
            ProblemKind::Declaration if name.is_empty() => ("this declaration", false),
            ProblemKind::Declaration => ("the declaration of", false),
        };
        let verdict = if is_missing {
            "is not analysed"
        } else {
            "is not understood"
        };
        let note = Note::information(format!("{what}{name} {verdict}: {}", self.problem.reason));
        match &self.place {
            Some(place) => note.at(place.clone()),
            None => note,
        }
    }
}

/// Source files by path, read when a column in them is asked for.
#[derive(Default)]
struct Sources(Mutex<HashMap<Ustr, Option<Arc<SourceFile>>>>);

impl Sources {
    fn get(&self, file: Ustr) -> Option<Arc<SourceFile>> {
        let mut files = locked(&self.0);
        files
            .entry(file)
            .or_insert_with(|| {
                // The same text as the preprocessor got, also where it is not UTF-8.
                let text = project::read_source(Path::new(file.as_str()))?;
                Some(Arc::new(SourceFile::new(text.into())))
            })
            .clone()
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

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The file that the first line marker names.
fn first_marker(text: &str) -> Option<Ustr> {
    let line = text.lines().next()?.strip_prefix("# ")?;
    let name = line.split_once('"')?.1;
    Some(Ustr::from(&name[..name.rfind('"')?]))
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
