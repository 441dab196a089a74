//! Sends diagnostics to the client: those of files for which they differ from what it has.

use super::{Driver, Root, View};
use crate::lsp::outbox::Message;
use crate::lsp::settings::Delivery;
use crate::lsp::status::State;
use crate::lsp::to_proto;
use crate::project::Note;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tower_lsp::ls_types::{Diagnostic, MessageType};

/// What the client has been sent.
#[derive(Default)]
pub struct Published {
    diagnostics: BTreeMap<PathBuf, Vec<Diagnostic>>,
    notes: BTreeSet<Note>,
}

impl Driver {
    pub(super) fn publish(&mut self) {
        self.is_unpublished = false;
        let found = all_diagnostics(&self.view());
        match self.settings.delivery {
            Delivery::Push => self.push(found),
            Delivery::Pull => self.push(BTreeMap::new()),
        }
        self.log_notes();
        let pulls = self.settings.delivery == Delivery::Pull;
        self.outbox.send(Message::Refresh { diagnostics: pulls });
        self.say(State::Ready, None);
    }

    fn push(&mut self, found: BTreeMap<PathBuf, Vec<Diagnostic>>) {
        let mut known = std::mem::take(&mut self.published.diagnostics);
        let files: BTreeSet<PathBuf> = known.keys().chain(found.keys()).cloned().collect();
        for file in files {
            // A file that is being edited keeps what it shows until its text is checked.
            if self.is_edited(&file) {
                continue;
            }
            match found.get(&file) {
                Some(now) if known.get(&file) == Some(now) => {}
                Some(now) => {
                    self.send(&file, now.clone());
                    known.insert(file, now.clone());
                }
                None => {
                    self.send(&file, Vec::new());
                    known.remove(&file);
                }
            }
        }
        self.published.diagnostics = known;
    }

    fn send(&self, file: &PathBuf, diagnostics: Vec<Diagnostic>) {
        let Some(uri) = self.view().uri(file) else {
            return;
        };
        let version = self.open.get(file).map(|document| document.version);
        self.outbox.send(Message::Diagnostics {
            uri,
            diagnostics,
            version,
        });
    }

    /// Whether the editor has other text than what was checked.
    fn is_edited(&self, file: &PathBuf) -> bool {
        self.open.get(file).is_some_and(|document| {
            let mut roots = self.roots.iter();
            let checked = roots.find_map(|root| root.checked_text(file));
            checked.is_some_and(|source| source.text() != &*document.text)
        })
    }

    /// Notes without a place are no diagnostics. Each is said once, for as long as it holds.
    fn log_notes(&mut self) {
        let reports = self.roots.iter().filter_map(Root::checked);
        let notes = reports.flat_map(|checked| &checked.report.notes);
        let notes: BTreeSet<Note> = notes.filter(|note| note.place.is_none()).cloned().collect();
        for note in notes.difference(&self.published.notes) {
            self.outbox.log(MessageType::INFO, note.to_string());
        }
        self.published.notes = notes;
    }
}

/// Of all programs. A header of several is shown once.
pub fn all_diagnostics(view: &View<'_>) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut all: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for program in view.programs() {
        for (file, diagnostics) in to_proto::diagnostics(&program) {
            let known = all.entry(file).or_default();
            for diagnostic in diagnostics {
                if !known.contains(&diagnostic) {
                    known.push(diagnostic);
                }
            }
        }
    }
    all
}
