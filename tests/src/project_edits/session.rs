//! A project that is kept up to date as the language server does it.

use super::project_copy::options;
use super::state::{CONFIGURATION, DATABASE, State};
use racelens::project::{LoadOptions, Note, UnsavedTexts};
use racelens::race_options::RaceOptions;
use racelens::races::Check;
use racelens::store::Store;
use racelens::workspace::{SyntaxNote, Workspace};
use racelens_analysis::stop::Stop;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct Session {
    pub workspace: Workspace,
    /// None before the first check.
    check: Option<Check>,
}

impl Session {
    /// Reads the project from the disk, and then what an editor has of it. Files that earlier runs have preprocessed may be
    /// in a store.
    pub fn load(
        state: &State,
        jobs: Option<usize>,
        store: Option<Arc<Store>>,
    ) -> Result<Session, String> {
        let options = LoadOptions {
            store,
            ..options(&state.root)
        };
        let workspace = Workspace::load(&options, jobs);
        let mut session = Session {
            workspace: workspace.map_err(|error| error.to_string())?,
            check: None,
        };
        let is_edited = |file: &&PathBuf| state.open.get(*file) != state.disk.get(*file);
        let edited = state.open.keys().filter(is_edited).cloned().collect();
        session
            .workspace
            .update(&edited, &texts(state), &state.root);
        Ok(session)
    }

    /// Takes in what lies between two states, of which the second one is on the disk. See `Driver` of the server.
    pub fn update(&mut self, before: &State, now: &State) {
        let mut changed: BTreeSet<PathBuf> = now.changed_in_editor(before);
        let mut must_reload = false;
        for file in now.changed_on_disk(before) {
            let name = file.file_name().and_then(|name| name.to_str());
            let is_described = matches!(name, Some(DATABASE | CONFIGURATION));
            let is_source = is_source(&file);
            let is_new = self.workspace.name_of(&file).is_none();
            let is_gone = !now.disk.contains_key(&file);
            if is_described || (is_source && (is_new || is_gone)) {
                must_reload = true;
            } else {
                // What is open has been saved if it is another one on the disk.
                changed.insert(file);
            }
        }
        if must_reload {
            let open = texts(now);
            self.workspace.reload(&options(&now.root), &open, &now.root);
        }
        if !changed.is_empty() {
            self.workspace.update(&changed, &texts(now), &now.root);
        }
    }

    /// Looks for races with the results of the last check.
    pub fn check_again(&mut self) {
        let options = RaceOptions::new(&self.workspace, None);
        let before = self.check.as_ref();
        let check = Check::again(&self.workspace, options, before, &Stop::default());
        self.check = check.ok();
    }

    /// Without them.
    pub fn check_anew(&mut self) {
        let options = RaceOptions::new(&self.workspace, None);
        self.check = Some(Check::new(&self.workspace, options));
    }

    /// The last check; to be asked for after one.
    pub fn check(&self) -> Result<&Check, String> {
        self.check.as_ref().ok_or("nothing was checked".to_owned())
    }

    /// Whether something of an earlier text is still known, because what stands there now does not parse.
    pub fn keeps_something(&self) -> bool {
        let analysis = self.workspace.analysis();
        let mut units = analysis.program().units.values();
        units.any(|table| table.has_kept || !table.kept_groups.is_empty())
    }

    pub fn syntax_notes(&self) -> Vec<Note> {
        let notes = self.workspace.syntax_notes();
        notes.iter().map(SyntaxNote::to_note).collect()
    }
}

fn texts(state: &State) -> UnsavedTexts {
    state.open.clone().into_iter().collect()
}

fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c")
}
