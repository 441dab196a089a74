//! One annotated program: its files, its named lines and the pairs it states.

use std::collections::BTreeMap;
use std::fmt;

use crate::expectation::{LockSet, Verdict};
use crate::reading;

/// A fixture: one C program with everything that its comments state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// `family/idiom`, unique in the corpus.
    pub name: String,
    pub files: Vec<SourceFile>,
    /// Every pair of lines on which the fixture has an opinion, each once.
    pub pairs: BTreeMap<LinePair, StatedPair>,
    /// The locks that a line states, one set per calling context.
    pub locks: BTreeMap<Place, Vec<LockSet>>,
    /// Lines that state why they do not race.
    pub safe_lines: BTreeMap<Place, String>,
    pub labels: BTreeMap<String, Place>,
    /// Why the program cannot be run, from `// not-runnable: reason` on a file's second line.
    pub not_runnable: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the program's own folder.
    pub path: String,
    pub text: String,
}

/// A line of a program; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// Two lines in a fixed order, because a race has no direction: stating it on one side suffices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinePair {
    first: Place,
    second: Place,
}

impl LinePair {
    pub fn new(one: Place, other: Place) -> LinePair {
        let (first, second) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        LinePair { first, second }
    }

    pub fn places(&self) -> [&Place; 2] {
        [&self.first, &self.second]
    }
}

impl fmt::Display for LinePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and {}", self.first, self.second)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedPair {
    pub verdict: Verdict,
    pub unconfirmed: Option<String>,
}

/// A mistake in a fixture, at the line that has to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixtureError {
    pub place: Place,
    pub message: String,
}

impl fmt::Display for FixtureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)
    }
}

impl Program {
    /// Reads the expectations of all files together: labels hold for the whole program.
    pub fn parse(name: &str, files: Vec<SourceFile>) -> Result<Program, Vec<FixtureError>> {
        reading::read(name, files)
    }

    /// Whether the program can be started at all.
    pub fn has_main(&self) -> bool {
        let mut lines = self.files.iter().flat_map(|file| file.text.lines());
        lines.any(|line| line.starts_with("int main("))
    }

    /// The pairs that really race, reported today or not.
    pub fn racing_pairs(&self) -> impl Iterator<Item = (&LinePair, &StatedPair)> {
        let races = |stated: &StatedPair| stated.verdict.is_a_race();
        self.pairs.iter().filter(move |(_, stated)| races(stated))
    }

    /// `w (cache.c:12)`, or the bare place where the line has no name.
    pub fn describe(&self, place: &Place) -> String {
        let label = self.labels.iter().find(|(_, labelled)| *labelled == place);
        match label {
            Some((label, _)) => format!("{label} ({place})"),
            None => place.to_string(),
        }
    }

    pub fn describe_pair(&self, pair: &LinePair) -> String {
        let [first, second] = pair.places().map(|place| self.describe(place));
        if first == second {
            format!("{first} with itself")
        } else {
            format!("{first} with {second}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        let file = SourceFile {
            path: "a.c".into(),
            text: format!("// Exists for a test.\n{text}"),
        };
        Program::parse("family/idiom", vec![file]).unwrap()
    }

    #[test]
    fn a_pair_has_no_direction() {
        let place = |line| Place {
            file: "a.c".into(),
            line,
        };
        assert_eq!(
            LinePair::new(place(2), place(3)),
            LinePair::new(place(3), place(2))
        );
    }

    #[test]
    fn lines_are_described_by_name_and_place() {
        let program = program("x++; //~ w: race(self)\ny++; //~ race(w)\n");
        let described: Vec<String> = program
            .pairs
            .keys()
            .map(|pair| program.describe_pair(pair))
            .collect();
        assert_eq!(described, ["w (a.c:2) with itself", "w (a.c:2) with a.c:3"]);
    }

    #[test]
    fn a_main_function_is_recognised() {
        assert!(program("int main(void)\n").has_main());
        assert!(!program("void domain(void);\n").has_main());
    }
}
