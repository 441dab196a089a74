//! `textDocument/definition`: from a lock that is held to where it was taken. Other names are not ours to find.

use super::hover::word_at;
use crate::lsp::driver::View;
use crate::report::LockOrigin;
use std::path::Path;
use tower_lsp::ls_types::{Location, Position};

pub fn acquisitions(view: &View<'_>, file: &Path, position: Position) -> Option<Vec<Location>> {
    let (program, name) = view.program_of(file)?;
    let place = program.place(&name, position)?;
    let (word, _) = word_at(&program, &place)?;
    let insight = program.check.insight(program.workspace, &place, None);
    let held = insight.held?;
    let is_named = |name: &str| {
        let end = name.rfind('[').unwrap_or(name.len());
        name[..end].rsplit(['>', '.', '*', '&']).next() == Some(&word)
    };
    let places = held.iter().filter(|lock| is_named(&lock.name));
    let places = places.flat_map(|lock| match &lock.origin {
        LockOrigin::Here(places) | LockOrigin::EveryCaller(places) => places,
    });
    let locations: Vec<Location> = places
        .filter_map(|place| program.location(place, 0))
        .collect();
    (!locations.is_empty()).then_some(locations)
}
