//! Reads a source file as text, whatever is in it.

use std::io::ErrorKind;
use std::path::Path;

use super::note::{Note, Place};
use super::regular_file;
use crate::store::ContentHash;

/// Text of a file, and what had to be said about it.
pub struct SourceText {
    pub text: String,
    pub notes: Vec<Note>,
    /// Of the file's bytes, if it was read from a file.
    pub hash: Option<ContentHash>,
}

/// Larger files are not source code that someone edits.
pub const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// A file with a zero byte in its first bytes is no text.
const BINARY_PROBE_BYTES: usize = 8 << 10;

pub fn read(path: &Path) -> Result<SourceText, Note> {
    let bytes = regular_file::read(path, MAX_SOURCE_BYTES);
    let bytes = bytes.map_err(|error| unreadable(path, &error))?;
    let hash = Some(ContentHash::of(&bytes));
    let source = decode(path, bytes)?;
    Ok(SourceText { hash, ..source })
}

/// Turns the bytes of a file into text: without a byte order mark, and with U+FFFD for what is not UTF-8.
pub fn decode(path: &Path, bytes: Vec<u8>) -> Result<SourceText, Note> {
    if bytes.iter().take(BINARY_PROBE_BYTES).any(|&byte| byte == 0) {
        let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let (what, help) = if is_utf16 {
            ("UTF-16 text", "save it as UTF-8")
        } else {
            (
                "a binary file",
                "list it under `exclude` in racelens.toml if it belongs to the project",
            )
        };
        return Err(Note::error(format!("this is {what} and is left out"))
            .at(Place::start_of(path))
            .with_help(help));
    }
    let mut notes = Vec::new();
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            notes.push(
                Note::information(
                    "this file is not valid UTF-8 from here on; what is not is read as U+FFFD",
                )
                .at(Place::at_offset(path, &text, valid))
                .with_help("save the file as UTF-8"),
            );
            text
        }
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(SourceText {
        text,
        notes,
        hash: None,
    })
}

pub fn unreadable(path: &Path, error: &std::io::Error) -> Note {
    let (message, help) = match error.kind() {
        ErrorKind::NotFound => (
            "this file does not exist".to_owned(),
            "build the project first if the file is generated, or correct its path",
        ),
        ErrorKind::InvalidInput => (
            "this is not a regular file".to_owned(),
            "name a C source file",
        ),
        ErrorKind::FileTooLarge => (
            format!(
                "this file is larger than {} MiB and is left out",
                MAX_SOURCE_BYTES >> 20
            ),
            "split it, or list it under `exclude` in racelens.toml",
        ),
        ErrorKind::PermissionDenied => (
            "you may not read this file".to_owned(),
            "give yourself permission to read it",
        ),
        _ => (
            format!("this file cannot be read: {error}"),
            "check the file and its disk",
        ),
    };
    Note::error(message)
        .at(Place::start_of(path))
        .with_help(help)
}
