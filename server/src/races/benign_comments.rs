//! The comments that would accept a race, ready to be pasted.

use super::checked::Checked;
use crate::project::Place;
use crate::report::OfferedComment;
use crate::suppression::SourceCode;
use crate::workspace::{Texts, Workspace};
use racelens_analysis::db::Function;
use racelens_analysis::ir::StatementId;
use racelens_analysis::races::{Race, Sighting};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Stands where the user says why.
const REASON: &str = "reason";

/// Source files, cut when a comment for one of their lines is asked for.
pub(super) struct CommentWriter<'w> {
    texts: &'w Texts,
    files: Mutex<HashMap<PathBuf, Option<Arc<SourceCode>>>>,
}

type Line = (PathBuf, u32);

impl<'w> CommentWriter<'w> {
    pub fn new(workspace: &'w Workspace) -> CommentWriter<'w> {
        CommentWriter {
            texts: workspace.texts(),
            files: Mutex::default(),
        }
    }

    /// Comments that accept every pair of a race, few of them.
    pub fn comments(&self, checked: &Checked<'_>, race: &Race) -> Vec<OfferedComment> {
        // A statement is in many pairs, and paths are slow to compare: each line is known by its place among them.
        let sides = race.pairs.iter().flat_map(|pair| [pair.first, pair.second]);
        let statements: HashSet<_> = sides.map(|side| checked.statement(side)).collect();
        let lines = statements.into_iter().filter_map(|at| {
            let place = checked.places.statement_place(at.0, at.1)?;
            Some(((place.path, place.line), at))
        });
        let mut lines: Vec<(Line, (Function, StatementId))> = lines.collect();
        lines.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut numbers: HashMap<(Function, StatementId), usize> = HashMap::new();
        let mut number = 0;
        for (index, (line, at)) in lines.iter().enumerate() {
            if index > 0 && lines[index - 1].0 != *line {
                number = index;
            }
            numbers.insert(*at, number);
        }
        let number = |side: Sighting| numbers.get(&checked.statement(side)).copied();
        let pairs = race.pairs.iter();
        let pairs = pairs.filter_map(|pair| Some((number(pair.first)?, number(pair.second)?)));
        let covering = covering_lines(&pairs.collect::<Vec<_>>());
        covering
            .into_iter()
            .filter_map(|number| {
                let (path, line) = &lines[number].0;
                self.comment(&Place::new(path, *line, 1))
            })
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

    fn code(&self, path: &Path) -> Option<Arc<SourceCode>> {
        let files = self.files.lock();
        let mut files = files.unwrap_or_else(|poisoned| poisoned.into_inner());
        let read = || {
            let source = self.texts.source(path)?;
            Some(Arc::new(SourceCode::new(source.text().to_owned())))
        };
        files.entry(path.to_owned()).or_insert_with(read).clone()
    }
}

/// Lines of which every pair has one: those that race with themselves, then the ones that are in the most pairs.
fn covering_lines(pairs: &[(usize, usize)]) -> BTreeSet<usize> {
    let own = pairs.iter().filter(|(first, second)| first == second);
    let mut lines: BTreeSet<usize> = own.map(|(first, _)| *first).collect();
    let mut left = pairs.to_vec();
    let most = pairs.iter().map(|(one, other)| one.max(other) + 1).max();
    let mut counts = vec![0; most.unwrap_or(0)];
    loop {
        left.retain(|(first, second)| !lines.contains(first) && !lines.contains(second));
        counts.fill(0);
        for (first, second) in &left {
            counts[*first] += 1;
            counts[*second] += 1;
        }
        // The first of the best.
        let best = counts
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|(_, count)| **count);
        match best {
            Some((best, count)) if *count > 0 => lines.insert(best),
            _ => return lines,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(usize, usize)], expected: &[usize]) {
        let lines: Vec<usize> = covering_lines(pairs).into_iter().collect();
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
