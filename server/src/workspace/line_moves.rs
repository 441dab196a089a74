//! Where the lines of files are after an edit.

use super::line_change::LineChange;
use crate::project::Place;
use std::path::Path;
use ustr::Ustr;

/// What has changed in each file that has; `None` where nobody knows.
#[derive(Default)]
pub struct LineMoves(Vec<(Ustr, Option<LineChange>)>);

impl LineMoves {
    pub(super) fn new(changes: Vec<(Ustr, Option<LineChange>)>) -> LineMoves {
        LineMoves(changes)
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = (Ustr, Option<LineChange>)> {
        self.0.iter().copied()
    }

    /// The line that a place is on now, unless that was replaced.
    pub fn line_now(&self, place: &Place) -> Option<u32> {
        let mut changes = self.0.iter();
        match changes.find(|(file, _)| is_in(place, *file)) {
            Some((_, change)) => change.as_ref()?.line_now(place.line),
            None => Some(place.line),
        }
    }
}

/// Both are names that the preprocessor gave, and need not be taken apart to be compared.
pub(super) fn is_in(place: &Place, file: Ustr) -> bool {
    place.path.as_os_str() == Path::new(file.as_str()).as_os_str()
}
