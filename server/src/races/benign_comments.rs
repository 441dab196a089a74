//! The comments that would accept a race, ready to be pasted.

use super::checked::Checked;
use crate::project::Place;
use crate::report::OfferedComment;
use crate::suppression::SourceCode;
use crate::workspace::Workspace;
use racelens_analysis::races::{Race, Sighting};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Stands where the user says why.
const REASON: &str = "reason";

/// Source files, cut when a comment for one of their lines is asked for.
pub(super) struct CommentWriter<'w> {
    workspace: &'w Workspace,
    files: RefCell<HashMap<PathBuf, Option<Rc<SourceCode>>>>,
}

type Line = (PathBuf, u32);

impl<'w> CommentWriter<'w> {
    pub fn new(workspace: &'w Workspace) -> CommentWriter<'w> {
        CommentWriter {
            workspace,
            files: RefCell::default(),
        }
    }

    /// Comments that accept every pair of a race, few of them.
    pub fn comments(&self, checked: &Checked<'_>, race: &Race) -> Vec<OfferedComment> {
        let line = |side: Sighting| -> Option<Line> {
            let (function, statement) = checked.statement(side);
            let place = checked.places.statement_place(function, statement)?;
            Some((place.path, place.line))
        };
        let pairs = race.pairs.iter();
        let pairs = pairs.filter_map(|pair| Some((line(pair.first)?, line(pair.second)?)));
        let lines = covering_lines(&pairs.collect::<Vec<_>>());
        let places = lines.into_iter();
        places
            .filter_map(|(path, line)| self.comment(&Place::new(path, line, 1)))
            .collect()
    }

    /// A comment that accepts what lies on a line.
    pub fn comment(&self, place: &Place) -> Option<OfferedComment> {
        let code = self.code(&place.path)?;
        Some(OfferedComment {
            text: code.comment_for(place.line, REASON),
            place: Place::new(&place.path, place.line, 1),
        })
    }

    fn code(&self, path: &Path) -> Option<Rc<SourceCode>> {
        let mut files = self.files.borrow_mut();
        let read = || {
            let source = self.workspace.source(path)?;
            Some(Rc::new(SourceCode::new(source.text().to_owned())))
        };
        files.entry(path.to_owned()).or_insert_with(read).clone()
    }
}

/// Lines of which every pair has one: those that race with themselves, then the ones that are in the most pairs.
fn covering_lines(pairs: &[(Line, Line)]) -> BTreeSet<Line> {
    let own = pairs.iter().filter(|(first, second)| first == second);
    let mut lines: BTreeSet<Line> = own.map(|(first, _)| first.clone()).collect();
    loop {
        let mut counts: BTreeMap<&Line, usize> = BTreeMap::new();
        for (first, second) in pairs {
            if !lines.contains(first) && !lines.contains(second) {
                *counts.entry(first).or_default() += 1;
                *counts.entry(second).or_default() += 1;
            }
        }
        // The first of the best.
        let best = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        let Some((best, _)) = best else {
            return lines;
        };
        lines.insert(best.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(u32, u32)], expected: &[u32]) {
        let line = |line: u32| (PathBuf::from("a.c"), line);
        let pairs = pairs.iter().map(|(one, other)| (line(*one), line(*other)));
        let lines = covering_lines(&pairs.collect::<Vec<_>>());
        let lines: Vec<u32> = lines.into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn every_pair_is_covered_with_few_lines() {
        check(&[(1, 2)], &[1]);
        check(&[(1, 2), (2, 2)], &[2]);
        check(&[(1, 2), (1, 3), (1, 4)], &[1]);
        check(&[(1, 3), (2, 3), (4, 4)], &[3, 4]);
        check(&[], &[]);
    }
}
