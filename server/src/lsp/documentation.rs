//! The pages that explain diagnostics, as files that any editor can open.

use super::file_uri;
use std::path::PathBuf;
use tempfile::TempDir;
use tower_lsp::ls_types::Uri;

/// What a diagnostic is about: its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    Race,
    Annotation,
}

/// The pages of this version, written where editors can read them.
pub struct Documentation {
    /// None if there is no room on the disk: then diagnostics have no link.
    folder: Option<TempDir>,
}

const PAGES: [(&str, &str); 2] = [
    ("race.md", include_str!("../report/sarif/help.md")),
    (
        "lock-annotations.md",
        include_str!("../report/sarif/annotations_help.md"),
    ),
];

impl Documentation {
    pub fn write() -> Documentation {
        let written = || -> std::io::Result<TempDir> {
            let folder = tempfile::Builder::new()
                .prefix("racelens-pages-")
                .tempdir()?;
            for (name, text) in PAGES {
                std::fs::write(folder.path().join(name), text)?;
            }
            Ok(folder)
        };
        Documentation {
            folder: written().ok(),
        }
    }

    /// Writes another page beside them. `None` if there is no room on the disk.
    pub fn write_page(&self, name: &str, text: &str) -> Option<PathBuf> {
        let file = self.folder.as_ref()?.path().join(name);
        std::fs::write(&file, text).ok()?;
        Some(file)
    }

    pub fn uri(&self, page: Page) -> Option<Uri> {
        let (name, _) = match page {
            Page::Race => PAGES[0],
            Page::Annotation => PAGES[1],
        };
        file_uri::from_path(&self.folder.as_ref()?.path().join(name))
    }
}
