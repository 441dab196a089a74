//! The methods of the protocol. Each asks the driver and turns its answer into the protocol's words.
//!
//! What changes documents or settings is done by `OrderedService`, so that its methods are empty here.

use super::capabilities::{self, CHECK_NOW, EXPLAIN, RESTART, SHOW_INTERLEAVING, VERIFY};
use super::driver::{Event, View};
use super::file_uri;
use super::handlers::asked::Asked;
use super::handlers::{
    asked, call_hierarchy, code_action, code_lens, definition, diagnostic, document_link, explain,
    hover, inlay_hint, races, semantic_tokens,
};
use super::outbox::{Outbox, PATIENCE};
use super::session::Session;
use super::settings::Settings;
use super::verification;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{Client, LanguageServer};

pub struct Backend {
    pub(super) client: Client,
    pub(super) session: Arc<Session>,
    pub(super) outbox: Outbox,
}

impl Backend {
    pub fn new(client: Client, session: Arc<Session>, outbox: Outbox) -> Backend {
        Backend {
            client,
            session,
            outbox,
        }
    }

    pub async fn races(&self) -> Result<LSPAny> {
        let races = self.session.ask(None, races::races).await?;
        Ok(races.unwrap_or_default())
    }

    async fn explain(&self, arguments: &[LSPAny]) -> Result<LSPAny> {
        let asked = asked::asked(EXPLAIN, arguments).map_err(Error::invalid_params)?;
        let path = asked.path();
        let work = move |view: &View<'_>| match &asked {
            Asked::Race(id) => explain::race(view, id),
            Asked::Position(file, position) => explain::position(view, file, *position),
        };
        let text = self.session.ask(path, work).await?;
        Ok(text.map_or(LSPAny::Null, LSPAny::String))
    }

    /// `window/workDoneProgress/cancel`
    pub async fn stop_work(&self, params: WorkDoneProgressCancelParams) {
        if let Some(stop) = self.session.stoppable.get(&params.token) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let facts = capabilities::client_facts(&params);
        let capabilities = capabilities::server_capabilities(&facts);
        let _ = self.session.client.set(facts);
        Ok(InitializeResult {
            capabilities,
            server_info: Some(ServerInfo {
                name: "Racelens".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        // The client may answer late, or never.
        let (client, session) = (self.client.clone(), self.session.clone());
        let outbox = self.outbox.clone();
        tokio::spawn(async move {
            register(&client, &session).await;
            ask_settings(&client, &session, &outbox).await;
        });
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, _: DidOpenTextDocumentParams) {}

    async fn did_change(&self, _: DidChangeTextDocumentParams) {}

    async fn did_save(&self, _: DidSaveTextDocumentParams) {}

    async fn did_close(&self, _: DidCloseTextDocumentParams) {}

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {}

    async fn did_change_workspace_folders(&self, _: DidChangeWorkspaceFoldersParams) {}

    async fn did_change_configuration(&self, _: DidChangeConfigurationParams) {
        let (client, session) = (self.client.clone(), self.session.clone());
        let outbox = self.outbox.clone();
        tokio::spawn(async move { ask_settings(&client, &session, &outbox).await });
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let asked = params.text_document_position_params;
        let Some(path) = file_uri::to_path(&asked.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| hover::hover(view, &file, asked.position);
        Ok(self.session.ask(Some(path), work).await?.flatten())
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let asked = params.text_document_position_params;
        let Some(path) = file_uri::to_path(&asked.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| definition::acquisitions(view, &file, asked.position);
        let found = self.session.ask(Some(path), work).await?.flatten();
        Ok(found.map(GotoDefinitionResponse::Array))
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let asked = params.text_document_position_params;
        let Some(path) = file_uri::to_path(&asked.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| call_hierarchy::prepare(view, &file, asked.position);
        Ok(self.session.ask(Some(path), work).await?.flatten())
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let path = call_hierarchy::file(&params.item);
        let work = move |view: &View<'_>| call_hierarchy::incoming(view, &params.item);
        self.session.ask(path, work).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let path = call_hierarchy::file(&params.item);
        let work = move |view: &View<'_>| call_hierarchy::outgoing(view, &params.item);
        self.session.ask(path, work).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let Some(path) = file_uri::to_path(&params.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| inlay_hint::hints(view, &file, params.range);
        self.session.ask(Some(path), work).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let Some(path) = file_uri::to_path(&params.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| semantic_tokens::tokens(view, &file);
        let tokens = self.session.ask(Some(path), work).await?;
        Ok(tokens.map(SemanticTokensResult::Tokens))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let Some(path) = file_uri::to_path(&params.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work =
            move |view: &View<'_>| code_action::actions(view, &file, params.range, &params.context);
        self.session.ask(Some(path), work).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let Some(path) = file_uri::to_path(&params.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| document_link::links(view, &file);
        self.session.ask(Some(path), work).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let Some(path) = file_uri::to_path(&params.text_document.uri) else {
            return Ok(None);
        };
        let file = path.clone();
        let work = move |view: &View<'_>| code_lens::lenses(view, &file);
        self.session.ask(Some(path), work).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        let Some(subject) = code_lens::subject(&lens) else {
            return Err(Error::invalid_params("this lens is not one of Racelens"));
        };
        let unresolved = lens.clone();
        let path = subject.file.clone();
        let work = move |view: &View<'_>| code_lens::resolve(view, &subject, lens);
        let resolved = self.session.ask(Some(path), work).await?;
        Ok(resolved.unwrap_or(unresolved))
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        let Some(path) = file_uri::to_path(&params.text_document.uri) else {
            let nothing = RelatedFullDocumentDiagnosticReport::default();
            return Ok(DocumentDiagnosticReport::Full(nothing).into());
        };
        let file = path.clone();
        let previous = params.previous_result_id;
        let work = move |view: &View<'_>| diagnostic::of_document(view, &file, previous.as_deref());
        match self.session.ask(Some(path), work).await? {
            Some(report) => Ok(report.into()),
            // What the client shows stays until there is something new.
            None => Err(Error::content_modified()),
        }
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let previous = params.previous_result_ids.into_iter();
        let previous = previous
            .filter_map(|previous| Some((file_uri::to_path(&previous.uri)?, previous.value)))
            .collect();
        let work = move |view: &View<'_>| diagnostic::of_workspace(view, &previous);
        let report = self.session.ask(None, work).await?;
        Ok(report.unwrap_or_default().into())
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        match params.command.as_str() {
            EXPLAIN => return self.explain(&params.arguments).await.map(Some),
            VERIFY => return self.verify(params).await.map(Some),
            SHOW_INTERLEAVING => return self.show_interleaving(params).await.map(Some),
            CHECK_NOW => self.session.tell(Event::CheckNow),
            RESTART => self.session.tell(Event::Restart),
            unknown => {
                return Err(Error::invalid_params(format!(
                    "there is no command `{unknown}`"
                )));
            }
        }
        Ok(None)
    }
}

/// Asks the client to watch the files that describe the project, and headers.
async fn register(client: &Client, session: &Session) {
    let Some(facts) = session.client.get() else {
        return;
    };
    let mut registrations = Vec::new();
    if facts.registers_watchers {
        let patterns = ["**/compile_commands.json", "**/racelens.toml", "**/*.{c,h}"];
        let watchers = patterns.map(|pattern| FileSystemWatcher {
            glob_pattern: GlobPattern::String(pattern.to_owned()),
            kind: None,
        });
        registrations.push(Registration {
            id: "racelens-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(DidChangeWatchedFilesRegistrationOptions {
                watchers: watchers.to_vec(),
            })
            .ok(),
        });
    }
    if session.shows_made_up_documents.load(Ordering::Relaxed) {
        registrations.push(Registration {
            id: "racelens-interleavings".to_owned(),
            method: verification::CONTENT.to_owned(),
            register_options: Some(serde_json::json!({ "schemes": [verification::SCHEME] })),
        });
    }
    if facts.registers_configuration {
        registrations.push(Registration {
            id: "racelens-settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(serde_json::json!({ "section": "racelens" })),
        });
    }
    if !registrations.is_empty() {
        let request = client.register_capability(registrations);
        let _ = tokio::time::timeout(PATIENCE, request).await;
    }
}

/// Asks the client for the settings, if it answers such questions. An answer that the client gave before it changed them again is left
/// out: that change asks again.
async fn ask_settings(client: &Client, session: &Session, outbox: &Outbox) {
    if !session
        .client
        .get()
        .is_some_and(|facts| facts.answers_configuration)
    {
        return;
    }
    let section = ConfigurationItem {
        scope_uri: None,
        section: Some("racelens".to_owned()),
    };
    let changes = || session.settings_changes.load(Ordering::Relaxed);
    let asked_after = changes();
    let request = client.configuration(vec![section]);
    if let Ok(Ok(answers)) = tokio::time::timeout(PATIENCE, request).await
        && changes() == asked_after
        && let Some(answer) = answers.first().filter(|answer| answer.is_object())
    {
        let (settings, problems) = Settings::read(answer);
        for problem in problems {
            outbox.log(MessageType::WARNING, problem);
        }
        session.tell(Event::Settings(Box::new(settings)));
    }
}
