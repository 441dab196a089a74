//! Messages to the client that nobody asked for, sent in the order in which they were put here.

use super::progress::ProgressSession;
use super::session::Session;
use super::status::{Status, StatusNotification};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::Client;
use tower_lsp::ls_types::{Diagnostic, MessageType, Uri};

pub enum Message {
    Diagnostics {
        uri: Uri,
        diagnostics: Vec<Diagnostic>,
        version: Option<i32>,
    },
    Status(Status),
    /// For the output channel.
    Log(MessageType, String),
    /// What the client has asked for before may differ now.
    Refresh {
        diagnostics: bool,
    },
    Progress(ProgressSession),
}

/// Can be used from any thread, and never waits.
#[derive(Clone)]
pub struct Outbox(UnboundedSender<Message>);

/// A client that answers later than this does not answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

impl Outbox {
    pub fn new() -> (Outbox, UnboundedReceiver<Message>) {
        let (sender, receiver) = unbounded_channel();
        (Outbox(sender), receiver)
    }

    pub fn send(&self, message: Message) {
        // A connection that has ended needs no messages.
        let _ = self.0.send(message);
    }

    pub fn log(&self, kind: MessageType, text: impl Into<String>) {
        self.send(Message::Log(kind, text.into()));
    }
}

/// Sends what is put into the outbox until the connection ends.
pub async fn deliver(
    mut messages: UnboundedReceiver<Message>,
    client: Client,
    session: Arc<Session>,
) {
    while let Some(message) = messages.recv().await {
        match message {
            Message::Diagnostics {
                uri,
                diagnostics,
                version,
            } => client.publish_diagnostics(uri, diagnostics, version).await,
            Message::Status(status) => {
                client.send_notification::<StatusNotification>(status).await;
            }
            Message::Log(kind, text) => client.log_message(kind, text).await,
            // Requests wait for the client, who may never answer.
            Message::Refresh { diagnostics } => {
                tokio::spawn(refresh(client.clone(), session.clone(), diagnostics));
            }
            Message::Progress(progress) => {
                tokio::spawn(progress.show(client.clone(), session.clone()));
            }
        }
    }
}

async fn refresh(client: Client, session: Arc<Session>, diagnostics: bool) {
    let Some(facts) = session.client.get() else {
        return;
    };
    let requests = async {
        if diagnostics && facts.refreshes_diagnostics {
            let _ = client.workspace_diagnostic_refresh().await;
        }
        if facts.refreshes_lenses {
            let _ = client.code_lens_refresh().await;
        }
        if facts.refreshes_hints {
            let _ = client.inlay_hint_refresh().await;
        }
        if facts.refreshes_tokens {
            let _ = client.semantic_tokens_refresh().await;
        }
    };
    let _ = tokio::time::timeout(PATIENCE, requests).await;
}
