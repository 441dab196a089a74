//! The way back from a program to the text that the user wrote.

use super::known_places::{KnownPlaces, Spot, UnitTimes};
use super::line_moves::LineMoves;
use super::path_name;
use super::sources::{AskedText, Sources};
use crate::project::Place;
use racelens_analysis::db::Function;
use racelens_analysis::host::{Analysis, FunctionLocations, Location, SourceFile};
use racelens_analysis::ir::Span;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use ustr::Ustr;

/// The program's texts. Unlike the program itself, several threads can ask at once.
pub struct Texts {
    pub(super) sources: Sources,
    known_places: KnownPlaces,
    readings: u64,
    /// The last reading of each unit.
    read_at: HashMap<Ustr, u64>,
    /// What the last reading was for.
    moves: LineMoves,
}

/// What has become of the statements of a function that were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    /// They stand where they stood.
    Stayed,
    /// They have moved with their lines.
    Moved,
    /// Something else, or nobody knows.
    Changed,
}

/// A stretch of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub place: Place,
    /// Characters; 0 if it spans lines, or if a macro made it.
    pub length: u32,
    /// What stands there, if it is one line that the user wrote.
    pub text: Option<String>,
}

/// A moment at which all texts were as the program has them; later ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Reading(u64);

impl Default for Texts {
    fn default() -> Texts {
        Texts::new()
    }
}

impl Texts {
    /// Without a program: files are what they are on disk.
    pub fn new() -> Texts {
        Texts {
            sources: Sources::new(),
            known_places: KnownPlaces::default(),
            readings: 0,
            read_at: HashMap::new(),
            moves: LineMoves::default(),
        }
    }

    /// These units are read again.
    pub(super) fn read_again(&mut self, units: impl Iterator<Item = Ustr>) {
        self.readings += 1;
        self.moves = self.sources.take_changes();
        for unit in units {
            self.known_places.read_again(unit, &self.moves, self.now());
            self.read_at.insert(unit, self.readings);
        }
    }

    pub fn now(&self) -> Reading {
        Reading(self.readings)
    }

    /// The units that have been read since.
    pub fn read_since(&self, then: Reading) -> impl Iterator<Item = Ustr> {
        let newer = self.read_at.iter().filter(move |(_, read)| **read > then.0);
        newer.map(|(unit, _)| *unit)
    }

    /// Where lines are that were elsewhere then, if that was before the last reading and not before another one.
    pub fn moves_since(&self, then: Reading) -> Option<&LineMoves> {
        (then.0 + 1 == self.readings).then_some(&self.moves)
    }

    /// Finds places in one function, for when many are asked for.
    pub fn locations<'a>(
        &self,
        analysis: &'a Analysis,
        function: Function,
    ) -> Option<FunctionLocations<'a>> {
        analysis.locations(function, &|file| self.sources.get(file))
    }

    pub fn location(
        &self,
        analysis: &Analysis,
        function: Function,
        span: Span,
    ) -> Option<Location> {
        analysis.location(function, span, &|file| self.sources.get(file))
    }

    /// Where something of a function stands, found by `find` unless that is known.
    pub fn spot(
        &self,
        analysis: &Analysis,
        at: (Function, Spot),
        find: impl FnOnce() -> Option<Stretch>,
    ) -> Option<Stretch> {
        let unit = analysis.unit_of(at.0);
        let times = UnitTimes {
            now: self.now(),
            read: Reading(self.read_at.get(&unit).copied().unwrap_or_default()),
        };
        self.known_places.get_or_find(analysis, at, times, find)
    }

    /// What has become of a function's spots, in a unit that was read since. `find` says where one stands now.
    pub fn since(
        &self,
        analysis: &Analysis,
        function: Function,
        then: Reading,
        find: impl Fn(Spot) -> Option<Stretch>,
    ) -> Since {
        let known = &self.known_places;
        known.since(analysis, function, (then, self.now()), find)
    }

    /// Every file that somebody has asked for, with what he got.
    pub fn asked_for(&self) -> BTreeMap<Ustr, AskedText> {
        self.sources.asked_for()
    }

    /// A source file as it is now, saved or not.
    pub fn source(&self, file: &Path) -> Option<Arc<SourceFile>> {
        self.sources.get(path_name(file))
    }

    /// The stretch of text at a location.
    pub fn stretch(&self, location: &Location) -> Stretch {
        let text = self.text_at(location);
        Stretch {
            place: self.place(location),
            length: text.as_ref().map_or(0, |text| text.chars().count() as u32),
            text,
        }
    }

    /// The text at a location, if it stands on one line that the user wrote.
    fn text_at(&self, location: &Location) -> Option<String> {
        if location.in_macro || location.line != location.end_line {
            return None;
        }
        let file = self.sources.get(location.file)?;
        let range = location.column as usize - 1..location.end_column as usize - 1;
        Some(file.line(location.line)?.get(range)?.to_owned())
    }

    /// A location as the user counts: columns in characters, not in bytes.
    pub fn place(&self, location: &Location) -> Place {
        let before = location.column.saturating_sub(1);
        let column = self
            .sources
            .get(location.file)
            .and_then(|file| {
                let line = file.line(location.line)?.get(..before as usize)?;
                Some(line.chars().count() as u32)
            })
            .unwrap_or(before);
        Place::new(location.file.as_str(), location.line, column + 1)
    }
}
