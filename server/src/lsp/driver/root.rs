//! One folder of the editor's workspace: a program, and what was found in it.

use super::recalled::RecalledRoot;
use super::verification::VerifiedRaces;
use crate::lsp::document::Document;
use crate::lsp::settings::Settings;
use crate::project::regular_file::{self, MOST_OF_A_SETTING};
use crate::project::{LoadOptions, UnsavedTexts};
use crate::race_options::RaceOptions;
use crate::races::Check;
use crate::report::{Baseline, Report, Selection};
use crate::store::Store;
use crate::workspace::{Loading, Opened, Progress, SyntaxNote, Workspace};
use racelens_analysis::races::DEFAULT_MIN_RANK;
use racelens_analysis::stop::{Stop, Stopped};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub struct Root {
    /// The folder, or the only file if the editor has no folder.
    pub path: PathBuf,
    pub(super) workspace: Option<Workspace>,
    pub(super) checked: Option<CheckedRoot>,
    /// What an earlier run has found, until the program is checked.
    pub(super) recalled: Option<RecalledRoot>,
    /// The program as it was found and not read yet.
    pub(super) opened: Option<Opened>,
    /// The check before the last change.
    earlier: Option<Check>,
    pub(super) verified: VerifiedRaces,
}

/// A program as it was at the last check, which is as the workspace has it.
pub struct CheckedRoot {
    pub check: Check,
    /// What the user wants to see.
    pub report: Report,
}

/// The editor's texts by path.
pub type OpenFiles = HashMap<PathBuf, Arc<Document>>;

impl Root {
    pub fn new(path: PathBuf) -> Root {
        Root {
            path,
            workspace: None,
            checked: None,
            recalled: None,
            opened: None,
            earlier: None,
            verified: VerifiedRaces::default(),
        }
    }

    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    pub fn checked(&self) -> Option<&CheckedRoot> {
        self.checked.as_ref()
    }

    /// What is known of the program's races.
    pub fn report(&self) -> Option<&Report> {
        let checked = self.checked.as_ref().map(|checked| &checked.report);
        checked.or(self.recalled.as_ref().map(|recalled| &recalled.report))
    }

    /// Reads the program.
    pub fn load(
        &mut self,
        settings: &Settings,
        open: &OpenFiles,
        store: Option<&Arc<Store>>,
        stop: &AtomicBool,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<(), String> {
        self.checked = None;
        self.earlier = None;
        let options = self.options(settings, store);
        let opened = self.opened.take();
        let opened = opened.unwrap_or_else(|| Opened::new(&options));
        let loading = Loading {
            options: &options,
            jobs: settings.project.jobs,
            watch,
            stop,
        };
        let workspace = Workspace::read(opened, &loading);
        let workspace = workspace.map_err(|error| error.to_string())?;
        // What is on the disk was read first: a function that does not parse in the editor's text has a version that does.
        let is_edited = |(path, document): &(&PathBuf, &Arc<Document>)| {
            let name = workspace.name_of(path);
            let source = name.and_then(|name| workspace.source(&name));
            source.is_none_or(|source| source.text() != &*document.text)
        };
        let edited = open.iter().filter(is_edited);
        let edited = edited.map(|(path, _)| path.clone()).collect();
        self.workspace = Some(workspace);
        self.update(&edited, open);
        Ok(())
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.checked = None;
        self.recalled = None;
        self.opened = None;
        self.earlier = None;
        self.workspace = None;
    }

    /// Takes what has changed into the program.
    pub fn update(&mut self, changed: &BTreeSet<PathBuf>, open: &OpenFiles) {
        let Some(workspace) = &mut self.workspace else {
            return;
        };
        if let Some(checked) = self.checked.take() {
            self.earlier = Some(checked.check);
        }
        workspace.update(changed, &texts(open), &self.path);
    }

    /// What describes the project has changed.
    pub fn reload(&mut self, settings: &Settings, open: &OpenFiles, store: Option<&Arc<Store>>) {
        let options = self.options(settings, store);
        if let Some(checked) = self.checked.take() {
            self.earlier = Some(checked.check);
        }
        if let Some(workspace) = &mut self.workspace {
            workspace.reload(&options, &texts(open), &self.path);
        }
    }

    /// Looks for races in the program as it is now.
    /// If it is stopped, nothing is known of the program until the next check. Says what went wrong in another way.
    pub fn check(&mut self, settings: &Settings, stop: &Stop) -> Result<Option<String>, Stopped> {
        let Some(workspace) = &self.workspace else {
            return Ok(None);
        };
        let checked = self.checked.as_ref().map(|checked| &checked.check);
        let before = checked.or(self.earlier.as_ref());
        let options = RaceOptions::new(workspace, settings.entries);
        let check = Check::again(workspace, options, before, stop)?;
        let mut report = check.brief_report(workspace);
        report.notes.extend(workspace.notes.iter().cloned());
        let syntax = workspace.syntax_notes();
        report.notes.extend(syntax.iter().map(SyntaxNote::to_note));
        let project = workspace.project.as_ref();
        let configured = project.and_then(|project| project.config.check.min_rank);
        let problem = self.show(&mut report, settings, configured);
        self.verified.apply(workspace, &check, &mut report);
        self.checked = Some(CheckedRoot { check, report });
        self.recalled = None;
        self.earlier = None;
        Ok(problem)
    }

    /// Leaves in the report what the user wants to see. Says what went wrong.
    pub(super) fn show(
        &self,
        report: &mut Report,
        settings: &Settings,
        configured: Option<u8>,
    ) -> Option<String> {
        let problem = match self.baseline(settings) {
            Ok(Some(baseline)) => {
                baseline.apply(report);
                None
            }
            Ok(None) => None,
            Err(problem) => Some(problem),
        };
        let min_rank = settings.min_rank.or(configured);
        let selection = Selection {
            min_rank: min_rank.unwrap_or(DEFAULT_MIN_RANK),
            id: None,
        };
        // Only an id can be unknown.
        let _ = selection.apply(report);
        problem
    }

    /// Whether a file lies in the folder, or is part of the program.
    pub fn concerns(&self, file: &Path) -> bool {
        file.starts_with(&self.path) || self.name_of(file).is_some()
    }

    /// The name by which the program knows a file.
    pub fn name_of(&self, file: &Path) -> Option<PathBuf> {
        self.workspace.as_ref()?.name_of(file)
    }

    /// The text of a file that was checked.
    pub fn checked_text(&self, file: &Path) -> Option<Arc<racelens_analysis::host::SourceFile>> {
        self.checked.as_ref()?;
        self.workspace.as_ref()?.source(&self.name_of(file)?)
    }

    pub(super) fn options(&self, settings: &Settings, store: Option<&Arc<Store>>) -> LoadOptions {
        let folder = if self.path.is_dir() {
            Some(self.path.clone())
        } else {
            self.path.parent().map(Path::to_owned)
        };
        LoadOptions {
            paths: vec![self.path.clone()],
            compile_commands: settings.project.compile_commands.clone(),
            config: settings.project.config.clone(),
            compiler: settings.project.compiler.clone(),
            current_directory: folder,
            store: store.cloned(),
            ..LoadOptions::default()
        }
    }

    fn baseline(&self, settings: &Settings) -> Result<Option<Baseline>, String> {
        let Some(file) = &settings.baseline else {
            return Ok(None);
        };
        let file = self.path.join(file);
        let shown = file.display();
        let text = regular_file::read_text(&file, MOST_OF_A_SETTING)
            .map_err(|error| format!("the baseline {shown} cannot be read: {error}"))?;
        let baseline = Baseline::from_json(&text)
            .map_err(|error| format!("{shown} is no baseline: {error}"))?;
        Ok(Some(baseline))
    }
}

fn texts(open: &OpenFiles) -> UnsavedTexts {
    let texts = open.iter();
    let texts = texts.map(|(path, document)| (path.clone(), document.text.clone()));
    texts.collect()
}

pub(super) fn is_unit_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c")
}
