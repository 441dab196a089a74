//! The texts that are open in the editor, by path.

use super::document::Document;
use super::file_uri;
use super::position_encoding::PositionEncoding;
use dashmap::DashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Uri,
};

/// Changed by one thread only, in the order of the messages; read by all.
#[derive(Default)]
pub struct OpenDocuments(DashMap<PathBuf, Arc<Document>>);

impl OpenDocuments {
    pub fn open(&self, params: DidOpenTextDocumentParams) -> Option<(PathBuf, Arc<Document>)> {
        let opened = params.text_document;
        let path = file_uri::to_path(&opened.uri)?;
        let document = Arc::new(Document {
            uri: opened.uri,
            version: opened.version,
            text: opened.text.into(),
        });
        self.0.insert(path.clone(), document.clone());
        Some((path, document))
    }

    /// The new version, or why there is none.
    pub fn change(
        &self,
        params: &DidChangeTextDocumentParams,
        encoding: PositionEncoding,
    ) -> Result<(PathBuf, Arc<Document>), String> {
        let uri = &params.text_document.uri;
        let shown = uri.as_str();
        let path = file_uri::to_path(uri).ok_or_else(|| format!("{shown} is no file"))?;
        let before = self
            .get(&path)
            .ok_or_else(|| format!("{shown} was changed, but is not open"))?;
        let version = params.text_document.version;
        if version <= before.version {
            return Err(format!(
                "{shown} was changed to version {version}, but has version {} already",
                before.version
            ));
        }
        let document = Arc::new(before.changed(version, &params.content_changes, encoding));
        self.0.insert(path.clone(), document.clone());
        Ok((path, document))
    }

    pub fn close(&self, params: &DidCloseTextDocumentParams) -> Option<PathBuf> {
        let path = file_uri::to_path(&params.text_document.uri)?;
        self.0.remove(&path).map(|(path, _)| path)
    }

    pub fn get(&self, path: &Path) -> Option<Arc<Document>> {
        self.0.get(path).map(|document| document.clone())
    }

    pub fn by_uri(&self, uri: &Uri) -> Option<Arc<Document>> {
        self.get(&file_uri::to_path(uri)?)
    }
}
