//! Accepts a race by comments, in which the user still has to say why.

use super::Fix;
use super::edit::{Edits, indentation, line_start};
use crate::lsp::driver::Program;
use crate::report::OfferedComment;

pub fn fix(program: &Program<'_>, location: &str, comments: &[OfferedComment]) -> Option<Fix> {
    let mut edits = Edits::default();
    for comment in comments {
        let file = &comment.place.path;
        let source = program.workspace.source(file)?;
        let text = source.text();
        let start = line_start(text, comment.place.line)?;
        let line = format!("{}{}\n", indentation(text, start), comment.text);
        edits.insert(program, file, text, start, &line);
    }
    (!edits.is_empty()).then(|| Fix {
        title: format!("Mark the race on `{location}` as benign, with a reason"),
        edits,
        is_preferred: false,
    })
}
