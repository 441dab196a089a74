//! `textDocument/diagnostic` and `workspace/diagnostic`: diagnostics for clients that ask for them.

use crate::lsp::driver::{View, all_diagnostics};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{
    Diagnostic, DocumentDiagnosticReport, FullDocumentDiagnosticReport,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, WorkspaceDiagnosticReport,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};

/// One file's, or that they are what the client has.
pub fn of_document(
    view: &View<'_>,
    file: &Path,
    previous: Option<&str>,
) -> DocumentDiagnosticReport {
    let name = view.program_of(file).map(|(_, name)| name);
    let name = name.unwrap_or_else(|| file.to_owned());
    let items = all_diagnostics(view).remove(&name).unwrap_or_default();
    let result_id = result_id(&items);
    if previous == Some(result_id.as_str()) {
        return RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        }
        .into();
    }
    RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: FullDocumentDiagnosticReport {
            result_id: Some(result_id),
            items,
        },
    }
    .into()
}

/// Those of every file that has some, or had some when the client asked before.
pub fn of_workspace(
    view: &View<'_>,
    previous: &HashMap<PathBuf, String>,
) -> WorkspaceDiagnosticReport {
    let mut all = all_diagnostics(view);
    for file in previous.keys() {
        all.entry(file.clone()).or_default();
    }
    let items = all.into_iter().filter_map(|(file, items)| {
        let uri = view.uri(&file)?;
        let version = view
            .open
            .get(&file)
            .map(|document| i64::from(document.version));
        let result_id = result_id(&items);
        Some(if previous.get(&file) == Some(&result_id) {
            WorkspaceDocumentDiagnosticReport::Unchanged(
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                        result_id,
                    },
                },
            )
        } else {
            WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
                uri,
                version,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(result_id),
                    items,
                },
            })
        })
    });
    WorkspaceDiagnosticReport {
        items: items.collect(),
    }
}

/// The same for the same diagnostics.
fn result_id(diagnostics: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    for diagnostic in diagnostics {
        let text = serde_json::to_string(diagnostic).unwrap_or_default();
        text.hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
