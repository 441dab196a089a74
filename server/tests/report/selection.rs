//! Which races are shown, and in which order.

use crate::sample::{race, report, thread};
use racelens::project::Place;
use racelens::report::{Access, AccessKind, Race, Report, Selection, Tier};
use std::sync::Arc;

fn at(id: &str, rank: u8, file: &str, line: u32) -> Race {
    let access = Access {
        place: Place::new(file, line, 1),
        length: 1,
        kind: AccessKind::Write,
        atomic: false,
        expression: "x".to_owned(),
        function: "f".to_owned(),
        thread: thread("main"),
        locks: Vec::new(),
        path: Vec::new(),
    };
    Race {
        rank,
        ..race(id, "x", vec![access])
    }
}

fn sample() -> Report {
    let mut report = report(vec![
        at("aa0000000001", 10, "a.c", 1),
        at("bb0000000002", 90, "b.c", 10),
        at("bb0000000003", 90, "b.c", 9),
        at("bb00000000030", 90, "a.c", 200),
        at("cc0000000005", 20, "a.c", 1),
        at("dd0000000006", 20, "a.c", 1),
    ]);
    Arc::make_mut(&mut report.races_mut()[5]).tier = Tier::ProvenSafe;
    report
}

fn ids(report: &Report) -> Vec<&str> {
    report.races.iter().map(|race| race.id.as_str()).collect()
}

#[test]
fn the_highest_rank_comes_first_and_then_the_place_decides() {
    let mut report = sample();
    assert_eq!(Selection::default().apply(&mut report), Ok(0));
    let expected = [
        "bb00000000030",
        "bb0000000003",
        "bb0000000002",
        "cc0000000005",
        "dd0000000006",
        "aa0000000001",
    ];
    assert_eq!(ids(&report), expected);
    let mut reversed = sample();
    reversed.races_mut().reverse();
    assert_eq!(Selection::default().apply(&mut reversed), Ok(0));
    assert_eq!(ids(&reversed), expected);
}

#[test]
fn findings_below_the_rank_are_counted() {
    for (min_rank, left, hidden) in [(0, 6, 0), (10, 6, 0), (20, 5, 1), (21, 3, 2), (100, 0, 5)] {
        let mut report = sample();
        let selection = Selection { min_rank, id: None };
        assert_eq!(selection.apply(&mut report), Ok(hidden), "{min_rank}");
        assert_eq!(report.races.len(), left, "{min_rank}");
    }
}

#[test]
fn one_race_is_found_by_the_beginning_of_its_id_whatever_its_rank() {
    let found = |id: &str| {
        let mut report = sample();
        let selection = Selection {
            min_rank: 50,
            id: Some(id.to_owned()),
        };
        selection
            .apply(&mut report)
            .map(|_| ids(&report).join(" "))
            .map_err(|unknown| unknown.to_string())
    };
    assert_eq!(found("aa"), Ok("aa0000000001".to_owned()));
    assert_eq!(found("AA0000000001"), Ok("aa0000000001".to_owned()));
    // The whole id of one is the beginning of another.
    assert_eq!(found("bb0000000003"), Ok("bb0000000003".to_owned()));
    for (id, message) in [
        ("ee", "there is no race with the id `ee`"),
        ("", "there is no race with the id ``"),
        (
            "bb",
            "several races have an id that begins with `bb`: bb00000000030, bb0000000003, bb0000000002",
        ),
    ] {
        let error = found(id).unwrap_err();
        assert_eq!(error.lines().next(), Some(message));
        assert!(error.contains("\n  help: "), "{error}");
    }
}
