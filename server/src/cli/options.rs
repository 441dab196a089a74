//! Options that every command which reads a program has.

use super::FAILURE;
use super::progress::ProgressDisplay;
use super::terminal::complain;
use crate::project::LoadOptions;
use crate::race_options::Entries;
use crate::workspace::{Workspace, WorkspaceError};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
        let workspace = self.load_with(&progress);
        progress.clear();
        workspace
    }

    /// As `load_with`. What is wrong is said; the command then ends with the status.
    pub fn load_or_complain(&self, display: &ProgressDisplay) -> Result<Workspace, u8> {
        self.load_with(display).map_err(|error| {
            display.clear();
            complain(&format!("error: {error}"));
            FAILURE
        })
    }

    /// As `load`, for commands that have more to do and show that too.
    fn load_with(&self, display: &ProgressDisplay) -> Result<Workspace, WorkspaceError> {
        let jobs = self.jobs.map(usize::from);
        if !self.preprocessed.is_empty() {
            return Workspace::from_preprocessed(&self.preprocessed, jobs);
        }
        let options = LoadOptions {
            paths: self.paths.clone(),
            compile_commands: self.database.clone(),
            config: self.config.clone(),
            compiler: self.compiler.clone(),
            ..LoadOptions::default()
        };
        Workspace::load_watched(&options, jobs, &|progress| display.update(progress))
    }
}
