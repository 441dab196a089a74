//! Options that every command which reads a program has.

use crate::project::{LoadOptions, Note};
use crate::workspace::{Workspace, WorkspaceError};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct ProgramOptions {
    /// Files and directories to read; the current directory if there is none.
    pub paths: Vec<PathBuf>,
    /// The compile_commands.json to use, instead of the one that is found.
    #[arg(long, value_name = "FILE")]
    pub database: Option<PathBuf>,
    /// The racelens.toml to use, instead of the one that is found.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The compiler whose preprocessor is run, by name or path.
    #[arg(long, value_name = "PROGRAM")]
    pub compiler: Option<PathBuf>,
    /// Reads text that is already preprocessed: `.i` files, or directories with such files.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["paths", "database", "compiler"])]
    pub preprocessed: Vec<PathBuf>,
    /// How many threads to use; all cores if not given.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

impl ProgramOptions {
    pub fn load(&self) -> Result<Workspace, WorkspaceError> {
        if !self.preprocessed.is_empty() {
            return Workspace::from_preprocessed(&self.preprocessed, self.jobs);
        }
        let options = LoadOptions {
            paths: self.paths.clone(),
            compile_commands: self.database.clone(),
            config: self.config.clone(),
            compiler: self.compiler.clone(),
            ..LoadOptions::default()
        };
        Workspace::load(&options, self.jobs)
    }
}

/// Writes notes to standard error, each once.
pub(super) fn print_notes(notes: &[Note]) {
    for note in notes {
        eprintln!("{note}");
    }
}
