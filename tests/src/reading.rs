//! Reads the expectations of a program's files and rejects what cannot be meant.

use std::collections::{BTreeMap, BTreeSet};

use crate::expectation::{LockSet, Partner, RaceClause, line_expectation};
use crate::fixture::{FixtureError, LinePair, Place, Program, SourceFile, StatedPair};

pub fn read(name: &str, files: Vec<SourceFile>) -> Result<Program, Vec<FixtureError>> {
    let mut reader = Reader::default();
    for file in &files {
        reader.read_file(file);
    }
    reader.resolve_races();
    reader.reject_contradictions();
    reader.reject_idle_labels();
    reader.reject_misspelt_locks(&files);
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

/// Collects everything that is wrong, so that one run shows every mistake.
#[derive(Default)]
struct Reader {
    labels: BTreeMap<String, Place>,
    locks: BTreeMap<Place, Vec<LockSet>>,
    safe_lines: BTreeMap<Place, String>,
    races: Vec<(Place, RaceClause)>,
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
                    let [first, second] = pair.places();
                    let message = format!(
                        "the race of {first} with {second} is stated twice, as `{}` and as `{}`",
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
                    let [first, second] = pair.places();
                    let message =
                        format!("the line says `no-race`, but races: {first} with {second}");
                    contradictions.push((place.clone(), message));
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

    /// A lock is named as the program names it, so a name that the code does not contain is misspelt.
    fn reject_misspelt_locks(&mut self, files: &[SourceFile]) {
        let code: BTreeSet<&str> = files
            .iter()
            .flat_map(|file| file.text.lines())
            .filter_map(|line| line.split("//").next())
            .flat_map(words)
            .collect();
        let mut misspelt = Vec::new();
        for (place, contexts) in &self.locks {
            for lock in contexts.iter().flatten() {
                let expression = lock.strip_prefix("shared ").unwrap_or(lock);
                if let Some(word) = words(expression).find(|word| !code.contains(word)) {
                    let message = format!("the lock `{lock}`: the program has no `{word}`");
                    misspelt.push((place.clone(), message));
                }
            }
        }
        for (place, message) in misspelt {
            self.error(&place, &message);
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

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.split(move |character| !is_part(character))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::Verdict;

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
    fn a_lock_that_the_program_does_not_have_is_misspelt() {
        let misspelt = errors("lock(&table[i].lock);\nx++; //~ w: locks{tabel[i].lock}\n");
        let expected = "a.c:3: the lock `tabel[i].lock`: the program has no `tabel`";
        assert_eq!(misspelt, [expected]);
        let right = "rdlock(&table[i].lock);\nx++; //~ w: locks{shared table[i].lock}\n";
        assert!(parse(&[("a.c", right)]).is_ok());
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
}
