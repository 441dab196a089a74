//! A checked program as requests read it.

use super::root::Root;
use crate::lsp::document::Document;
use crate::lsp::position_encoding::PositionEncoding;
use crate::lsp::settings::Settings;
use crate::lsp::{documentation::Documentation, file_uri};
use crate::project::Place;
use crate::races::Check;
use crate::report::{Race, Report};
use crate::workspace::{Texts, Workspace};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::ls_types::{Location, Position, Range, Uri};

/// Everything that an answer is made from. The driver changes nothing as long as it lives.
pub struct View<'v> {
    pub roots: &'v [Root],
    pub settings: &'v Settings,
    pub encoding: PositionEncoding,
    pub documentation: &'v Documentation,
    /// The open documents, by the names that the programs have for them.
    pub open: HashMap<PathBuf, &'v Arc<Document>>,
    /// How many checks have ended.
    pub checks: usize,
    /// Whether the client compares versions before it edits.
    pub client_edits_versions: bool,
}

/// One program of the view.
#[derive(Clone, Copy)]
pub struct Program<'v> {
    pub workspace: &'v Workspace,
    pub check: &'v Check,
    pub report: &'v Report,
    /// The folder that it is the program of.
    pub root: &'v Path,
    view: &'v View<'v>,
}

/// What was found in a program, be it in this run or in an earlier one, with the texts that it was found in.
#[derive(Clone, Copy)]
pub struct Findings<'v> {
    pub report: &'v Report,
    texts: &'v Texts,
    view: &'v View<'v>,
}

impl<'v> View<'v> {
    /// Of all programs.
    pub fn findings(&'v self) -> impl Iterator<Item = Findings<'v>> {
        self.roots.iter().filter_map(|root| {
            let computed = self.program(root).map(|program| program.findings());
            let recalled = root.recalled.as_ref().map(|recalled| Findings {
                report: &recalled.report,
                texts: &recalled.texts,
                view: self,
            });
            computed.or(recalled)
        })
    }

    /// Whether a file belongs to a program of which only an earlier run knows something.
    pub fn recalls(&self, file: &Path) -> bool {
        let recalled = self.roots.iter().filter_map(|root| root.recalled.as_ref());
        recalled.into_iter().any(|recalled| recalled.knows(file))
    }

    pub fn programs(&'v self) -> impl Iterator<Item = Program<'v>> {
        self.roots.iter().filter_map(|root| self.program(root))
    }

    /// The program that a file belongs to, and the name by which it knows the file.
    pub fn program_of(&'v self, file: &Path) -> Option<(Program<'v>, PathBuf)> {
        let mut roots = self.roots.iter();
        roots.find_map(|root| Some((self.program(root)?, root.name_of(file)?)))
    }

    fn program(&'v self, root: &'v Root) -> Option<Program<'v>> {
        let checked = root.checked()?;
        Some(Program {
            workspace: root.workspace()?,
            check: &checked.check,
            report: &checked.report,
            root: &root.path,
            view: self,
        })
    }

    /// As the client spells it, if it has the file open.
    pub fn uri(&self, file: &Path) -> Option<Uri> {
        match self.open.get(file) {
            Some(document) => Some(document.uri.clone()),
            None => file_uri::from_path(file),
        }
    }
}

impl Findings<'_> {
    /// A place with a number of characters, or the word there if the number is not known.
    pub fn range(&self, place: &Place, length: u32) -> Range {
        let encoding = self.view.encoding;
        let source = self.texts.source(&place.path);
        let line = source.as_ref().and_then(|source| source.line(place.line));
        let line_number = place.line.saturating_sub(1);
        let Some(line) = line else {
            let start = Position::new(line_number, 0);
            return Range::new(start, start);
        };
        let byte = |characters: u32| {
            let mut indices = line.char_indices();
            let found = indices.nth(characters as usize);
            found.map_or(line.len(), |(byte, _)| byte)
        };
        let column = place.column.saturating_sub(1);
        let start = byte(column);
        let end = match length {
            0 => start + word_length(&line[start..]),
            length => byte(column.saturating_add(length)),
        };
        Range::new(
            Position::new(line_number, encoding.units(&line[..start])),
            Position::new(line_number, encoding.units(&line[..end])),
        )
    }

    pub fn location(&self, place: &Place, length: u32) -> Option<Location> {
        let range = self.range(place, length);
        Some(Location::new(self.view.uri(&place.path)?, range))
    }

    pub fn view(&self) -> &View<'_> {
        self.view
    }
}

impl<'v> Program<'v> {
    /// What diagnostics are made from.
    fn findings(&self) -> Findings<'v> {
        Findings {
            report: self.report,
            texts: self.workspace.texts(),
            view: self.view,
        }
    }

    /// A place with a number of characters, or the word there if the number is not known.
    pub fn range(&self, place: &Place, length: u32) -> Range {
        self.findings().range(place, length)
    }

    pub fn location(&self, place: &Place, length: u32) -> Option<Location> {
        self.findings().location(place, length)
    }

    /// The place of a position: its line and its column in characters.
    pub fn place(&self, file: &Path, position: Position) -> Option<Place> {
        let source = self.workspace.source(file)?;
        let line = source.line(position.line.checked_add(1)?)?;
        let byte = self.view.encoding.byte(line, position.character);
        let column = line[..byte].chars().count() as u32 + 1;
        Some(Place::new(file, position.line + 1, column))
    }

    /// The race with this id, if it is one to show.
    pub fn race(&self, id: &str) -> Option<&Race> {
        let mut races = self.report.races.iter();
        let found = races.find(|race| race.id == id && race.is_finding());
        found.map(|race| &**race)
    }

    pub fn view(&self) -> &View<'_> {
        self.view
    }
}

/// The bytes of the identifier at the beginning of a text, or of its first character.
fn word_length(text: &str) -> usize {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    match text.find(|character| !is_word(character)) {
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(length) => length,
        None => text.len(),
    }
}
