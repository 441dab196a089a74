//! `textDocument/inlayHint`: at the beginning of each block, the locks that are held there.

use crate::lsp::driver::View;
use crate::project::Place;
use crate::report::text::words;
use racelens_analysis::frontend::lex::{Token, lex};
use std::path::Path;
use tower_lsp::ls_types::{InlayHint, InlayHintLabel, Range};

pub fn hints(view: &View<'_>, file: &Path, range: Range) -> Vec<InlayHint> {
    if !view.settings.inlay_hints {
        return Vec::new();
    }
    let Some((program, name)) = view.program_of(file) else {
        return Vec::new();
    };
    let Some(source) = program.workspace.source(&name) else {
        return Vec::new();
    };
    let lines = range.start.line.saturating_add(1)..=range.end.line.saturating_add(1);
    let held = program
        .check
        .held_locks(program.workspace, &name, lines.clone());
    let text = source.text();
    let tokens = lex(text);
    let is_brace = |token: &&Token| token.is(b'{') || token.is(b'}');
    let braces: Vec<&Token> = tokens.iter().filter(is_brace).collect();
    let mut hints = Vec::new();
    for (index, token) in braces.iter().enumerate() {
        if token.is(b'}') {
            continue;
        }
        let brace = Place::at_offset(&name, text, token.start as usize);
        if !lines.contains(&brace.line) {
            continue;
        }
        // The first statement behind the brace says what is held there, if no other block comes first.
        let next = held.iter().find(|(place, _)| *place > brace);
        let end = braces
            .get(index + 1)
            .map_or(text.len(), |end| end.start as usize);
        let end = Place::at_offset(&name, text, end);
        let Some((_, locks)) = next.filter(|(place, locks)| *place < end && !locks.is_empty())
        else {
            continue;
        };
        let names = locks
            .iter()
            .map(|lock| words::lock_name(&lock.name, lock.shared));
        let names = words::list(names).replace('`', "");
        hints.push(InlayHint {
            position: program.range(&brace, 1).end,
            label: InlayHintLabel::String(format!("holds {names}")),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    hints
}
