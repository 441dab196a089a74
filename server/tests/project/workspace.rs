//! A project in a temporary directory, for tests.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use racelens::project::preprocess::Preprocessed;
use racelens::project::{LoadOptions, Note, Project};

use crate::temporary_folder::TemporaryFolder;

pub struct Workspace {
    folder: TemporaryFolder,
}

impl Deref for Workspace {
    type Target = TemporaryFolder;

    fn deref(&self) -> &TemporaryFolder {
        &self.folder
    }
}

impl Workspace {
    /// A workspace with these files, given as (path, content).
    pub fn new(files: &[(&str, &str)]) -> Workspace {
        Workspace {
            folder: TemporaryFolder::new(files),
        }
    }

    /// Writes an executable script that leaves a trace when it runs, and returns where the trace is.
    #[cfg(unix)]
    pub fn canary(&self, path: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let trace = self.path("canary.trace");
        let script = format!("#!/bin/sh\ntouch '{}'\nexit 0\n", trace.display());
        self.write(path, script.as_bytes());
        std::fs::set_permissions(self.path(path), std::fs::Permissions::from_mode(0o755)).unwrap();
        trace
    }

    pub fn options(&self) -> LoadOptions {
        LoadOptions {
            paths: vec![self.root()],
            current_directory: Some(self.root()),
            ..LoadOptions::default()
        }
    }

    pub fn load(&self) -> (Project, Vec<Note>) {
        Project::load(&self.options())
    }

    /// Loads the workspace and preprocesses its only file.
    pub fn preprocess_only_file(&self) -> Result<Preprocessed, Note> {
        let (project, notes) = self.load();
        assert_eq!(project.units.len(), 1, "{notes:?}");
        project.preprocess_all(&HashMap::new()).remove(0).1
    }

    /// The notes as text, with the workspace's own path shown as `$W`.
    pub fn shown(&self, notes: &[Note]) -> String {
        let text: Vec<String> = notes.iter().map(Note::to_string).collect();
        self.hide_root(&text.join("\n"))
    }

    pub fn hide_root(&self, text: &str) -> String {
        text.replace(self.root().to_str().unwrap(), "$W")
    }
}

/// What is left of preprocessed text without markers and empty lines.
pub fn code(preprocessed: &Preprocessed) -> Vec<String> {
    preprocessed
        .text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// A compilation database with one `command` per file, all run in `directory`.
pub fn database(directory: &Path, commands: &[(&str, &str)]) -> String {
    let entries: Vec<serde_json::Value> = commands
        .iter()
        .map(|(file, command)| {
            serde_json::json!({ "directory": directory, "file": file, "command": command })
        })
        .collect();
    serde_json::to_string_pretty(&entries).unwrap()
}
