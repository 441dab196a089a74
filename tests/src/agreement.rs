//! Holds what ThreadSanitizer saw in the runs of a fixture against what the fixture states.

use std::collections::BTreeSet;

use crate::fixture::{LinePair, Program};

/// Whether every race that the fixture wants confirmed was seen, so that no further run is needed.
pub fn is_confirmed(program: &Program, seen: &BTreeSet<LinePair>) -> bool {
    unseen(program, seen).next().is_none()
}

/// Everything on which the fixture and the runs disagree, in words.
///
/// What was seen is a race. What was not seen is no race only if the fixture's author can explain it.
pub fn disagreements(program: &Program, seen: &BTreeSet<LinePair>) -> Vec<String> {
    let stated: BTreeSet<&LinePair> = program.racing_pairs().map(|(pair, _)| pair).collect();
    let unseen = unseen(program, seen).map(|pair| {
        format!(
            "stated, but seen in no run: race of {}",
            program.describe_pair(pair)
        )
    });
    let unstated = seen
        .iter()
        .filter(|pair| !stated.contains(pair))
        .map(|pair| {
            format!(
                "seen, but not stated: race of {}",
                program.describe_pair(pair)
            )
        });
    unseen.chain(unstated).collect()
}

fn unseen<'a>(
    program: &'a Program,
    seen: &'a BTreeSet<LinePair>,
) -> impl Iterator<Item = &'a LinePair> {
    program
        .racing_pairs()
        .filter(|(pair, stated)| stated.unconfirmed.is_none() && !seen.contains(pair))
        .map(|(pair, _)| pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Place, SourceFile};

    fn program(text: &str) -> Program {
        let file = SourceFile {
            path: "a.c".into(),
            text: format!("// A program for a test.\n{text}"),
        };
        Program::parse("family/idiom", vec![file]).unwrap()
    }

    fn seen(lines: &[(u32, u32)]) -> BTreeSet<LinePair> {
        let place = |line| Place {
            file: "a.c".into(),
            line,
        };
        let pairs = lines.iter();
        pairs
            .map(|(one, other)| LinePair::new(place(*one), place(*other)))
            .collect()
    }

    const RACE: &str = "x = 1; //~ w: race(r)\ny = x; //~ r:\n";

    #[test]
    fn a_race_that_is_stated_and_seen_is_agreed() {
        assert!(is_confirmed(&program(RACE), &seen(&[(3, 2)])));
        assert!(disagreements(&program(RACE), &seen(&[(3, 2)])).is_empty());
    }

    #[test]
    fn a_stated_race_that_no_run_shows_is_a_disagreement() {
        let expected = ["stated, but seen in no run: race of w (a.c:2) with r (a.c:3)"];
        assert!(!is_confirmed(&program(RACE), &seen(&[])));
        assert_eq!(disagreements(&program(RACE), &seen(&[])), expected);
    }

    #[test]
    fn a_missed_race_has_to_be_seen_too() {
        let missed = program("x++; //~ missed: race(self) -- no alias\n");
        assert!(!is_confirmed(&missed, &seen(&[])));
        assert_eq!(disagreements(&missed, &seen(&[])).len(), 1);
    }

    #[test]
    fn an_unconfirmed_race_may_be_seen_or_not() {
        let rare = program("x++; //~ race(self) (unconfirmed -- rare)\n");
        assert!(is_confirmed(&rare, &seen(&[])));
        assert!(disagreements(&rare, &seen(&[])).is_empty());
        assert!(disagreements(&rare, &seen(&[(2, 2)])).is_empty());
    }

    #[test]
    fn a_race_that_is_seen_must_be_stated() {
        let expected = ["seen, but not stated: race of r (a.c:3) with itself"];
        assert_eq!(
            disagreements(&program(RACE), &seen(&[(2, 3), (3, 3)])),
            expected
        );
    }

    #[test]
    fn a_spurious_pair_must_not_be_seen() {
        let spurious = program("x++; //~ w: spurious: race(self) -- barrier\n");
        assert!(disagreements(&spurious, &seen(&[])).is_empty());
        assert_eq!(disagreements(&spurious, &seen(&[(2, 2)])).len(), 1);
    }
}
