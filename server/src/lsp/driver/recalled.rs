//! What an earlier run has found in a program that is still the same: shown at once, while the program is read.

use super::root::{OpenFiles, Root, is_unit_name};
use super::{Driver, publishing::Published};
use crate::lsp::document::Document;
use crate::lsp::outbox::Message;
use crate::lsp::settings::{Delivery, Settings};
use crate::lsp::status::State;
use crate::project::read_source;
use crate::race_options::RaceOptions;
use crate::recall::{self, Detail};
use crate::report::Report;
use crate::store::Store;
use crate::workspace::{Opened, SyntaxNote, Texts};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp::ls_types::MessageType;

/// The program of a folder as an earlier run knew it.
pub struct RecalledRoot {
    /// What the user wants to see.
    pub report: Report,
    pub texts: Texts,
    files: BTreeSet<PathBuf>,
}

impl RecalledRoot {
    /// Whether a file is a part of the program.
    pub fn knows(&self, file: &Path) -> bool {
        self.files.contains(file)
    }
}

impl Driver {
    /// Shows what is known of the programs that are not read yet. When they are, what is computed takes its place.
    pub(super) fn recall_roots(&mut self) {
        let Some(store) = self.store.clone() else {
            return;
        };
        let edits = self.session.edits.load(Ordering::Relaxed);
        let mut is_recalled = false;
        for root in &mut self.roots {
            if root.workspace().is_none() {
                is_recalled |= root.recall(&self.settings, &self.open, &store);
            }
        }
        let is_pushed = self.settings.delivery == Delivery::Push;
        // Whoever has typed meanwhile has another program.
        let is_current = self.session.edits.load(Ordering::Relaxed) == edits;
        if is_recalled && is_pushed && is_current {
            let mut published: Published = std::mem::take(&mut self.published);
            self.push(&mut published);
            self.published = published;
            self.outbox.send(Message::Refresh { diagnostics: false });
            self.say(State::Indexing, None);
        }
    }

    /// Keeps what the last check has found for the next start.
    pub(super) fn keep_results(&mut self) {
        if !std::mem::take(&mut self.is_unkept) {
            return;
        }
        for root in &self.roots {
            root.keep();
        }
        if let Some(problem) = self.store.as_ref().and_then(|store| store.problem()) {
            let text = format!(
                "the cache cannot be written, so that nothing is kept for the next start: {problem}"
            );
            self.outbox.log(MessageType::WARNING, text);
            self.store = None;
        }
    }
}

impl Root {
    /// Finds the program, and what an earlier run has found in it. Says whether there is something to show.
    fn recall(&mut self, settings: &Settings, open: &OpenFiles, store: &Arc<Store>) -> bool {
        let opened = Opened::new(&self.options(settings, Some(store)));
        let options = RaceOptions::for_project(Some(&opened.project), settings.entries);
        let is_as_on_disk = open.iter().all(|(path, document)| {
            is_saved(&opened, path, document) && !self.would_adopt(&opened, path)
        });
        let recalled = is_as_on_disk
            .then(|| recall::recall(&opened, &options, Detail::Brief))
            .flatten();
        self.recalled = recalled.map(|mut recalled| {
            // What is wrong with the baseline is said when the program is checked.
            let _ = self.show(
                &mut recalled.report,
                settings,
                opened.project.config.check.min_rank,
            );
            RecalledRoot {
                report: recalled.report,
                texts: Texts::new(),
                files: recalled.files,
            }
        });
        self.opened = Some(opened);
        self.recalled.is_some()
    }

    fn would_adopt(&self, opened: &Opened, path: &Path) -> bool {
        let is_new = || opened.project.units_of(path).is_empty();
        path.starts_with(&self.path) && is_unit_name(path) && is_new()
    }

    fn keep(&self) {
        let (Some(workspace), Some(checked)) = (&self.workspace, &self.checked) else {
            return;
        };
        let mut report = checked.check.brief_report(workspace);
        report.notes.extend(workspace.notes.iter().cloned());
        let syntax = workspace.syntax_notes();
        report.notes.extend(syntax.iter().map(SyntaxNote::to_note));
        recall::remember(workspace, checked.check.options(), Detail::Brief, &report);
    }
}

/// Whether an open document is what lies on the disk, or is none of the program's units.
fn is_saved(opened: &Opened, path: &Path, document: &Document) -> bool {
    let units = opened.project.units_of(path);
    units.is_empty() || read_source(path).is_some_and(|text| text == *document.text)
}
