//! A program that was found on disk and not read yet: which units it has, and what is known of libraries.

use crate::models::{self, LoadedModels};
use crate::project::{LoadOptions, Note, Project};
use crate::store::ContentHash;
use racelens_analysis::models::Models;
use std::time::Instant;

pub struct Opened {
    pub project: Project,
    /// About the project itself, and not about one of its units.
    pub notes: Vec<Note>,
    pub models: Models,
    /// Of the project's model files.
    pub models_hash: ContentHash,
    /// When somebody asked for the program.
    pub started: Instant,
}

impl Opened {
    pub fn new(options: &LoadOptions) -> Opened {
        let started = Instant::now();
        let (project, mut notes) = Project::load(options);
        let LoadedModels {
            models,
            notes: model_notes,
            hash,
        } = models::load(&project.config.models);
        notes.extend(model_notes);
        Opened {
            project,
            notes,
            models,
            models_hash: hash,
            started,
        }
    }
}
