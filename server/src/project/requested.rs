//! The files and directories that the user asks about.

use std::path::{Path, PathBuf};

use super::note::Note;
use super::{LoadOptions, paths, walk};

/// The user's paths, absolute.
pub struct Requested {
    current_directory: PathBuf,
    pub files: Vec<PathBuf>,
    pub directories: Vec<PathBuf>,
    /// The same without symbolic links: build systems often write those names.
    real_files: Vec<PathBuf>,
    real_directories: Vec<PathBuf>,
    /// The directory that all of it lies in.
    pub start: PathBuf,
    /// Whether all paths exist and are of use.
    pub is_complete: bool,
}

impl Requested {
    pub fn new(options: &LoadOptions, notes: &mut Vec<Note>) -> Requested {
        let current_directory = options
            .current_directory
            .clone()
            .or_else(|| std::env::current_dir().ok())
            .unwrap_or_else(|| PathBuf::from("/"));
        let mut requested = Requested {
            start: current_directory.clone(),
            current_directory,
            files: Vec::new(),
            directories: Vec::new(),
            real_files: Vec::new(),
            real_directories: Vec::new(),
            is_complete: true,
        };
        let mut start: Option<PathBuf> = None;
        for path in &options.paths {
            let path = requested.absolute(path);
            let directory = if path.is_dir() {
                Some(path.as_path())
            } else {
                path.parent()
            };
            let directory = directory.unwrap_or(Path::new("/"));
            start = Some(match start {
                Some(start) => common_directory(&start, directory),
                None => directory.to_owned(),
            });
            requested.add(path, notes);
        }
        match &options.compile_commands {
            _ if !options.paths.is_empty() => {}
            // A database that the user names is meant as a whole, wherever its files lie.
            Some(database) => {
                let database = requested.absolute(database);
                start = database.parent().map(Path::to_owned);
                requested.directories.push(PathBuf::from("/"));
            }
            None => requested
                .directories
                .push(requested.current_directory.clone()),
        }
        requested.real_files = requested.files.iter().map(|file| real(file)).collect();
        requested.real_directories = requested
            .directories
            .iter()
            .map(|directory| real(directory))
            .collect();
        requested.start = start.unwrap_or_else(|| requested.current_directory.clone());
        requested
    }

    fn add(&mut self, path: PathBuf, notes: &mut Vec<Note>) {
        if path.is_dir() {
            self.directories.push(path);
        } else if !path.exists() {
            self.is_complete = false;
            notes.push(
                Note::error(format!("{} does not exist", path.display()))
                    .with_help("name a C source file or a directory with some"),
            );
        } else if walk::has_extension(&path, &["h", "hh", "hpp", "inc"]) {
            self.is_complete = false;
            notes.push(
                Note::warning(format!(
                    "{} is a header and is not analysed alone",
                    path.display()
                ))
                .with_help("name a .c file that includes it"),
            );
        } else {
            self.files.push(path);
        }
    }

    /// Whether the user asks about `file`.
    pub fn covers(&self, file: &Path) -> bool {
        self.names(file)
            || self
                .directories
                .iter()
                .any(|directory| file.starts_with(directory))
            || self
                .real_directories
                .iter()
                .any(|directory| file.starts_with(directory))
    }

    /// Whether the user names `file` itself.
    pub fn names(&self, file: &Path) -> bool {
        self.files
            .iter()
            .chain(&self.real_files)
            .any(|requested| requested == file)
    }

    pub fn absolute(&self, path: &Path) -> PathBuf {
        paths::absolute(&self.current_directory, path)
    }

    /// A program as the user names it: a bare name stays one.
    pub fn program(&self, program: &Path) -> PathBuf {
        if program.components().count() == 1 && !program.is_absolute() {
            program.to_owned()
        } else {
            self.absolute(program)
        }
    }
}

/// `path` without symbolic links, as build systems often write it.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn common_directory(left: &Path, right: &Path) -> PathBuf {
    left.components()
        .zip(right.components())
        .take_while(|(left, right)| left == right)
        .map(|(component, _)| component)
        .collect()
}
