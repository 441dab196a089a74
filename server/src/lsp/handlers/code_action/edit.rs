//! Edits of the checked text, which a client makes only if it has that text.

use crate::lsp::driver::{Program, View};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};

/// Insertions by file.
#[derive(Default)]
pub struct Edits(BTreeMap<PathBuf, Vec<TextEdit>>);

impl Edits {
    /// Puts text in front of a byte of a file's text.
    pub fn insert(
        &mut self,
        program: &Program<'_>,
        file: &Path,
        text: &str,
        byte: usize,
        new: &str,
    ) {
        self.replace(program, file, text, byte..byte, new);
    }

    pub fn replace(
        &mut self,
        program: &Program<'_>,
        file: &Path,
        text: &str,
        bytes: std::ops::Range<usize>,
        new: &str,
    ) {
        let edit = TextEdit {
            range: Range::new(
                position(program, text, bytes.start),
                position(program, text, bytes.end),
            ),
            new_text: new.to_owned(),
        };
        self.0.entry(file.to_owned()).or_default().push(edit);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `None` if there is nothing to edit, or if the client has other text in one of the files.
    pub fn workspace_edit(self, view: &View<'_>) -> Option<WorkspaceEdit> {
        let mut documents = Vec::new();
        for (file, edits) in self.0 {
            let open = view.open.get(&file);
            if let Some(document) = open {
                let (program, name) = view.program_of(&file)?;
                let checked = program.workspace.source(&name)?;
                if checked.text() != &*document.text {
                    return None;
                }
            }
            documents.push((view.uri(&file)?, open.map(|it| it.version), edits));
        }
        if documents.is_empty() {
            return None;
        }
        if !view.client_edits_versions {
            let changes = documents.into_iter().map(|(uri, _, edits)| (uri, edits));
            return Some(WorkspaceEdit {
                changes: Some(changes.collect::<HashMap<_, _>>()),
                ..WorkspaceEdit::default()
            });
        }
        let documents = documents.into_iter();
        let edits = documents.map(|(uri, version, edits)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        });
        Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(edits.collect())),
            ..WorkspaceEdit::default()
        })
    }
}

fn position(program: &Program<'_>, text: &str, byte: usize) -> Position {
    let line = text[..byte].matches('\n').count() as u32;
    let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    Position::new(line, program.view().encoding.units(&text[start..byte]))
}

/// The byte at which a line begins, counted from 1.
pub fn line_start(text: &str, line: u32) -> Option<usize> {
    if line <= 1 {
        return Some(0);
    }
    let mut newlines = text.match_indices('\n').map(|(at, _)| at + 1);
    newlines.nth(line as usize - 2)
}

/// The white space in front of what stands on the line of a byte.
pub fn indentation(text: &str, byte: usize) -> &str {
    let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[start..];
    let length = rest.find(|character: char| character != ' ' && character != '\t');
    &rest[..length.unwrap_or(rest.len())]
}
