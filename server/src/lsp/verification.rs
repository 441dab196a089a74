//! Verifying races and showing interleavings: requests that take their time, and documents that the client is shown.

use super::backend::Backend;
use super::capabilities::{SHOW_INTERLEAVING, VERIFY};
use super::driver::{Event, View};
use super::file_uri;
use super::handlers::asked::{self, Asked};
use super::handlers::{interleaving, verify};
use super::outbox::PATIENCE;
use super::session::ClientFacts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::atomic::Ordering;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::request::Request;
use tower_lsp::ls_types::{
    ExecuteCommandParams, MessageType, ProgressToken, ShowDocumentParams, Uri,
};

/// The method by which a client reads documents that the server makes up.
pub const CONTENT: &str = "workspace/textDocumentContent";
/// The scheme of their URIs.
pub const SCHEME: &str = "racelens";

#[derive(Deserialize)]
pub struct InterleavingParams {
    /// Of the race.
    id: String,
}

/// Of a document that the server makes up.
#[derive(Serialize, Deserialize)]
pub struct ContentParams {
    uri: Uri,
}

#[derive(Serialize)]
pub struct Content {
    text: String,
}

/// What the client has read of a document is not true any more.
enum RefreshContent {}

impl Request for RefreshContent {
    type Params = ContentParams;
    type Result = ();
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
}

impl Backend {
    /// `racelens/interleaving`
    pub async fn interleaving(&self, params: InterleavingParams) -> Result<Value> {
        let work = move |view: &View<'_>| interleaving::interleaving(view, &params.id);
        Ok(self.session.ask(None, work).await?.unwrap_or_default())
    }

    /// `workspace/textDocumentContent`
    pub async fn content(&self, params: ContentParams) -> Result<Content> {
        let id = race_of(&params.uri)
            .ok_or_else(|| Error::invalid_params("this document is not one of Racelens"))?;
        let work = move |view: &View<'_>| interleaving::text(view, &id);
        let text = self.session.ask(None, work).await?.flatten();
        let gone = || "This race is gone: its id changes when its code does.\n".to_owned();
        Ok(Content {
            text: text.unwrap_or_else(gone),
        })
    }

    /// Looks for an interleaving, and answers with what was found.
    pub(super) async fn verify(&self, params: ExecuteCommandParams) -> Result<Value> {
        let token = params.work_done_progress_params.work_done_token;
        let asked = asked::asked(VERIFY, &params.arguments).map_err(Error::invalid_params)?;
        let answer = self.verified(asked, token).await?;
        if !self.facts().is_some_and(|facts| facts.shows_interleavings) {
            let summary = answer["summary"].as_str().unwrap_or_default();
            let location = answer["location_name"].as_str().unwrap_or_default();
            let message = format!("Race on {location}: {summary}");
            self.client.show_message(MessageType::INFO, message).await;
        }
        Ok(answer)
    }

    /// Shows the interleaving of a race, which is looked for if it is not known.
    pub(super) async fn show_interleaving(&self, params: ExecuteCommandParams) -> Result<Value> {
        let token = params.work_done_progress_params.work_done_token;
        let asked =
            asked::asked(SHOW_INTERLEAVING, &params.arguments).map_err(Error::invalid_params)?;
        let known = {
            let (path, asked) = (asked.path(), asked.clone());
            let work = move |view: &View<'_>| {
                let id = asked.race(view)?;
                Ok(interleaving::interleaving(view, &id))
            };
            let known: Option<std::result::Result<Value, String>> =
                self.session.ask(path, work).await?;
            known.ok_or_else(not_checked)?.map_err(failed)?
        };
        let is_known = known["verdict"] == "witnessed";
        let answer = if is_known {
            known
        } else {
            self.verified(asked, token).await?
        };
        if !self.facts().is_some_and(|facts| facts.shows_interleavings) {
            self.show(&answer).await;
        }
        Ok(answer)
    }

    /// The result of a new search, after the driver has it.
    async fn verified(&self, asked: Asked, token: Option<ProgressToken>) -> Result<Value> {
        let path = asked.path();
        let turn = self.session.verifying.acquire().await;
        let work = move |view: &View<'_>| verify::prepare(view, &asked);
        let prepared = self.session.ask(path, work).await?;
        let prepared = prepared.ok_or_else(not_checked)?.map_err(failed)?;
        let id = prepared.id().to_owned();
        let found = prepared.run(&self.outbox, token).await.map_err(failed)?;
        drop(turn);
        let Some(answer) = found else {
            return Err(Error::request_cancelled());
        };
        self.session.tell(Event::Verified(Box::new(answer)));
        // The driver takes the answer before this question.
        let work = move |view: &View<'_>| interleaving::interleaving(view, &id);
        let answer = self.session.ask(None, work).await?;
        answer.filter(Value::is_object).ok_or_else(|| {
            failed("the race is gone: its code has changed while it was verified".to_owned())
        })
    }

    /// Opens an interleaving as a document, in whatever way the client can.
    async fn show(&self, answer: &Value) {
        let summary = answer["summary"].as_str().unwrap_or_default();
        let Some(id) = answer["id"].as_str().map(str::to_owned) else {
            return;
        };
        if answer["verdict"] != "witnessed" {
            self.client.show_message(MessageType::INFO, summary).await;
            return;
        }
        let Some(uri) = self.document(&id).await else {
            let message = format!("{summary} There is no room on the disk to write it down.");
            self.client
                .show_message(MessageType::WARNING, message)
                .await;
            return;
        };
        let shows_documents = self.facts().is_some_and(|facts| facts.shows_documents);
        if !shows_documents {
            let place = uri.as_str();
            let message = format!("{summary} It is written down in {place}");
            self.client.show_message(MessageType::INFO, message).await;
            return;
        }
        let client = self.client.clone();
        // A client may answer late, or never.
        tokio::spawn(async move {
            let request = client.show_document(ShowDocumentParams {
                uri,
                external: None,
                take_focus: Some(true),
                selection: None,
            });
            let _ = tokio::time::timeout(PATIENCE, request).await;
        });
    }

    /// The document that shows an interleaving: made up where the client can read that, or else a file.
    async fn document(&self, id: &str) -> Option<Uri> {
        if self.session.shows_made_up_documents.load(Ordering::Relaxed) {
            let uri: Uri = document_uri(id).parse().ok()?;
            let client = self.client.clone();
            let params = ContentParams { uri: uri.clone() };
            tokio::spawn(async move {
                let request = client.send_request::<RefreshContent>(params);
                let _ = tokio::time::timeout(PATIENCE, request).await;
            });
            return Some(uri);
        }
        let asked = id.to_owned();
        let work = move |view: &View<'_>| {
            let text = interleaving::text(view, &asked)?;
            let file = view
                .documentation
                .write_page(&document_name(&asked), &text)?;
            file_uri::from_path(&file)
        };
        self.session.ask(None, work).await.ok()??
    }

    fn facts(&self) -> Option<&ClientFacts> {
        self.session.client.get()
    }
}

fn document_name(id: &str) -> String {
    format!("interleaving-{id}.txt")
}

fn document_uri(id: &str) -> String {
    format!("{SCHEME}:/{}", document_name(id))
}

/// The race of a document that the server makes up.
fn race_of(uri: &Uri) -> Option<String> {
    let name = uri.as_str().strip_prefix(SCHEME)?.strip_prefix(":/")?;
    let name = name.trim_start_matches('/');
    let id = name.strip_prefix("interleaving-")?.strip_suffix(".txt")?;
    Some(id.to_owned())
}

/// The request was understood, and cannot be fulfilled.
fn failed(message: String) -> Error {
    const REQUEST_FAILED: i64 = -32803;
    Error {
        code: ErrorCode::ServerError(REQUEST_FAILED),
        message: message.into(),
        data: None,
    }
}

fn not_checked() -> Error {
    failed("the program has not been checked yet".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_its_race() {
        let uri: Uri = document_uri("0123456789ab").parse().unwrap();
        assert_eq!(race_of(&uri).as_deref(), Some("0123456789ab"));
        let uri: Uri = "racelens:///interleaving-0123456789ab.txt".parse().unwrap();
        assert_eq!(race_of(&uri).as_deref(), Some("0123456789ab"));
        assert_eq!(
            race_of(&"file:///interleaving-x.txt".parse().unwrap()),
            None
        );
        assert_eq!(race_of(&"racelens:/other".parse().unwrap()), None);
    }
}
