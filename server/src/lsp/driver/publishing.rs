//! Sends diagnostics to the client: those of files for which they differ from what it has.

use super::{Driver, Root, View};
use crate::lsp::outbox::Message;
use crate::lsp::settings::Delivery;
use crate::lsp::status::State;
use crate::lsp::to_proto;
use crate::project::Note;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{Diagnostic, MessageType};

/// What the client has been sent.
#[derive(Default)]
pub struct Published {
    diagnostics: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// Of which version of an open document.
    versions: BTreeMap<PathBuf, i32>,
    notes: BTreeSet<Note>,
}

impl Driver {
    pub(super) fn publish(&mut self) {
        self.is_unpublished = false;
        let is_pulled = self.settings.delivery == Delivery::Pull;
        let mut published = std::mem::take(&mut self.published);
        if is_pulled {
            self.withdraw(&mut published);
        } else {
            self.push(&mut published);
        }
        self.log_notes(&mut published);
        self.published = published;
        let refresh = Message::Refresh {
            diagnostics: is_pulled,
        };
        self.outbox.send(refresh);
        self.say(State::Ready, None);
    }

    pub(super) fn push(&self, published: &mut Published) {
        let view = self.view();
        let found = all_diagnostics(&view);
        let known = &mut published.diagnostics;
        let mut files: BTreeSet<PathBuf> = known.keys().chain(found.keys()).cloned().collect();
        let is_known = |file: &&PathBuf| view.program_of(file).is_some() || view.recalls(file);
        files.extend(view.open.keys().filter(is_known).cloned());
        for file in files {
            // A file that is being edited keeps what it shows until its text is checked.
            if is_edited(&view, &file) {
                continue;
            }
            let version = view.open.get(&file).map(|document| document.version);
            // A document is told of every version, so that the editor knows that it is checked.
            let is_told = version.is_none_or(|it| published.versions.get(&file) == Some(&it));
            let now = found.get(&file);
            if !is_told || known.get(&file) != now {
                self.send(&view, &file, now.cloned().unwrap_or_default());
            }
            match version {
                Some(version) => published.versions.insert(file.clone(), version),
                None => published.versions.remove(&file),
            };
            match now {
                Some(now) => known.insert(file, now.clone()),
                None => known.remove(&file),
            };
        }
    }

    /// Takes back what was pushed before the client was to pull.
    fn withdraw(&self, published: &mut Published) {
        for file in std::mem::take(&mut published.diagnostics).keys() {
            self.send(&self.view(), file, Vec::new());
        }
        published.versions.clear();
    }

    fn send(&self, view: &View<'_>, file: &Path, diagnostics: Vec<Diagnostic>) {
        if let Some(uri) = view.uri(file) {
            self.outbox.send(Message::Diagnostics {
                uri,
                diagnostics,
                version: view.open.get(file).map(|document| document.version),
            });
        }
    }

    /// Notes without a place are no diagnostics. Each is said once, for as long as it holds.
    fn log_notes(&self, published: &mut Published) {
        let reports = self.roots.iter().filter_map(Root::checked);
        let notes = reports.flat_map(|checked| &checked.report.notes);
        let notes: BTreeSet<Note> = notes.filter(|note| note.place.is_none()).cloned().collect();
        for note in notes.difference(&published.notes) {
            self.outbox.log(MessageType::INFO, note.to_string());
        }
        published.notes = notes;
    }
}

/// Whether the editor has other text than what was checked.
fn is_edited(view: &View<'_>, file: &Path) -> bool {
    let Some(document) = view.open.get(file) else {
        return false;
    };
    let checked = view.program_of(file);
    let checked = checked.and_then(|(program, name)| program.workspace.source(&name));
    checked.is_some_and(|source| source.text() != &*document.text)
}

/// Of all programs. A header of several is shown once.
pub fn all_diagnostics(view: &View<'_>) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut all: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for findings in view.findings() {
        for (file, diagnostics) in to_proto::diagnostics(&findings) {
            let known = all.entry(file).or_default();
            let of_others = known.len();
            for diagnostic in diagnostics {
                // Those of one program come in the order of the text.
                let (others, own) = known.split_at(of_others);
                let own = own.iter().rev();
                let mut here = own.take_while(|it| it.range == diagnostic.range);
                if !here.any(|it| *it == diagnostic) && !others.contains(&diagnostic) {
                    known.push(diagnostic);
                }
            }
        }
    }
    all
}
