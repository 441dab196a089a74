//! What the driver is told and asked, in the order in which it happened.

use super::verification::NewAnswer;
use super::view::View;
use crate::lsp::document::Document;
use crate::lsp::settings::Settings;
use std::path::PathBuf;
use std::sync::Arc;

pub enum Event {
    /// The client is ready: the program can be read.
    Start,
    Opened(PathBuf, Arc<Document>),
    Changed(PathBuf, Arc<Document>),
    Closed(PathBuf),
    Saved(PathBuf),
    /// On disk.
    FilesChanged(Vec<PathBuf>),
    FoldersChanged {
        added: Vec<PathBuf>,
        removed: Vec<PathBuf>,
    },
    Settings(Box<Settings>),
    /// The user wants a check, whatever the settings say.
    CheckNow,
    /// The user wants everything to be read anew.
    Restart,
    /// A race was verified, in another thread.
    Verified(Box<NewAnswer>),
    Ask(Question),
    Shutdown,
}

/// Something to answer from a checked program.
pub struct Question {
    /// The file that it is about. None if it is about the whole program.
    pub path: Option<PathBuf>,
    /// The file's text when the question was asked, if it is open.
    pub document: Option<Arc<Document>>,
    answer: Box<Answer>,
}

/// Is given the program, or why there is none.
type Answer = dyn FnOnce(Result<&View<'_>, Refusal>) + Send;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The text has changed since.
    TextIsGone,
    /// The text is not checked, and will not be for now.
    NotChecked,
}

impl Question {
    pub fn new(
        path: Option<PathBuf>,
        document: Option<Arc<Document>>,
        answer: impl FnOnce(Result<&View<'_>, Refusal>) + Send + 'static,
    ) -> Question {
        Question {
            path,
            document,
            answer: Box::new(answer),
        }
    }

    pub fn answer(self, outcome: Result<&View<'_>, Refusal>) {
        (self.answer)(outcome);
    }
}
