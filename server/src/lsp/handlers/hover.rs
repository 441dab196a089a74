//! `textDocument/hover`: what is known about what the user points at.

use crate::lsp::driver::{Program, View};
use crate::lsp::markdown::Markdown;
use crate::project::Place;
use std::path::Path;
use tower_lsp::ls_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};

pub fn hover(view: &View<'_>, file: &Path, position: Position) -> Option<Hover> {
    let (program, name) = view.program_of(file)?;
    let place = program.place(&name, position)?;
    let word = word_at(&program, &place);
    let identifier = word.as_ref().map(|(word, _)| word.as_str());
    let insight = program.check.insight(program.workspace, &place, identifier);
    let markdown = Markdown { program: &program };
    let text = markdown.insight(&insight);
    let first = insight.accesses.first();
    let range = match first {
        Some(access) => Some(program.range(&access.place, access.length)),
        None => word.map(|(_, range)| range),
    };
    (!text.is_empty()).then_some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: text,
        }),
        range,
    })
}

/// The identifier at a place, and where it stands.
pub fn word_at(program: &Program<'_>, place: &Place) -> Option<(String, Range)> {
    let source = program.workspace.source(&place.path)?;
    let characters: Vec<char> = source.line(place.line)?.chars().collect();
    let is_word = |character: &char| character.is_alphanumeric() || *character == '_';
    let at = place.column as usize - 1;
    // Behind the last character of a word is still the word.
    let at = match characters.get(at) {
        Some(character) if is_word(character) => at,
        _ => at.checked_sub(1)?,
    };
    let before = characters
        .get(..=at)?
        .iter()
        .rev()
        .take_while(|it| is_word(it));
    let start = at + 1 - before.count();
    let word: String = characters[start..]
        .iter()
        .take_while(|it| is_word(it))
        .collect();
    let starts_well = word.chars().next().is_some_and(|first| !first.is_numeric());
    let begins = Place::new(&place.path, place.line, start as u32 + 1);
    let range = program.range(&begins, word.chars().count() as u32);
    starts_well.then_some((word, range))
}
