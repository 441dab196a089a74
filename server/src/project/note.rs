//! A remark to the user about the project itself: what happened, where, and what to do next.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use super::visible_text::{visible, visible_in_line};
use crate::store::PartsHasher;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Note {
    pub severity: Severity,
    pub place: Option<Place>,
    pub message: String,
    pub help: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    Error,
    Warning,
    Information,
}

/// A place in a file. Lines and columns count from one; columns count characters.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
pub struct Place {
    pub path: PathBuf,
    pub line: u32,
    pub column: u32,
}

impl Note {
    pub fn error(message: impl Into<String>) -> Note {
        Note::new(Severity::Error, message)
    }

    pub fn warning(message: impl Into<String>) -> Note {
        Note::new(Severity::Warning, message)
    }

    pub fn information(message: impl Into<String>) -> Note {
        Note::new(Severity::Information, message)
    }

    pub fn at(mut self, place: Place) -> Note {
        self.place = Some(place);
        self
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Note {
        self.help = Some(help.into());
        self
    }

    /// Makes the note a part of a hash.
    pub fn add_to(&self, hasher: &mut PartsHasher) {
        hasher.text(&self.severity.to_string()).text(&self.message);
        hasher.all(self.place.iter(), |hasher, place| {
            hasher.path(&place.path);
            hasher.number(place.line.into()).number(place.column.into());
        });
        hasher.all(self.help.iter(), |hasher, help| {
            hasher.text(help);
        });
    }

    fn new(severity: Severity, message: impl Into<String>) -> Note {
        Note {
            severity,
            place: None,
            message: message.into(),
            help: None,
        }
    }
}

impl Place {
    pub fn new(path: impl Into<PathBuf>, line: u32, column: u32) -> Place {
        Place {
            path: path.into(),
            line,
            column,
        }
    }

    /// The first character of a file, for what concerns all of it.
    pub fn start_of(path: &Path) -> Place {
        Place::new(path, 1, 1)
    }

    /// The place of a byte offset in `text`.
    pub fn at_offset(path: &Path, text: &str, offset: usize) -> Place {
        let offset = floor_char_boundary(text, offset);
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Place::new(path, line as u32, column as u32)
    }
}

// Paths are compared part by part, which is slow, and most places that are compared lie in one file.
impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        (self.line, self.column) == (other.line, other.column)
            && self.path.as_os_str() == other.path.as_os_str()
    }
}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.path.as_os_str(), self.line, self.column).hash(state);
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Place) -> Ordering {
        let paths = if self.path.as_os_str() == other.path.as_os_str() {
            Ordering::Equal
        } else {
            self.path.cmp(&other.path)
        };
        paths.then_with(|| (self.line, self.column).cmp(&(other.line, other.column)))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: {}", self.severity, visible(&self.message))?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {}", visible(help))?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let path = visible_in_line(&path);
        write!(f, "{path}:{}:{}", self.line, self.column)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
        })
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_prints_its_place_severity_and_help() {
        let note = Note::warning("`x.h` was not found")
            .at(Place::new("src/a.c", 3, 10))
            .with_help("add `-Iinclude`");
        assert_eq!(
            note.to_string(),
            "src/a.c:3:10: warning: `x.h` was not found\n  help: add `-Iinclude`"
        );
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = "a\nüü = 1";
        let offset = text.find('=').unwrap();
        assert_eq!(
            Place::at_offset(Path::new("f"), text, offset),
            Place::new("f", 2, 4)
        );
    }
}
