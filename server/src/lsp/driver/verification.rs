//! What verifying races came to, for as long as it holds.

use super::{Driver, Root};
use crate::races::{Check, VerifiedRace};
use crate::report::Report;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tower_lsp::ls_types::MessageType;

/// The answers about one program, by the races' ids. Those about races that are gone stay, because they may come back.
#[derive(Default)]
pub struct VerifiedRaces(BTreeMap<String, VerifiedRace>);

/// An answer about a race of the program in this folder.
pub struct NewAnswer {
    pub root: PathBuf,
    pub id: String,
    pub race: VerifiedRace,
}

impl VerifiedRaces {
    /// Says of every race in the report what is known of it.
    pub fn apply(&mut self, workspace: &Workspace, check: &Check, report: &mut Report) {
        if self.0.is_empty() {
            return;
        }
        for race in report.races_mut() {
            if let Some(verified) = self.0.get_mut(&race.id) {
                let told = check.told(workspace, &race.id, verified);
                Arc::make_mut(race).set_verified(told);
            }
        }
    }

    pub fn insert(&mut self, id: String, race: VerifiedRace) {
        self.0.insert(id, race);
    }
}

impl Driver {
    /// An answer is about the program as it was when it was asked about: whether it still holds is seen now.
    pub(super) fn take_answer(&mut self, answer: NewAnswer) {
        for note in &answer.race.notes {
            self.outbox.log(MessageType::WARNING, note.to_string());
        }
        let mut roots = self.roots.iter_mut();
        let Some(root) = roots.find(|root| root.path == answer.root) else {
            return;
        };
        root.verified(answer.id, answer.race);
        self.is_unpublished |= self.roots.iter().any(|root| root.checked().is_some());
    }
}

impl Root {
    fn verified(&mut self, id: String, race: VerifiedRace) {
        self.verified.insert(id, race);
        if let (Some(workspace), Some(checked)) = (&self.workspace, &mut self.checked) {
            let report = &mut checked.report;
            self.verified.apply(workspace, &checked.check, report);
        }
    }
}
