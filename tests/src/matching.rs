//! Compares what a fixture states with what an analysis reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::expectation::{LockSet, Verdict, lock_name};
use crate::fixture::{LinePair, Place, Program};

/// A race as an analysis reports it.
///
/// The analysis supplies these as the `reported_races` of [`crate::verdicts::judge`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRace {
    pub first: ReportedAccess,
    pub second: ReportedAccess,
}

/// One end of a race, or any access whose locks are of interest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedAccess {
    /// Relative to the program's folder, as in [`Place::file`].
    pub file: String,
    pub line: u32,
    pub locks: Vec<String>,
}

/// The result of holding reports against a fixture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Everything that makes the fixture fail, in words and in a fixed order.
    pub mismatches: Vec<Mismatch>,
    pub counts: Counts,
}

/// How good the answers are, whether or not the fixture states them as today's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Pairs that race and are reported.
    pub true_positives: usize,
    /// Pairs that race and are not reported.
    pub missed: usize,
    /// Pairs that are reported and do not race.
    pub spurious: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.true_positives += other.true_positives;
        self.missed += other.missed;
        self.spurious += other.spurious;
    }
}

impl Counts {
    /// The share of reports that are races; `None` when nothing was reported.
    pub fn precision(&self) -> Option<f64> {
        share(self.true_positives, self.spurious)
    }

    /// The share of races that are reported; `None` when there are none.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_positives, self.missed)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// A stated race that was not reported.
    Missing { pair: String },
    /// A report that no comment expects.
    Unexpected { pair: String },
    /// An access whose locks differ from the stated ones.
    WrongLocks {
        line: String,
        stated: Vec<LockSet>,
        reported: LockSet,
    },
    /// A line states its locks, but no access was reported there.
    NoAccess { line: String },
    /// A `missed:` race that is reported by now.
    NowFound { pair: String },
    /// A `spurious:` report that is no longer made.
    NowGone { pair: String },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Missing { pair } => write!(formatter, "expected but missing: race of {pair}"),
            Mismatch::Unexpected { pair } => {
                write!(formatter, "reported but unexpected: race of {pair}")
            }
            Mismatch::WrongLocks {
                line,
                stated,
                reported,
            } => {
                let stated: Vec<String> = stated.iter().map(braces).collect();
                let (stated, reported) = (stated.join(" or "), braces(reported));
                write!(
                    formatter,
                    "wrong locks at {line}: stated {stated}, reported {reported}"
                )
            }
            Mismatch::NoAccess { line } => {
                write!(
                    formatter,
                    "no access reported at {line}, whose locks are stated"
                )
            }
            Mismatch::NowFound { pair } => write!(
                formatter,
                "update the fixture: the missed race of {pair} is found now"
            ),
            Mismatch::NowGone { pair } => write!(
                formatter,
                "update the fixture: the spurious race of {pair} is gone"
            ),
        }
    }
}

/// Holds the reported races against everything that the fixture states about pairs and their locks.
pub fn compare(program: &Program, reported: &[ReportedRace]) -> Comparison {
    let found: BTreeSet<LinePair> = reported.iter().map(ReportedRace::pair).collect();
    let mut comparison = Comparison::default();
    for (pair, stated) in &program.pairs {
        let is_found = found.contains(pair);
        comparison.count(stated.verdict.is_a_race(), is_found);
        let pair = program.describe_pair(pair);
        match (stated.verdict, is_found) {
            (Verdict::Race, false) => comparison.mismatches.push(Mismatch::Missing { pair }),
            (Verdict::Missed, true) => comparison.mismatches.push(Mismatch::NowFound { pair }),
            (Verdict::Spurious, false) => comparison.mismatches.push(Mismatch::NowGone { pair }),
            (Verdict::Race | Verdict::Spurious, true) | (Verdict::Missed, false) => {}
        }
    }
    for pair in found
        .iter()
        .filter(|pair| !program.pairs.contains_key(*pair))
    {
        comparison.count(false, true);
        let pair = program.describe_pair(pair);
        comparison.mismatches.push(Mismatch::Unexpected { pair });
    }
    let ends = reported.iter().flat_map(|race| [&race.first, &race.second]);
    comparison.mismatches.extend(wrong_locks(program, ends));
    comparison
}

/// Holds the locks of all reported accesses against every `locks{…}` of the fixture, racing or not.
pub fn compare_locks(program: &Program, reported: &[ReportedAccess]) -> Vec<Mismatch> {
    let mut mismatches = wrong_locks(program, reported.iter());
    let seen: BTreeSet<Place> = reported.iter().map(ReportedAccess::place).collect();
    for place in program.locks.keys().filter(|place| !seen.contains(place)) {
        let line = program.describe(place);
        mismatches.push(Mismatch::NoAccess { line });
    }
    mismatches
}

impl ReportedRace {
    fn pair(&self) -> LinePair {
        LinePair::new(self.first.place(), self.second.place())
    }
}

impl ReportedAccess {
    fn place(&self) -> Place {
        Place {
            file: self.file.clone(),
            line: self.line,
        }
    }

    fn lock_set(&self) -> LockSet {
        self.locks.iter().map(|lock| lock_name(lock)).collect()
    }
}

impl Comparison {
    fn count(&mut self, is_a_race: bool, is_found: bool) {
        match (is_a_race, is_found) {
            (true, true) => self.counts.true_positives += 1,
            (true, false) => self.counts.missed += 1,
            (false, true) => self.counts.spurious += 1,
            (false, false) => {}
        }
    }
}

/// Each wrong set of locks once per line: a line in many races would repeat it.
fn wrong_locks<'a>(
    program: &Program,
    accesses: impl Iterator<Item = &'a ReportedAccess>,
) -> Vec<Mismatch> {
    let mut reported: BTreeMap<Place, BTreeSet<LockSet>> = BTreeMap::new();
    for access in accesses {
        reported
            .entry(access.place())
            .or_default()
            .insert(access.lock_set());
    }
    let mut mismatches = Vec::new();
    for (place, stated) in &program.locks {
        for locks in reported.get(place).into_iter().flatten() {
            if !stated.iter().any(|stated| are_as_stated(stated, locks)) {
                mismatches.push(Mismatch::WrongLocks {
                    line: program.describe(place),
                    stated: stated.clone(),
                    reported: locks.clone(),
                });
            }
        }
    }
    mismatches
}

/// Whether each stated lock is one of the reported ones, and the other way round.
fn are_as_stated(stated: &LockSet, reported: &LockSet) -> bool {
    let mut unmatched: Vec<&String> = reported.difference(stated).collect();
    for lock in stated.difference(reported) {
        match unmatched.iter().position(|name| is_as_stated(lock, name)) {
            Some(position) => drop(unmatched.remove(position)),
            None => return false,
        }
    }
    unmatched.is_empty()
}

/// Whether two names differ at most in this: within brackets, a named constant is stated where a
/// number is reported. An analysis sees macros and enumerators as their values.
fn is_as_stated(stated: &str, reported: &str) -> bool {
    let (mut stated, mut reported) = (stated, reported);
    let mut depth = 0;
    let mut is_inside_a_word = false;
    while let Some(character) = stated.chars().next() {
        if depth > 0
            && !is_inside_a_word
            && let Some(after_name) = after_named_constant(stated)
            && let Some(after_number) = after_number(reported)
        {
            (stated, reported) = (after_name, after_number);
            continue;
        }
        if !reported.starts_with(character) {
            return false;
        }
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        is_inside_a_word = is_word(character);
        stated = &stated[character.len_utf8()..];
        reported = &reported[character.len_utf8()..];
    }
    reported.is_empty()
}

/// What follows `SLOTS`, or `(SLOTS-1)`, at the beginning of a name.
fn after_named_constant(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_prefix('(') {
        let (inner, after) = inner.split_once(')')?;
        let may_occur = |character: char| is_word(character) || "+-*/%&|^<>~".contains(character);
        let words: Vec<&str> = inner
            .split(|character| !is_word(character))
            .filter(|word| !word.is_empty())
            .collect();
        let is_constant = inner.chars().all(may_occur)
            && words.iter().any(|word| is_in_capitals(word))
            && words
                .iter()
                .all(|word| is_in_capitals(word) || is_number(word));
        return is_constant.then_some(after);
    }
    let (word, after) = leading_word(text);
    is_in_capitals(word).then_some(after)
}

fn after_number(text: &str) -> Option<&str> {
    let (word, after) = leading_word(text);
    is_number(word).then_some(after)
}

fn leading_word(text: &str) -> (&str, &str) {
    let end = text.find(|character| !is_word(character));
    text.split_at(end.unwrap_or(text.len()))
}

fn is_in_capitals(word: &str) -> bool {
    let may_occur = |character: char| is_word(character) && !character.is_lowercase();
    word.starts_with(|first: char| first.is_ascii_uppercase()) && word.chars().all(may_occur)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|character| character.is_ascii_digit())
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn braces(locks: &LockSet) -> String {
    let names: Vec<&str> = locks.iter().map(String::as_str).collect();
    format!("{{{}}}", names.join(", "))
}

fn share(right: usize, wrong: usize) -> Option<f64> {
    (right + wrong > 0).then(|| right as f64 / (right + wrong) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::SourceFile;

    /// Line 2 of the program is the first line of `text`; the locks that the tests name come last.
    fn program(text: &str) -> Program {
        let file = SourceFile {
            path: "a.c".into(),
            text: format!(
                "// A program for a test.\n{text}mutex m, n; struct object {{ mutex lock; }} *p;\n"
            ),
        };
        Program::parse("family/idiom", vec![file]).unwrap()
    }

    fn access(line: u32, locks: &[&str]) -> ReportedAccess {
        ReportedAccess {
            file: "a.c".into(),
            line,
            locks: locks.iter().map(|lock| lock.to_string()).collect(),
        }
    }

    fn report(first: (u32, &[&str]), second: (u32, &[&str])) -> ReportedRace {
        ReportedRace {
            first: access(first.0, first.1),
            second: access(second.0, second.1),
        }
    }

    fn words(text: &str, reported: &[ReportedRace]) -> Vec<String> {
        let comparison = compare(&program(text), reported);
        comparison
            .mismatches
            .iter()
            .map(Mismatch::to_string)
            .collect()
    }

    fn counts(text: &str, reported: &[ReportedRace]) -> (usize, usize, usize) {
        let counts = compare(&program(text), reported).counts;
        (counts.true_positives, counts.missed, counts.spurious)
    }

    const RACE: &str = "x = 1; //~ w: race(r); locks{m}\ny = x; //~ r: locks{}\n";
    const MISSED: &str = "x = 1; //~ w: missed: race(r) -- why\ny = x; //~ r:\n";
    const SPURIOUS: &str = "x = 1; //~ w: spurious: race(r) -- why\ny = x; //~ r:\n";

    #[test]
    fn the_stated_race_in_either_direction_matches() {
        assert!(words(RACE, &[report((2, &["m"]), (3, &[]))]).is_empty());
        assert!(words(RACE, &[report((3, &[]), (2, &["m"]))]).is_empty());
    }

    #[test]
    fn an_expected_race_that_is_missing_is_a_mismatch() {
        let expected = ["expected but missing: race of w (a.c:2) with r (a.c:3)"];
        assert_eq!(words(RACE, &[]), expected);
    }

    #[test]
    fn a_report_that_no_comment_expects_is_a_mismatch() {
        let reports = [report((2, &["m"]), (3, &[])), report((3, &[]), (3, &[]))];
        let expected = ["reported but unexpected: race of r (a.c:3) with itself"];
        assert_eq!(words(RACE, &reports), expected);
        let elsewhere = [report((2, &["m"]), (3, &[])), report((8, &[]), (9, &[]))];
        let expected = ["reported but unexpected: race of a.c:8 with a.c:9"];
        assert_eq!(words(RACE, &elsewhere), expected);
    }

    #[test]
    fn the_same_line_number_in_another_file_is_another_line() {
        let mut race = report((2, &["m"]), (3, &[]));
        race.second.file = "b.c".into();
        assert_eq!(words(RACE, &[race]).len(), 2);
    }

    #[test]
    fn wrong_locks_are_a_mismatch_once_per_line_and_set() {
        let twice = [report((2, &[]), (3, &[])), report((2, &[]), (3, &[]))];
        let expected = ["wrong locks at w (a.c:2): stated {m}, reported {}"];
        assert_eq!(words(RACE, &twice), expected);
        let more = [report((2, &["m"]), (3, &["n", "m"]))];
        let expected = ["wrong locks at r (a.c:3): stated {}, reported {m, n}"];
        assert_eq!(words(RACE, &more), expected);
    }

    #[test]
    fn locks_that_the_fixture_leaves_open_are_not_compared() {
        let text = "x++; //~ w: race(self)\n";
        assert!(words(text, &[report((2, &["any"]), (2, &[]))]).is_empty());
    }

    #[test]
    fn each_stated_calling_context_is_accepted_and_no_other() {
        let text = "x++; //~ w: race(self); locks{m}; locks{}\n";
        assert!(words(text, &[report((2, &["m"]), (2, &[]))]).is_empty());
        let expected = ["wrong locks at w (a.c:2): stated {m} or {}, reported {n}"];
        assert_eq!(words(text, &[report((2, &["n"]), (2, &[]))]), expected);
    }

    #[test]
    fn locks_are_compared_by_spelling_after_blanks_are_removed() {
        let text = "x++; //~ w: race(self); locks{p->lock}\n";
        let spaced: &[&str] = &["p -> lock"];
        assert!(words(text, &[report((2, spaced), (2, spaced))]).is_empty());
    }

    #[test]
    fn within_brackets_a_named_constant_may_be_reported_as_its_number() {
        for (stated, reported) in [
            ("locks[OUTGOING]", "locks[1]"),
            ("stripes[slot&(LOCKS-1)]", "stripes[slot&3]"),
            ("t->rows[key%N_ROWS].lock", "t->rows[key%4].lock"),
            ("t[A].rows[(2*B)].lock", "t[0].rows[6].lock"),
            ("t[A].rows[B].lock", "t[A].rows[6].lock"),
            ("shared locks[OUTGOING]", "shared locks[1]"),
        ] {
            assert!(is_as_stated(stated, reported), "{stated} {reported}");
        }
    }

    #[test]
    fn nothing_else_may_be_reported_as_a_number() {
        for (stated, reported) in [
            ("locks[slot]", "locks[1]"),
            ("locks[Slot]", "locks[1]"),
            ("locks[aSLOT]", "locks[a1]"),
            ("locks[(slot-1)]", "locks[1]"),
            ("locks[(3-2)]", "locks[1]"),
            ("locks[(LOCKS-slot)]", "locks[1]"),
            ("locks[OUTGOING]", "locks[slot]"),
            ("locks[OUTGOING]", "locks[1x]"),
            ("locks[OUTGOING]", "others[1]"),
            ("locks[OUTGOING]", "locks[1].lock"),
            ("locks[OUTGOING]", "locks[INCOMING]"),
            ("locks[0]", "locks[1]"),
            ("LOCK", "1"),
            ("locks[1].LOCK", "locks[1].2"),
        ] {
            assert!(!is_as_stated(stated, reported), "{stated} {reported}");
        }
    }

    #[test]
    fn each_reported_lock_stands_for_one_stated_lock() {
        let set =
            |names: &[&str]| -> LockSet { names.iter().map(|name| lock_name(name)).collect() };
        let stated = set(&["l[A]", "l[1]"]);
        assert!(are_as_stated(&stated, &set(&["l[0]", "l[1]"])));
        assert!(!are_as_stated(&stated, &set(&["l[1]"])));
        assert!(!are_as_stated(&stated, &set(&["l[0]", "l[1]", "l[2]"])));
    }

    #[test]
    fn a_missed_race_that_is_found_asks_for_an_update() {
        assert!(words(MISSED, &[]).is_empty());
        let found = words(MISSED, &[report((2, &[]), (3, &[]))]);
        let expected =
            "update the fixture: the missed race of w (a.c:2) with r (a.c:3) is found now";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_spurious_race_that_is_gone_asks_for_an_update() {
        assert!(words(SPURIOUS, &[report((2, &[]), (3, &[]))]).is_empty());
        let expected = "update the fixture: the spurious race of w (a.c:2) with r (a.c:3) is gone";
        assert_eq!(words(SPURIOUS, &[]), [expected]);
    }

    #[test]
    fn counts_follow_the_truth_and_not_the_expectation() {
        let reports = [report((2, &["m"]), (3, &[]))];
        assert_eq!(counts(RACE, &reports), (1, 0, 0));
        assert_eq!(counts(RACE, &[]), (0, 1, 0));
        assert_eq!(counts(MISSED, &[]), (0, 1, 0));
        assert_eq!(counts(MISSED, &reports), (1, 0, 0));
        assert_eq!(counts(SPURIOUS, &reports), (0, 0, 1));
        assert_eq!(counts(SPURIOUS, &[]), (0, 0, 0));
        assert_eq!(counts("", &reports), (0, 0, 1));
    }

    #[test]
    fn two_reports_of_one_pair_count_once() {
        let reports = [report((2, &["m"]), (3, &[])), report((3, &[]), (2, &["m"]))];
        assert_eq!(counts(RACE, &reports), (1, 0, 0));
    }

    #[test]
    fn precision_and_recall_need_something_to_divide() {
        let mut counts = Counts::default();
        assert_eq!((counts.precision(), counts.recall()), (None, None));
        counts += Counts {
            true_positives: 3,
            missed: 1,
            spurious: 0,
        };
        assert_eq!(
            (counts.precision(), counts.recall()),
            (Some(1.0), Some(0.75))
        );
    }

    #[test]
    fn locks_of_safe_lines_are_compared_too() {
        let program = program("x = 1; //~ w: no-race -- m; locks{m}\ny = x; //~ r: locks{m}\n");
        let right = [access(2, &["m"]), access(3, &["m"])];
        assert!(compare_locks(&program, &right).is_empty());
        let wrong = compare_locks(&program, &[access(2, &[])]);
        let words: Vec<String> = wrong.iter().map(Mismatch::to_string).collect();
        let expected = [
            "wrong locks at w (a.c:2): stated {m}, reported {}",
            "no access reported at r (a.c:3), whose locks are stated",
        ];
        assert_eq!(words, expected);
    }
}
