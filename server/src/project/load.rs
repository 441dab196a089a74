//! Puts a project together: its root, its configuration, its compilation database, its compilers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compile_commands::{self, CompileEntry};
use super::compiler::{Compiler, CompilerFinder};
use super::compiler_choice::CompilerChooser;
use super::config::Config;
use super::note::{Note, Place, Severity};
use super::preprocess::{Preprocessor, PreprocessorOptions, no_compiler};
use super::regular_file::{self, MOST_OF_A_DATABASE};
use super::requested::{Requested, real};
use super::{Project, TranslationUnit, foreign, paths, walk};
use crate::store::Store;

/// What the user asks for. Everything here is trusted, unlike what stands in the workspace.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Files and directories to analyse. If there is none: all of the database that is given below,
    /// or else the current directory.
    pub paths: Vec<PathBuf>,
    /// A compilation database to use instead of the one that would be found.
    pub compile_commands: Option<PathBuf>,
    /// A configuration to use instead of the root's `racelens.toml`.
    pub config: Option<PathBuf>,
    /// The compiler for all files: a name or a path.
    pub compiler: Option<PathBuf>,
    /// Compilers that may be run if the workspace names them. Absolute paths.
    pub trusted_compilers: Vec<PathBuf>,
    /// What relative paths are relative to; the process's own if none.
    pub current_directory: Option<PathBuf>,
    /// Where compilers are searched for; the process's `PATH` if none.
    pub search_path: Option<OsString>,
    /// Where results are kept for the next start, if they are.
    pub store: Option<Arc<Store>>,
}

const CONFIG_NAME: &str = "racelens.toml";
const DATABASE_NAME: &str = "compile_commands.json";

/// What marks the root of a project.
const ROOT_MARKS: &[&str] = &[
    CONFIG_NAME,
    DATABASE_NAME,
    "build/compile_commands.json",
    "builddir/compile_commands.json",
    ".git",
];

/// Where a compilation database is looked for below the root.
const DATABASE_DIRECTORIES: &[&str] = &["", "build", "builddir"];

/// More files and directories of any kind than this are not searched for sources.
const MAX_VISITED: usize = 2_000_000;

/// More directories than this that cannot be read tell the user nothing new.
const MAX_UNREADABLE_NOTES: usize = 10;

pub fn load(options: &LoadOptions) -> (Project, Vec<Note>) {
    let mut notes = Vec::new();
    let requested = Requested::new(options, &mut notes);
    let root = find_root(&requested.start);
    let search_path = options
        .search_path
        .clone()
        .or_else(|| std::env::var_os("PATH"));
    let mut trusted = options.trusted_compilers.clone();
    let user_compiler = options
        .compiler
        .as_ref()
        .map(|compiler| requested.program(compiler));
    trusted.extend(
        user_compiler
            .iter()
            .filter(|path| path.is_absolute())
            .cloned(),
    );
    let finder = CompilerFinder::new(&root, search_path, &trusted);

    let (config, config_file) = read_config(options, &requested, &root, &finder, &mut notes);
    let (entries, database) = read_database(options, &requested, &root, &config, &mut notes);
    let mut chooser = CompilerChooser::new(&finder, user_compiler.as_deref(), &config, &mut notes);
    let known_units: Vec<TranslationUnit> = entries
        .into_iter()
        .map(|entry| {
            let compiler = chooser.choose(&entry.program, &mut notes);
            unit_of(entry, compiler, &config)
        })
        .collect();
    let default_compiler = chooser.default.clone();

    let selection = Selection {
        requested: &requested,
        root: &root,
        config: &config,
        known_units: &known_units,
        default_compiler: default_compiler.as_ref(),
    };
    // A database that the user names is all that was asked for, wherever its files lie: without it
    // there is no directory to search instead.
    let is_only_database = options.compile_commands.is_some() && options.paths.is_empty();
    let units = if known_units.is_empty() && is_only_database {
        Vec::new()
    } else if known_units.is_empty() {
        selection.without_database(&mut notes)
    } else {
        selection.with_database(&mut notes)
    };
    let units = without_private(units, &requested, &root, &mut notes);
    if units.is_empty() && requested.is_complete {
        let searched = match (&database, is_only_database) {
            // What is wrong with the database is said already.
            _ if is_only_database && notes.iter().any(|note| note.severity == Severity::Error) => {
                None
            }
            (Some(database), true) => Some(database.clone()),
            _ => Some(requested.start.clone()),
        };
        notes.extend(searched.map(|searched| no_file(&searched)));
    } else if units.iter().any(|unit| unit.compiler.is_none()) {
        notes.push(no_compiler());
    }
    let store = trusted_store(options, &root, &mut notes);
    let preprocessor = Preprocessor::new(PreprocessorOptions {
        store: store.clone(),
        search_path: finder.search_path().to_vec(),
        timeout: config.preprocessor.timeout,
        max_output_bytes: config.preprocessor.max_output_bytes,
        ..PreprocessorOptions::new(&root)
    });
    let project = Project {
        root,
        config,
        config_file,
        compile_commands: database,
        units,
        preprocessor,
        store,
        known_units,
        default_compiler,
    };
    (project, notes)
}

/// The store, unless the workspace could have put into it what it wants us to believe.
fn trusted_store(options: &LoadOptions, root: &Path, notes: &mut Vec<Note>) -> Option<Arc<Store>> {
    let store = options.store.clone()?;
    if !paths::is_really_inside(store.directory(), root) {
        return Some(store);
    }
    notes.push(
        Note::warning(format!(
            "the cache in {} is not used: it lies in the project that it would be about",
            store.directory().display()
        ))
        .with_help("name another directory with --cache-dir, or pass --no-cache"),
    );
    None
}

/// Leaves out what is no source file but pretends to be: a link to somebody's keys, or `-x c` in front of
/// them. Whatever the user names is read.
fn without_private(
    units: Vec<TranslationUnit>,
    requested: &Requested,
    root: &Path,
    notes: &mut Vec<Note>,
) -> Vec<TranslationUnit> {
    let (units, private): (Vec<_>, Vec<_>) = units
        .into_iter()
        .partition(|unit| requested.names(&unit.file) || foreign::may_be_read(&unit.file, root));
    if let Some(first) = private.first() {
        notes.push(
            Note::warning(format!(
                "{} is not read: it lies outside of the project and is not called as C code is ({} left out)",
                paths::shown(&first.file, root),
                private.len()
            ))
            .with_help("name the file on the command line if it belongs to the program"),
        );
    }
    units
}

fn no_file(searched: &Path) -> Note {
    Note::error(format!(
        "there is no C file to analyse in {}",
        searched.display()
    ))
    .with_help("name a .c file or a directory, and check `sources` and `exclude` in racelens.toml")
}

/// A unit for `file` with the flags of the nearest of `units`: one in the same directory, otherwise the
/// one whose path has the most in common.
pub fn adopt(
    file: &Path,
    root: &Path,
    units: &[TranslationUnit],
    config: &Config,
    default_compiler: Option<&Compiler>,
) -> (TranslationUnit, Note) {
    let nearest = units.iter().rev().max_by_key(|unit| {
        let common = unit
            .file
            .components()
            .zip(file.components())
            .take_while(|(left, right)| left == right)
            .count();
        (unit.file.parent() == file.parent(), common)
    });
    match nearest {
        Some(unit) => {
            let note = Note::information(format!(
                "{} is not in the compilation database; it gets the flags of {}",
                paths::shown(file, root),
                paths::shown(&unit.file, root)
            ))
            .at(Place::start_of(file))
            .with_help("let the build system write compile_commands.json again");
            let unit = TranslationUnit {
                file: file.to_owned(),
                spelling: spelling(file, &unit.directory),
                ..unit.clone()
            };
            (unit, note)
        }
        None => {
            let note = Note::information(format!(
                "{} is preprocessed with default flags",
                paths::shown(file, root)
            ))
            .at(Place::start_of(file))
            .with_help(
                "add a compile_commands.json, or `flags` under [preprocessor] in racelens.toml",
            );
            (default_unit(file, root, config, default_compiler), note)
        }
    }
}

fn find_root(start: &Path) -> PathBuf {
    start
        .ancestors()
        .find(|directory| ROOT_MARKS.iter().any(|mark| directory.join(mark).exists()))
        .unwrap_or(start)
        .to_owned()
}

fn read_config(
    options: &LoadOptions,
    requested: &Requested,
    root: &Path,
    finder: &CompilerFinder,
    notes: &mut Vec<Note>,
) -> (Config, Option<PathBuf>) {
    let path = match &options.config {
        Some(path) => requested.absolute(path),
        None => root.join(CONFIG_NAME),
    };
    if options.config.is_none() && !path.exists() {
        return (Config::default(), None);
    }
    if options.config.is_none() && !foreign::is_inside_or_called(&path, root, CONFIG_NAME) {
        notes.push(leads_out(&path));
        return (Config::default(), None);
    }
    match read_text(&path) {
        Ok(text) => {
            let (config, problems) = Config::parse(&path, &text, finder);
            notes.extend(problems);
            (config, Some(path))
        }
        Err(note) => {
            notes.push(note);
            (Config::default(), None)
        }
    }
}

fn read_database(
    options: &LoadOptions,
    requested: &Requested,
    root: &Path,
    config: &Config,
    notes: &mut Vec<Note>,
) -> (Vec<CompileEntry>, Option<PathBuf>) {
    let named = options
        .compile_commands
        .as_ref()
        .map(|path| requested.absolute(path))
        .or_else(|| config.compile_commands.clone())
        .map(|path| {
            if path.is_dir() {
                path.join(DATABASE_NAME)
            } else {
                path
            }
        });
    let path = named.or_else(|| {
        DATABASE_DIRECTORIES
            .iter()
            .map(|directory| root.join(directory).join(DATABASE_NAME))
            .find(|path| path.is_file())
    });
    let Some(path) = path else {
        return (Vec::new(), None);
    };
    let is_named_by_user = options.compile_commands.is_some();
    if !is_named_by_user && !foreign::is_inside_or_called(&path, root, DATABASE_NAME) {
        notes.push(leads_out(&path));
        return (Vec::new(), None);
    }
    match read_text(&path) {
        Ok(text) => {
            let (entries, problems) = compile_commands::parse(&path, &text);
            notes.extend(problems);
            (entries, Some(path))
        }
        Err(note) => {
            notes.push(note);
            (Vec::new(), None)
        }
    }
}

/// A link of the workspace, or its configuration, can make us read and quote any file of the user.
fn leads_out(path: &Path) -> Note {
    Note::error(format!(
        "{} is not read: it lies outside of the project under another name",
        path.display()
    ))
    .with_help("name it on the command line, or put it into the project")
}

fn read_text(path: &Path) -> Result<String, Note> {
    let help = "correct the path, or leave it away so that the usual places are searched";
    match regular_file::read(path, MOST_OF_A_DATABASE) {
        Ok(bytes) => Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Note::error(format!("{} does not exist", path.display())).with_help(help))
        }
        Err(error) => {
            Err(Note::error(format!("{} cannot be read: {error}", path.display())).with_help(help))
        }
    }
}

/// Which units are analysed.
struct Selection<'a> {
    requested: &'a Requested,
    root: &'a Path,
    config: &'a Config,
    known_units: &'a [TranslationUnit],
    default_compiler: Option<&'a Compiler>,
}

impl Selection<'_> {
    fn with_database(&self, notes: &mut Vec<Note>) -> Vec<TranslationUnit> {
        let mut units: Vec<TranslationUnit> = self
            .known_units
            .iter()
            .filter(|unit| self.requested.covers(&unit.file) && self.is_included(&unit.file))
            .cloned()
            .collect();
        let known: BTreeSet<&Path> = self
            .known_units
            .iter()
            .map(|unit| unit.file.as_path())
            .collect();
        let new: BTreeSet<&PathBuf> = self
            .requested
            .files
            .iter()
            .filter(|file| !known.contains(file.as_path()) && !known.contains(real(file).as_path()))
            .collect();
        for file in new {
            let (unit, note) = adopt(
                file,
                self.root,
                self.known_units,
                self.config,
                self.default_compiler,
            );
            units.push(unit);
            notes.push(note);
        }
        units.sort_by(|left, right| left.file.cmp(&right.file));
        units
    }

    fn without_database(&self, notes: &mut Vec<Note>) -> Vec<TranslationUnit> {
        let mut files: BTreeSet<PathBuf> = self.requested.files.iter().cloned().collect();
        for directory in &self.requested.directories {
            let found = walk::files(directory, &["c"], MAX_VISITED);
            if !found.is_complete {
                notes.push(
                    Note::warning(format!(
                        "{} has more than {MAX_VISITED} files; only a part of them was searched",
                        directory.display()
                    ))
                    .with_help("name a smaller directory, or add a compile_commands.json"),
                );
            }
            for unreadable in found.unreadable.iter().take(MAX_UNREADABLE_NOTES) {
                notes.push(
                    Note::warning(format!(
                        "{} cannot be read; the files in it are left out",
                        unreadable.display()
                    ))
                    .with_help("give yourself permission to read the directory"),
                );
            }
            let included = found
                .files
                .into_iter()
                .filter(|file| self.is_included(file));
            files.extend(included);
        }
        if !files.is_empty() {
            notes.push(
                Note::information("there is no compile_commands.json with C files, so that files are preprocessed with default flags")
                    .with_help(
                        "let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), \
                         or set `flags` under [preprocessor] in racelens.toml",
                    ),
            );
        }
        files
            .iter()
            .map(|file| default_unit(file, self.root, self.config, self.default_compiler))
            .collect()
    }

    /// A file that the user names is analysed whatever the configuration says.
    fn is_included(&self, file: &Path) -> bool {
        self.requested.names(file) || self.config.includes(file)
    }
}

fn unit_of(entry: CompileEntry, compiler: Option<Compiler>, config: &Config) -> TranslationUnit {
    let mut arguments = entry.arguments;
    arguments.extend_from_slice(&config.preprocessor.flags);
    TranslationUnit {
        file: entry.file,
        directory: entry.directory,
        spelling: entry.spelling,
        arguments,
        has_command: true,
        compiler,
    }
}

fn default_unit(
    file: &Path,
    root: &Path,
    config: &Config,
    compiler: Option<&Compiler>,
) -> TranslationUnit {
    TranslationUnit {
        file: file.to_owned(),
        directory: root.to_owned(),
        spelling: spelling(file, root),
        arguments: config.preprocessor.flags.clone(),
        has_command: false,
        compiler: compiler.cloned(),
    }
}

/// `file` as a command in `directory` would name it.
fn spelling(file: &Path, directory: &Path) -> String {
    file.strip_prefix(directory)
        .unwrap_or(file)
        .to_string_lossy()
        .into_owned()
}
