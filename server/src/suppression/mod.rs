//! Comments in the source by which users accept races: `// racelens: benign(3f9c) -- statistics only`.

mod comment_scanner;
mod directive;
mod source_code;

pub use directive::{Directive, Mistake};
pub use source_code::{BenignComment, SourceCode};

/// What every such comment begins with.
const KEYWORD: &str = "racelens:";

/// Whether a text can have such a comment. Most files have none and need not be looked at closely.
pub fn may_have_comments(text: &str) -> bool {
    text.contains(KEYWORD)
}
