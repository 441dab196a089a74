//! `racelens.toml`: what a project says about itself.
//!
//! The file belongs to the workspace, so it can describe the project but cannot choose a program to
//! run: that is the user's to say, on the command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::compiler::{CompilerFinder, is_compiler_name};
use super::config_reader::{Item, Reader};
use super::flags::safe_flags;
use super::glob::Glob;
use super::note::Note;
use super::paths;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// What the paths in the file are relative to.
    pub directory: PathBuf,
    /// What is analysed; everything if empty.
    pub sources: Vec<Glob>,
    /// What is left out.
    pub exclude: Vec<Glob>,
    pub compile_commands: Option<PathBuf>,
    pub preprocessor: PreprocessorConfig,
    pub threads: ThreadsConfig,
    pub check: CheckConfig,
    /// Files that describe library functions. Absolute.
    pub models: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessorConfig {
    /// The name of a compiler, or the path of one that the user trusts.
    pub compiler: Option<String>,
    /// Safe arguments that are added to those of every file.
    pub flags: Vec<String>,
    pub timeout: Duration,
    pub max_output_bytes: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadsConfig {
    /// Functions that run as threads although no call in the program starts them.
    pub entries: Vec<String>,
    /// Whether every function that other files can call is such an entry.
    pub exported: bool,
    /// Pairs of entries that never run at the same time.
    pub never_parallel: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckConfig {
    /// Races of a lower rank are not reported, if the project says so.
    pub min_rank: Option<u8>,
}

impl Default for PreprocessorConfig {
    fn default() -> PreprocessorConfig {
        PreprocessorConfig {
            compiler: None,
            flags: Vec::new(),
            timeout: Duration::from_secs(30),
            max_output_bytes: 256 << 20,
        }
    }
}

const TABLES: &[&str] = &["project", "preprocessor", "threads", "check", "models"];

impl Config {
    /// Reads the text of the configuration at `path`, which is absolute. A key with an error keeps
    /// its default; all errors are reported.
    pub fn parse(path: &Path, text: &str, finder: &CompilerFinder) -> (Config, Vec<Note>) {
        let root = path.parent().unwrap_or(Path::new("/"));
        let mut config = Config {
            directory: root.to_owned(),
            ..Config::default()
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::new(path, text);
        reader.document(TABLES, |reader, table| {
            match table.key.as_str() {
                "project" => config.read_project(reader, &table, root),
                "preprocessor" => config.preprocessor.read(reader, &table, root, finder),
                "threads" => config.threads.read(reader, &table),
                "check" => config.check.read(reader, &table),
                "models" => config.read_models(reader, &table, root),
                _ => {}
            };
        });
        (config, reader.into_notes())
    }

    /// Whether the project's own lists leave `file` in.
    pub fn includes(&self, file: &Path) -> bool {
        // Build systems often write names without symbolic links.
        let relative = file.strip_prefix(&self.directory).or_else(|outside| {
            let real = self.directory.canonicalize().map_err(|_| outside)?;
            file.strip_prefix(real)
        });
        let Ok(relative) = relative else {
            // The lists cannot speak about what lies outside.
            return self.sources.is_empty();
        };
        let covered = |globs: &[Glob]| globs.iter().any(|glob| glob.covers(relative));
        (self.sources.is_empty() || covered(&self.sources)) && !covered(&self.exclude)
    }

    fn read_project(&mut self, reader: &mut Reader<'_>, table: &Item<'_>, root: &Path) {
        reader.table(
            table,
            &["sources", "exclude", "compile-commands"],
            |reader, item| match item.key.as_str() {
                "project.sources" => self.sources = globs(reader, &item),
                "project.exclude" => self.exclude = globs(reader, &item),
                "project.compile-commands" => {
                    self.compile_commands = reader
                        .string(&item)
                        .and_then(|path| existing(reader, &item, root, &path));
                }
                _ => {}
            },
        );
    }

    fn read_models(&mut self, reader: &mut Reader<'_>, table: &Item<'_>, root: &Path) {
        reader.table(table, &["files"], |reader, item| {
            if item.key == "models.files" {
                let files = reader.strings(&item);
                self.models = files
                    .iter()
                    .filter_map(|(file, element)| existing_inside(reader, element, root, file))
                    .collect();
            }
        });
    }
}

impl PreprocessorConfig {
    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        table: &Item<'_>,
        root: &Path,
        finder: &CompilerFinder,
    ) {
        const KEYS: &[&str] = &[
            "compiler",
            "flags",
            "timeout-seconds",
            "max-output-megabytes",
        ];
        // Known, so that its refusal can be explained, but not worth suggesting.
        const REFUSED_KEY: &str = "allowed-compilers";
        reader.table_with_extra(table, KEYS, &[REFUSED_KEY], |reader, item| match item.key.as_str() {
            "preprocessor.compiler" => self.compiler = compiler(reader, &item, finder),
            "preprocessor.allowed-compilers" => reader.error(
                &item,
                "`preprocessor.allowed-compilers` has no effect here: a project cannot allow itself to run programs",
                "pass --compiler with the compiler's path on the command line",
            ),
            "preprocessor.flags" => self.flags = flags(reader, &item, root),
            "preprocessor.timeout-seconds" => {
                if let Some(seconds) = reader.integer(&item, 1..=3600) {
                    self.timeout = Duration::from_secs(seconds);
                }
            }
            "preprocessor.max-output-megabytes" => {
                if let Some(megabytes) = reader.integer(&item, 1..=4096) {
                    self.max_output_bytes = (megabytes as usize) << 20;
                }
            }
            _ => {}
        });
    }
}

impl ThreadsConfig {
    fn read(&mut self, reader: &mut Reader<'_>, table: &Item<'_>) {
        reader.table(
            table,
            &["entries", "exported", "never-parallel"],
            |reader, item| match item.key.as_str() {
                "threads.entries" => self.entries = functions(reader, &item),
                "threads.exported" => {
                    if let Some(exported) = reader.boolean(&item) {
                        self.exported = exported;
                    }
                }
                "threads.never-parallel" => {
                    let pairs = reader.list(&item, "a list of pairs of functions");
                    for pair in pairs {
                        match <[String; 2]>::try_from(functions(reader, &pair)) {
                            Ok([first, second]) => self.never_parallel.push((first, second)),
                            Err(names) if names.is_empty() => {}
                            Err(names) => reader.error(
                                &pair,
                                format!(
                                    "a pair in `threads.never-parallel` has two functions, not {}",
                                    names.len()
                                ),
                                "write it as [\"first\", \"second\"]",
                            ),
                        }
                    }
                }
                _ => {}
            },
        );
    }
}

impl CheckConfig {
    fn read(&mut self, reader: &mut Reader<'_>, table: &Item<'_>) {
        // An option of the command, so that one may look for it here.
        const ELSEWHERE: &str = "entries";
        reader.table_with_extra(table, &["min-rank"], &[ELSEWHERE], |reader, item| {
            if item.key == "check.entries" {
                reader.error(
                    &item,
                    "`check.entries` has no effect: what begins a thread is said under [threads]",
                    "write `exported = true` or `entries = [\"function\"]` under [threads]",
                );
                return;
            }
            let rank = reader.integer(&item, 0..=100);
            if let Some(rank) = rank.and_then(|rank| u8::try_from(rank).ok()) {
                self.min_rank = Some(rank);
            }
        });
    }
}

fn globs(reader: &mut Reader<'_>, item: &Item<'_>) -> Vec<Glob> {
    let mut globs = Vec::new();
    for (pattern, element) in reader.strings(item) {
        let leaves_the_project =
            Path::new(&pattern).is_absolute() || pattern.split('/').any(|part| part == "..");
        if leaves_the_project {
            reader.error(
                &element,
                format!("`{pattern}` leads out of the project"),
                "write the path relative to the directory of racelens.toml, without `..`",
            );
        } else {
            globs.push(Glob::new(&pattern));
        }
    }
    globs
}

fn existing(reader: &mut Reader<'_>, item: &Item<'_>, root: &Path, path: &str) -> Option<PathBuf> {
    let absolute = paths::absolute(root, Path::new(path));
    if absolute.exists() {
        return Some(absolute);
    }
    reader.error(
        item,
        format!("`{path}` does not exist"),
        "correct the path; it is relative to the directory of racelens.toml",
    );
    None
}

/// As `existing`, for a file whose content is quoted where something is wrong with it: that may be no file
/// of the user that the project only knows the name of.
fn existing_inside(
    reader: &mut Reader<'_>,
    item: &Item<'_>,
    root: &Path,
    path: &str,
) -> Option<PathBuf> {
    let absolute = existing(reader, item, root, path)?;
    if paths::is_really_inside(&absolute, root) {
        return Some(absolute);
    }
    reader.error(
        item,
        format!("`{path}` leads out of the project and is not read"),
        "copy the file into the project",
    );
    None
}

fn compiler(reader: &mut Reader<'_>, item: &Item<'_>, finder: &CompilerFinder) -> Option<String> {
    let name = reader.string(item)?;
    if is_compiler_name(&name) || finder.trusts(Path::new(&name)) {
        return Some(name);
    }
    if name.contains('/') {
        reader.error(
            item,
            format!("`{name}` is a path, and a project cannot choose which program runs"),
            "write only its name (`gcc`, `clang-18`, `arm-linux-gnueabihf-gcc`), or pass --compiler with the path on the command line",
        );
    } else {
        reader.error(
            item,
            format!("`{name}` is not the name of a C compiler that a project may choose"),
            "use cc, gcc or clang, with a version (`gcc-12`) or for a machine (`arm-linux-gnueabihf-gcc`), or pass --compiler on the command line",
        );
    }
    None
}

fn flags(reader: &mut Reader<'_>, item: &Item<'_>, root: &Path) -> Vec<String> {
    let given = reader.strings(item);
    let words: Vec<String> = given.iter().map(|(word, _)| word.clone()).collect();
    let safe = safe_flags(&words, root);
    for (refusal, example) in &safe.refused {
        let element = given.iter().find(|(word, _)| word == example);
        reader.error(
            element.map_or(item, |(_, element)| element),
            format!(
                "`{example}` is not passed to the preprocessor: {}",
                refusal.reason()
            ),
            "remove it; flags like -I, -D, -U, -include and -std are passed",
        );
    }
    safe.arguments
}

fn functions(reader: &mut Reader<'_>, item: &Item<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (name, element) in reader.strings(item) {
        if is_identifier(&name) {
            names.push(name);
        } else {
            reader.error(
                &element,
                format!("`{name}` is not the name of a C function"),
                "write the name alone, without parentheses or arguments",
            );
        }
    }
    names
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}
