//! Messages to the client that nobody asked for, sent in the order in which they were put here.

use super::handlers::semantic_tokens;
use super::progress::ProgressSession;
use super::session::Session;
use super::status::{Status, StatusNotification};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::Client;
use tower_lsp::ls_types::{Diagnostic, MessageType, Registration, Unregistration, Uri};

pub enum Message {
    Diagnostics {
        uri: Uri,
        diagnostics: Vec<Diagnostic>,
        version: Option<i32>,
    },
    Status(Status),
    /// For the output channel.
    Log(MessageType, String),
    /// For the user, wherever they look.
    Show(MessageType, String),
    /// What the client has asked for before may differ now.
    Refresh {
        diagnostics: bool,
    },
    Progress(ProgressSession),
    /// The user has switched it on or off after the connection began.
    Highlighting(bool),
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
            Message::Show(kind, text) => client.show_message(kind, text).await,
            // Requests wait for the client, who may never answer.
            Message::Refresh { diagnostics } => {
                tokio::spawn(refresh(client.clone(), session.clone(), diagnostics));
            }
            Message::Highlighting(is_wanted) => {
                tokio::spawn(register_highlighting(
                    client.clone(),
                    session.clone(),
                    is_wanted,
                ));
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

/// The id of the registration of semantic highlighting.
const HIGHLIGHTING: &str = "racelens-highlighting";

async fn register_highlighting(client: Client, session: Arc<Session>, is_wanted: bool) {
    let facts = session.client.get();
    if !facts.is_some_and(|facts| facts.registers_highlighting) {
        return;
    }
    let (id, method) = (
        HIGHLIGHTING.to_owned(),
        "textDocument/semanticTokens".to_owned(),
    );
    let request = async {
        if is_wanted {
            let mut options = serde_json::to_value(semantic_tokens::options()).unwrap_or_default();
            options["documentSelector"] = serde_json::json!([{ "language": "c" }]);
            let registration = Registration {
                id,
                method,
                register_options: Some(options),
            };
            let _ = client.register_capability(vec![registration]).await;
        } else {
            let _ = client
                .unregister_capability(vec![Unregistration { id, method }])
                .await;
        }
    };
    let _ = tokio::time::timeout(PATIENCE, request).await;
}
