//! Options that every command which reads a program has.

use super::FAILURE;
use super::cache_options::{CacheOptions, complain_about};
use super::progress::ProgressDisplay;
use super::terminal::complain;
use crate::project::{LoadOptions, Project};
use crate::race_options::Entries;
use crate::store::Store;
use crate::workspace::{Loading, Opened, Workspace, WorkspaceError};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Args, Clone)]
pub(super) struct ProgramOptions {
    /// C files and directories to read [default: the current directory]
    pub paths: Vec<PathBuf>,
    /// Use this compile_commands.json, not the one in the project's root, build or builddir
    #[arg(long, value_name = "FILE")]
    pub database: Option<PathBuf>,
    /// Use this racelens.toml, not the one in the project's root
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Preprocess with this compiler, given by name or path
    #[arg(long, value_name = "PROGRAM")]
    pub compiler: Option<PathBuf>,
    /// Read text that is preprocessed already: .i files, or directories with such files
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["paths", "database", "config", "compiler"])]
    pub preprocessed: Vec<PathBuf>,
    /// Use this many threads, from 1 to 1024 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    #[command(flatten)]
    pub cache: CacheOptions,
}

/// Which functions begin threads.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EntriesChoice {
    Threads,
    Exported,
}

impl From<EntriesChoice> for Entries {
    fn from(choice: EntriesChoice) -> Entries {
        match choice {
            EntriesChoice::Threads => Entries::Threads,
            EntriesChoice::Exported => Entries::Exported,
        }
    }
}

impl ProgramOptions {
    pub fn load(&self) -> Result<Workspace, WorkspaceError> {
        let progress = ProgressDisplay::new();
        let workspace = self.read(self.open(), &progress);
        progress.clear();
        let workspace = workspace?;
        self.complain_about_cache(workspace.project.as_ref());
        Ok(workspace)
    }

    /// As `load_with`. What is wrong is said; the command then ends with the status.
    pub fn load_or_complain(&self, display: &ProgressDisplay) -> Result<Workspace, u8> {
        let workspace = self.read_or_complain(self.open(), display)?;
        self.complain_about_cache(workspace.project.as_ref());
        Ok(workspace)
    }

    /// As `load_or_complain`, for what `open` gave.
    pub fn read_or_complain(
        &self,
        opened: Option<Opened>,
        display: &ProgressDisplay,
    ) -> Result<Workspace, u8> {
        self.read(opened, display).map_err(|error| {
            display.clear();
            complain(&format!("error: {error}"));
            FAILURE
        })
    }

    /// Finds the program, unless it is preprocessed already.
    pub fn open(&self) -> Option<Opened> {
        self.preprocessed
            .is_empty()
            .then(|| Opened::new(&self.load_options(self.cache.open())))
    }

    /// Reads the program that was opened.
    fn read(
        &self,
        opened: Option<Opened>,
        display: &ProgressDisplay,
    ) -> Result<Workspace, WorkspaceError> {
        let jobs = self.jobs.map(usize::from);
        let Some(opened) = opened else {
            return Workspace::from_preprocessed(&self.preprocessed, jobs);
        };
        let loading = Loading {
            options: &self.load_options(None),
            jobs,
            watch: &|progress| display.update(progress),
            stop: &AtomicBool::new(false),
        };
        Workspace::read(opened, &loading)
    }

    /// Says why nothing could be kept for the next start, if that was so.
    pub fn complain_about_cache(&self, project: Option<&Project>) {
        if let Some(store) = project.and_then(|project| project.store.as_ref()) {
            complain_about(store);
        }
    }

    fn load_options(&self, store: Option<Arc<Store>>) -> LoadOptions {
        LoadOptions {
            paths: self.paths.clone(),
            compile_commands: self.database.clone(),
            config: self.config.clone(),
            compiler: self.compiler.clone(),
            store,
            ..LoadOptions::default()
        }
    }
}
