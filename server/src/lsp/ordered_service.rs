//! Applies notifications in the order in which the client sent them.
//!
//! The framework runs handlers concurrently, so that a change of a document could overtake another one, or a
//! request the change before it. Only `call` is certain to run in the order of the messages. What changes anything
//! is therefore done here, and each request is given the document as it is at this moment.

use super::driver::Event;
use super::file_uri;
use super::framing::MALFORMED;
use super::outbox::Outbox;
use super::session::{ASKED, Session};
use super::settings::Settings;
use crate::internal_error::internal_error;
use futures_util::FutureExt;
use serde::de::DeserializeOwned;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::ls_types::{
    DidChangeConfigurationParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidSaveTextDocumentParams, MessageType, Uri,
};
use tower_service::Service;

pub struct OrderedService<S> {
    pub inner: S,
    pub session: Arc<Session>,
    pub outbox: Outbox,
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

impl<S> Service<Request> for OrderedService<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // Before `initialize` is answered, and after `shutdown`, nothing may change.
        let is_running = self.session.client.get().is_some()
            && !self.session.was_shut_down.load(Ordering::Relaxed);
        if is_running && request.id().is_none() {
            self.apply(&request);
        }
        // A client may send `exit` before `shutdown` is answered.
        if is_running && request.method() == "shutdown" {
            self.session.was_shut_down.store(true, Ordering::Relaxed);
        }
        if request.method() == "initialize" {
            let content = "/capabilities/workspace/textDocumentContent/dynamicRegistration";
            let params = request.params();
            let can = params.and_then(|params| params.pointer(content)?.as_bool());
            let shows = &self.session.shows_made_up_documents;
            shows.store(can == Some(true), Ordering::Relaxed);
        }
        if request.method() == MALFORMED {
            let code = request.params().and_then(|code| code.as_i64());
            let error = Error::new(ErrorCode::from(code.unwrap_or_default()));
            let response = Response::from_error(Id::Null, error);
            return Box::pin(async move { Ok(Some(response)) });
        }
        let asked = asked_document(&request).and_then(|uri| self.session.documents.by_uri(&uri));
        let id = request.id().cloned();
        let outbox = self.outbox.clone();
        let work = AssertUnwindSafe(ASKED.scope(asked, self.inner.call(request)));
        Box::pin(async move {
            work.catch_unwind().await.unwrap_or_else(|panic| {
                outbox.log(MessageType::ERROR, internal_error(&*panic));
                Ok(id.map(|id| Response::from_error(id, Error::internal_error())))
            })
        })
    }
}

impl<S> OrderedService<S> {
    fn apply(&self, notification: &Request) {
        let session = &self.session;
        match notification.method() {
            "initialized" => session.tell(Event::Start),
            "textDocument/didOpen" => {
                let opened = self.read(notification);
                if let Some((path, document)) = opened.and_then(|it| session.documents.open(it)) {
                    self.count_edit();
                    session.tell(Event::Opened(path, document));
                }
            }
            "textDocument/didChange" => {
                let Some(params) = self.read(notification) else {
                    return;
                };
                match session.documents.change(&params, session.encoding()) {
                    Ok((path, document)) => {
                        self.count_edit();
                        session.tell(Event::Changed(path, document));
                    }
                    Err(problem) => self.outbox.log(MessageType::WARNING, problem),
                }
            }
            "textDocument/didClose" => {
                let closed = self.read(notification);
                if let Some(path) = closed.and_then(|it| session.documents.close(&it)) {
                    self.count_edit();
                    session.tell(Event::Closed(path));
                }
            }
            "textDocument/didSave" => {
                let saved = self.read::<DidSaveTextDocumentParams>(notification);
                let path = saved.and_then(|saved| file_uri::to_path(&saved.text_document.uri));
                if let Some(path) = path {
                    session.tell(Event::Saved(path));
                }
            }
            "workspace/didChangeWatchedFiles" => {
                if let Some(params) = self.read::<DidChangeWatchedFilesParams>(notification) {
                    let files = params.changes.iter();
                    let files = files.filter_map(|change| file_uri::to_path(&change.uri));
                    session.tell(Event::FilesChanged(files.collect()));
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Some(params) = self.read::<DidChangeWorkspaceFoldersParams>(notification) {
                    let paths = |folders: &[tower_lsp::ls_types::WorkspaceFolder]| {
                        let folders = folders.iter();
                        folders
                            .filter_map(|folder| file_uri::to_path(&folder.uri))
                            .collect()
                    };
                    session.tell(Event::FoldersChanged {
                        added: paths(&params.event.added),
                        removed: paths(&params.event.removed),
                    });
                }
            }
            "workspace/didChangeConfiguration" => {
                let Some(params) = self.read::<DidChangeConfigurationParams>(notification) else {
                    return;
                };
                session.settings_changes.fetch_add(1, Ordering::Relaxed);
                if let Some(section) = params.settings.get("racelens") {
                    let (settings, problems) = Settings::read(section);
                    for problem in problems {
                        self.outbox.log(MessageType::WARNING, problem);
                    }
                    session.tell(Event::Settings(Box::new(settings)));
                }
            }
            _ => {}
        }
    }

    fn count_edit(&self) {
        self.session.edits.fetch_add(1, Ordering::Relaxed);
    }

    /// A notification cannot be answered, and so what is wrong with it goes to the log.
    fn read<P: DeserializeOwned>(&self, notification: &Request) -> Option<P> {
        let params = notification.params().cloned().unwrap_or_default();
        match serde_json::from_value(params) {
            Ok(params) => Some(params),
            Err(error) => {
                let method = notification.method();
                let problem = format!("{method} has wrong parameters: {error}");
                self.outbox.log(MessageType::WARNING, problem);
                None
            }
        }
    }
}

/// The document that a request names, wherever the protocol puts it.
fn asked_document(request: &Request) -> Option<Uri> {
    request.id()?;
    let params = request.params()?;
    let uri = params.pointer("/textDocument/uri");
    let uri = uri.or_else(|| params.pointer("/item/uri"));
    let uri = uri.or_else(|| params.pointer("/arguments/0"));
    uri?.as_str()?.parse().ok()
}
