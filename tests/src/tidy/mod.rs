//! Checks of the repository's own sources: text in, the lines that break a rule out.

pub mod conventions;
pub mod layers;
pub mod machine_paths;
pub mod named_tests;
pub mod paths;
pub mod purity;
pub mod rust_tokens;
pub mod tree;

/// A line that breaks a rule; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub line: u32,
    pub message: String,
}

impl Violation {
    pub fn new(line: u32, message: impl Into<String>) -> Violation {
        let message = message.into();
        Violation { line, message }
    }
}
