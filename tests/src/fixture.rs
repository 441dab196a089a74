//! Reads one annotated program: its files, its named lines and the pairs it states.

use std::collections::BTreeMap;
use std::fmt;

use crate::expectation::{LockSet, Partner, Verdict, line_expectation};

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
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.second {
            write!(formatter, "{} with itself", self.first)
        } else {
            write!(formatter, "{} with {}", self.first, self.second)
        }
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
        let mut reader = Reader::default();
        for file in &files {
            reader.read_file(file);
        }
        reader.resolve_races();
        reader.reject_contradictions();
        reader.reject_idle_labels();
        if !reader.errors.is_empty() {
            reader.errors.sort_by(|a, b| a.place.cmp(&b.place));
            return Err(reader.errors);
        }
        Ok(Program {
            name: name.to_owned(),
            files,
            pairs: reader.pairs,
            locks: reader.locks,
            safe_lines: reader.safe_lines,
            labels: reader.labels,
            not_runnable: reader.not_runnable,
        })
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
}

/// Collects everything that is wrong, so that one run shows every mistake.
#[derive(Default)]
struct Reader {
    labels: BTreeMap<String, Place>,
    locks: BTreeMap<Place, Vec<LockSet>>,
    safe_lines: BTreeMap<Place, String>,
    races: Vec<(Place, crate::expectation::RaceClause)>,
    pairs: BTreeMap<LinePair, StatedPair>,
    not_runnable: Option<String>,
    errors: Vec<FixtureError>,
}

impl Reader {
    fn read_file(&mut self, file: &SourceFile) {
        for (index, line) in file.text.lines().enumerate() {
            let place = Place {
                file: file.path.clone(),
                line: index as u32 + 1,
            };
            match index {
                0 if !explains_itself(line) => {
                    self.error(
                        &place,
                        "the first line must be a `//` comment that says why the fixture exists",
                    );
                }
                1 => self.read_second_line(line, &place),
                _ => {}
            }
            self.read_expectation(line, place);
        }
        if file.text.is_empty() {
            let place = Place {
                file: file.path.clone(),
                line: 1,
            };
            self.error(&place, "the file is empty");
        }
    }

    fn read_second_line(&mut self, line: &str, place: &Place) {
        let Some(reason) = line.strip_prefix("// not-runnable") else {
            return;
        };
        match reason.strip_prefix(':').map(str::trim) {
            Some(reason) if !reason.is_empty() => self.not_runnable = Some(reason.to_owned()),
            _ => self.error(
                place,
                "`not-runnable` needs a reason: `// not-runnable: reason`",
            ),
        }
    }

    fn read_expectation(&mut self, line: &str, place: Place) {
        let expectation = match line_expectation(line) {
            Ok(None) => return,
            Ok(Some(expectation)) => expectation,
            Err(message) => return self.error(&place, &message),
        };
        if let Some(label) = expectation.label {
            if let Some(earlier) = self.labels.get(&label) {
                let message = format!("duplicate label `{label}`: {earlier} has it already");
                self.error(&place, &message);
            } else {
                self.labels.insert(label, place.clone());
            }
        }
        for race in expectation.races {
            self.races.push((place.clone(), race));
        }
        if let Some(reason) = expectation.no_race {
            self.safe_lines.insert(place.clone(), reason);
        }
        if !expectation.locks.is_empty() {
            self.locks.insert(place, expectation.locks);
        }
    }

    fn resolve_races(&mut self) {
        for (place, race) in std::mem::take(&mut self.races) {
            let partner = match &race.partner {
                Partner::SameLine => place.clone(),
                Partner::Label(label) => match self.labels.get(label) {
                    Some(partner) => partner.clone(),
                    None => {
                        self.error(
                            &place,
                            &format!("unknown label `{label}`: no line has this name"),
                        );
                        continue;
                    }
                },
            };
            let pair = LinePair::new(place.clone(), partner);
            let stated = StatedPair {
                verdict: race.verdict,
                unconfirmed: race.unconfirmed,
            };
            match self.pairs.get_mut(&pair) {
                Some(earlier) if earlier.verdict != stated.verdict => {
                    let message = format!(
                        "the race of {pair} is stated twice, as `{}` and as `{}`",
                        earlier.verdict.word(),
                        stated.verdict.word()
                    );
                    self.error(&place, &message);
                }
                Some(earlier) => {
                    if earlier.unconfirmed.is_none() {
                        earlier.unconfirmed = stated.unconfirmed;
                    }
                }
                None => {
                    self.pairs.insert(pair, stated);
                }
            }
        }
    }

    fn reject_contradictions(&mut self) {
        let mut contradictions = Vec::new();
        for (pair, stated) in &self.pairs {
            for place in pair.places() {
                if stated.verdict.is_a_race() && self.safe_lines.contains_key(place) {
                    contradictions.push((
                        place.clone(),
                        format!("the line says `no-race`, but the race of {pair} is stated"),
                    ));
                }
            }
        }
        for (place, message) in contradictions {
            self.error(&place, &message);
        }
    }

    /// A label that no race names and that states nothing is a leftover or a typing mistake.
    fn reject_idle_labels(&mut self) {
        let says_something = |place: &Place| {
            self.locks.contains_key(place)
                || self.safe_lines.contains_key(place)
                || self.pairs.keys().any(|pair| pair.places().contains(&place))
        };
        let idle: Vec<(String, Place)> = self
            .labels
            .iter()
            .filter(|(_, place)| !says_something(place))
            .map(|(label, place)| (label.clone(), place.clone()))
            .collect();
        for (label, place) in idle {
            self.error(
                &place,
                &format!("no race names the label `{label}`, and its line states nothing"),
            );
        }
    }

    fn error(&mut self, place: &Place, message: &str) {
        self.errors.push(FixtureError {
            place: place.clone(),
            message: message.to_owned(),
        });
    }
}

fn explains_itself(line: &str) -> bool {
    let comment = line.strip_prefix("// ").map(str::trim);
    comment.is_some_and(|text| text.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHY: &str = "// Exists for a test.\n";

    fn parse(files: &[(&str, &str)]) -> Result<Program, Vec<FixtureError>> {
        let files = files.iter().map(|(path, text)| SourceFile {
            path: path.to_string(),
            text: format!("{WHY}{text}"),
        });
        Program::parse("family/idiom", files.collect())
    }

    fn errors(text: &str) -> Vec<String> {
        let errors = parse(&[("a.c", text)]).unwrap_err();
        errors.iter().map(FixtureError::to_string).collect()
    }

    fn place(file: &str, line: u32) -> Place {
        Place {
            file: file.into(),
            line,
        }
    }

    #[test]
    fn a_race_stated_on_one_side_holds_for_both() {
        let one = parse(&[("a.c", "x = 1; //~ w: race(r)\ny = x; //~ r:\n")]).unwrap();
        let other = parse(&[("a.c", "x = 1; //~ w:\ny = x; //~ r: race(w)\n")]).unwrap();
        let both = parse(&[("a.c", "x = 1; //~ w: race(r)\ny = x; //~ r: race(w)\n")]).unwrap();
        assert_eq!(one.pairs, other.pairs);
        assert_eq!(one.pairs, both.pairs);
        let pair = LinePair::new(place("a.c", 3), place("a.c", 2));
        assert_eq!(one.pairs[&pair].verdict, Verdict::Race);
    }

    #[test]
    fn labels_hold_across_the_files_of_a_program() {
        let files = [
            ("a.c", "x = 1; //~ w: race(r)\n"),
            ("b.c", "y = x; //~ r:\n"),
        ];
        let program = parse(&files).unwrap();
        let pair = LinePair::new(place("a.c", 2), place("b.c", 2));
        assert!(program.pairs.contains_key(&pair));
        assert_eq!(program.describe(&place("b.c", 2)), "r (b.c:2)");
    }

    #[test]
    fn a_race_with_itself_pairs_the_line_with_itself() {
        let program = parse(&[("a.c", "x++; //~ race(self)\n")]).unwrap();
        let pair = LinePair::new(place("a.c", 2), place("a.c", 2));
        assert!(program.pairs.contains_key(&pair));
    }

    #[test]
    fn an_unconfirmed_note_on_one_side_suffices() {
        let text = "x = 1; //~ w: race(r)\ny = x; //~ r: race(w) (unconfirmed -- rare)\n";
        let program = parse(&[("a.c", text)]).unwrap();
        let stated = program.pairs.values().next().unwrap();
        assert_eq!(stated.unconfirmed.as_deref(), Some("rare"));
    }

    #[test]
    fn mistakes_name_the_file_the_line_and_what_is_wrong() {
        let unknown = errors("x++; //~ w: race(v)\n");
        assert!(
            unknown[0].starts_with("a.c:2: unknown label `v`"),
            "{unknown:?}"
        );
        let duplicate = errors("x++; //~ w: race(self)\nx--; //~ w: race(self)\n");
        assert!(
            duplicate[0].starts_with("a.c:3: duplicate label `w`"),
            "{duplicate:?}"
        );
        let idle = errors("x++; //~ w:\n");
        assert!(
            idle[0].starts_with("a.c:2: no race names the label `w`"),
            "{idle:?}"
        );
        let clause = errors("x++; //~ w: maybe\n");
        assert!(clause[0].starts_with("a.c:2: unknown clause"), "{clause:?}");
        let twice = errors("x++; //~ w: race(r)\ny++; //~ r: missed: race(w) -- why\n");
        assert!(
            twice[0].contains("stated twice, as `race` and as `missed`"),
            "{twice:?}"
        );
        let safe = errors("x++; //~ w: race(r)\ny++; //~ r: no-race -- why\n");
        assert!(
            safe[0].starts_with("a.c:3: the line says `no-race`"),
            "{safe:?}"
        );
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        assert_eq!(errors("x++; //~ race(u)\ny++; //~ nonsense\n").len(), 2);
    }

    #[test]
    fn a_fixture_says_why_it_exists() {
        for text in ["int x;\n", "//\n", ""] {
            let file = SourceFile {
                path: "a.c".into(),
                text: text.into(),
            };
            assert!(
                Program::parse("family/idiom", vec![file]).is_err(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_program_that_cannot_run_says_why() {
        let program = parse(&[("a.c", "// not-runnable: needs a device\n")]).unwrap();
        assert_eq!(program.not_runnable.as_deref(), Some("needs a device"));
        let unexplained = errors("// not-runnable\n");
        assert!(unexplained[0].contains("needs a reason"), "{unexplained:?}");
    }

    #[test]
    fn a_main_function_is_recognised() {
        assert!(parse(&[("a.c", "int main(void)\n")]).unwrap().has_main());
        assert!(
            !parse(&[("a.c", "void domain(void);\n")])
                .unwrap()
                .has_main()
        );
    }
}
