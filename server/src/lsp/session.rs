//! What one connection to a client consists of.

use super::document::Document;
use super::driver::{Event, Question, Refusal, View};
use super::open_documents::OpenDocuments;
use super::position_encoding::PositionEncoding;
use dashmap::DashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use tokio::sync::{Semaphore, oneshot};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ProgressToken;

pub struct Session {
    pub documents: OpenDocuments,
    /// Grows with every change of a document.
    pub edits: AtomicU64,
    pub client: OnceLock<ClientFacts>,
    /// Grows whenever the client says that its settings have changed. What it answered before is out of date then.
    pub settings_changes: AtomicU64,
    pub was_shut_down: AtomicBool,
    /// Work that the user can stop, by the token of its progress.
    pub stoppable: DashMap<ProgressToken, Arc<AtomicBool>>,
    /// Who verifies a race has it. Several searches at once would take each other's time and memory.
    pub verifying: Semaphore,
    /// The client can show documents that the server makes up, which its typed capabilities do not know yet.
    pub shows_made_up_documents: AtomicBool,
    events: Sender<Event>,
}

/// What the client said about itself when the connection began.
#[derive(Clone, Debug, Default)]
pub struct ClientFacts {
    pub encoding: PositionEncoding,
    pub folders: Vec<PathBuf>,
    pub settings: serde_json::Value,
    pub shows_progress: bool,
    pub answers_configuration: bool,
    pub registers_watchers: bool,
    pub registers_configuration: bool,
    pub refreshes_diagnostics: bool,
    pub refreshes_lenses: bool,
    pub refreshes_hints: bool,
    pub refreshes_tokens: bool,
    pub edits_versions: bool,
    pub registers_highlighting: bool,
    pub shows_documents: bool,
    /// It has a view of its own for interleavings, and words for what verifying comes to.
    pub shows_interleavings: bool,
}

tokio::task_local! {
    /// The document that a request is about, as it was when the request came.
    pub static ASKED: Option<Arc<Document>>;
}

impl Session {
    pub fn new(events: Sender<Event>) -> Session {
        Session {
            documents: OpenDocuments::default(),
            edits: AtomicU64::new(0),
            client: OnceLock::new(),
            settings_changes: AtomicU64::new(0),
            was_shut_down: AtomicBool::new(false),
            stoppable: DashMap::new(),
            verifying: Semaphore::new(1),
            shows_made_up_documents: AtomicBool::new(false),
            events,
        }
    }

    pub fn tell(&self, event: Event) {
        // If the driver is gone, so is the connection.
        let _ = self.events.send(event);
    }

    pub fn encoding(&self) -> PositionEncoding {
        self.client
            .get()
            .map_or_else(Default::default, |client| client.encoding)
    }

    /// Asks the driver, who answers when the text that is asked about is checked. `None` if it will not be,
    /// because the user wants no check at the moment.
    pub async fn ask<T: Send + 'static>(
        &self,
        path: Option<PathBuf>,
        work: impl FnOnce(&View<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let (answer, answered) = oneshot::channel();
        let document = ASKED.try_with(Clone::clone).unwrap_or_default();
        self.tell(Event::Ask(Question::new(path, document, move |outcome| {
            // Nobody waits any more if the client has cancelled.
            if !answer.is_closed() {
                let _ = answer.send(outcome.map(work));
            }
        })));
        match answered.await {
            Ok(Ok(value)) => Ok(Some(value)),
            Ok(Err(Refusal::TextIsGone)) => Err(Error::content_modified()),
            Ok(Err(Refusal::NotChecked)) => Ok(None),
            // The work ended without an answer: the driver has said why.
            Err(_) => Err(Error::internal_error()),
        }
    }
}
