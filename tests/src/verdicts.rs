//! Judges an analysis by the whole corpus: what fails, and how precise and complete it is.

use crate::corpus::CorpusEntry;
use crate::matching::{Counts, ReportedRace, compare};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judgement {
    /// One line per mismatch, with the fixture's name in front.
    pub failures: Vec<String>,
    pub counts: Counts,
}

/// Compares what `reported_races` finds in each program with what the program states.
pub fn judge(
    entries: &[CorpusEntry],
    reported_races: impl Fn(&CorpusEntry) -> Vec<ReportedRace>,
) -> Judgement {
    let mut judgement = Judgement::default();
    for entry in entries {
        let comparison = compare(&entry.program, &reported_races(entry));
        let name = &entry.program.name;
        let described = comparison
            .mismatches
            .iter()
            .map(|mismatch| format!("{name}: {mismatch}"));
        judgement.failures.extend(described);
        judgement.counts += comparison.counts;
    }
    judgement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::corpus;
    use crate::matching::ReportedAccess;

    /// An analysis that says what the fixtures say.
    fn obedient(entry: &CorpusEntry) -> Vec<ReportedRace> {
        let program = &entry.program;
        let access = |place: &crate::fixture::Place| ReportedAccess {
            file: place.file.clone(),
            line: place.line,
            locks: match program.locks.get(place) {
                Some(contexts) => contexts[0].iter().cloned().collect(),
                None => Vec::new(),
            },
        };
        let pairs = program
            .racing_pairs()
            .map(|(pair, _)| pair.places().map(access));
        pairs
            .map(|[first, second]| ReportedRace { first, second })
            .collect()
    }

    #[test]
    fn saying_what_the_fixtures_say_fails_nowhere_that_they_call_right() {
        let judgement = judge(&corpus().entries, obedient);
        let wrong_today = |failure: &String| failure.contains("update the fixture");
        assert!(
            judgement.failures.iter().all(wrong_today),
            "{:?}",
            judgement.failures
        );
        assert_eq!(judgement.counts.recall(), Some(1.0));
        assert_eq!(judgement.counts.precision(), Some(1.0));
    }

    #[test]
    fn silence_misses_every_race_and_is_told_by_name() {
        let judgement = judge(&corpus().entries, |_| Vec::new());
        assert_eq!(judgement.counts.recall(), Some(0.0));
        let expected = "global/two_locks: expected but missing: race of in (two_locks.c";
        assert!(
            judgement
                .failures
                .iter()
                .any(|failure| failure.starts_with(expected))
        );
    }
}
