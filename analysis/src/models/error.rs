//! What is wrong with a model file: what, where, and what to do about it.

use std::fmt;

/// An error in a model file. Lines and columns count from one; columns count characters.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ModelError {
    /// The file's name, as the caller gave it.
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub help: String,
}

impl ModelError {
    pub(super) fn at_offset(
        file: &str,
        text: &str,
        offset: usize,
        message: String,
        help: String,
    ) -> ModelError {
        let before = &text[..text.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        ModelError {
            file: file.to_owned(),
            line: line as u32,
            column: column as u32,
            message,
            help,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}\n  help: {}",
            self.file, self.line, self.column, self.message, self.help
        )
    }
}
