//! What the server can do, and what the client can.

use super::file_uri;
use super::handlers::semantic_tokens;
use super::position_encoding::PositionEncoding;
use super::session::ClientFacts;
use super::settings::{Delivery, Settings};
use std::path::PathBuf;
use tower_lsp::ls_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    ExecuteCommandOptions, HoverProviderCapability, InitializeParams, OneOf, SaveOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

pub const EXPLAIN: &str = "racelens.explain";
pub const CHECK_NOW: &str = "racelens.checkNow";
pub const RESTART: &str = "racelens.restart";
pub const VERIFY: &str = "racelens.verify";
pub const SHOW_INTERLEAVING: &str = "racelens.showInterleaving";

pub fn client_facts(params: &InitializeParams) -> ClientFacts {
    let capabilities = &params.capabilities;
    let general = capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref());
    let window = capabilities.window.as_ref();
    let workspace = capabilities.workspace.as_ref();
    let watches = workspace.and_then(|it| it.did_change_watched_files.as_ref());
    let configures = workspace.and_then(|it| it.did_change_configuration.as_ref());
    ClientFacts {
        encoding: PositionEncoding::negotiated(offered),
        folders: folders(params),
        settings: params.initialization_options.clone().unwrap_or_default(),
        shows_progress: window.and_then(|it| it.work_done_progress) == Some(true),
        answers_configuration: workspace.and_then(|it| it.configuration) == Some(true),
        registers_watchers: watches.and_then(|it| it.dynamic_registration) == Some(true),
        registers_configuration: configures.and_then(|it| it.dynamic_registration) == Some(true),
        refreshes_diagnostics: workspace
            .and_then(|it| it.diagnostics.as_ref())
            .and_then(|it| it.refresh_support)
            == Some(true),
        refreshes_lenses: workspace
            .and_then(|it| it.code_lens.as_ref())
            .and_then(|it| it.refresh_support)
            == Some(true),
        refreshes_hints: workspace
            .and_then(|it| it.inlay_hint.as_ref())
            .and_then(|it| it.refresh_support)
            == Some(true),
        edits_versions: workspace
            .and_then(|it| it.workspace_edit.as_ref())
            .and_then(|it| it.document_changes)
            == Some(true),
        registers_highlighting: capabilities
            .text_document
            .as_ref()
            .and_then(|it| it.semantic_tokens.as_ref())
            .and_then(|it| it.dynamic_registration)
            == Some(true),
        shows_documents: window
            .and_then(|it| it.show_document.as_ref())
            .is_some_and(|it| it.support),
        shows_interleavings: capabilities
            .experimental
            .as_ref()
            .and_then(|it| it.pointer("/racelens/interleavings"))
            .and_then(serde_json::Value::as_bool)
            == Some(true),
        refreshes_tokens: workspace
            .and_then(|it| it.semantic_tokens.as_ref())
            .and_then(|it| it.refresh_support)
            == Some(true),
    }
}

/// Every folder, or what older clients call the root.
#[expect(deprecated, reason = "older clients send nothing else")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.iter().flatten();
    let folders: Vec<PathBuf> = folders
        .filter_map(|folder| file_uri::to_path(&folder.uri))
        .collect();
    if !folders.is_empty() {
        return folders;
    }
    let root = params.root_uri.as_ref().and_then(file_uri::to_path);
    let root = root.or_else(|| params.root_path.as_ref().map(PathBuf::from));
    root.filter(|root| root.is_absolute()).into_iter().collect()
}

pub fn server_capabilities(facts: &ClientFacts) -> ServerCapabilities {
    let (settings, _) = Settings::read(&facts.settings);
    let pulls = settings.delivery == Delivery::Pull;
    ServerCapabilities {
        position_encoding: Some(facts.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(
                    SaveOptions::default(),
                )),
                ..TextDocumentSyncOptions::default()
            },
        )),
        // A client that is told of both ways would show everything twice.
        diagnostic_provider: pulls.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("racelens".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            })
        }),
        definition_provider: Some(OneOf::Left(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        // Editors ask one server for these, so that we step aside unless we are wanted.
        semantic_tokens_provider: settings.semantic_highlighting.then(|| {
            SemanticTokensServerCapabilities::SemanticTokensOptions(semantic_tokens::options())
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(true),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: [EXPLAIN, CHECK_NOW, RESTART, VERIFY, SHOW_INTERLEAVING]
                .map(str::to_owned)
                .to_vec(),
            work_done_progress_options: WorkDoneProgressOptions {
                work_done_progress: Some(true),
            },
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}
