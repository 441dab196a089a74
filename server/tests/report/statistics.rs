//! What a check has cost, in words and for programs.

use crate::schema;
use expect_test::expect;
use racelens::process_memory::ProcessMemory;
use racelens::project::{KeptCounters, Note, Place};
use racelens::report::text::statistics_text;
use racelens::report::{
    FunctionSize, LocationSize, PathBase, ProgramSize, ReportCounts, StageName, StageTime,
    Statistics, json,
};
use std::time::Duration;

fn sample() -> Statistics {
    let stage = |stage, milliseconds| StageTime {
        stage,
        time: Duration::from_millis(milliseconds),
    };
    Statistics {
        stages: vec![
            stage(StageName::Preprocessing, 750),
            stage(StageName::Summaries, 250),
        ],
        memory: ProcessMemory {
            peak: Some(81_000_000),
            now: Some(60_000_000),
        },
        cache: Some(KeptCounters {
            found: 1,
            missed: 1,
        }),
        program: ProgramSize {
            units: 2,
            lines: 4000,
            bytes: 90_000,
            functions: 300,
            statements: 5000,
            accesses: 1,
            threads: 3,
            contexts: 1,
            shared_locations: 12,
        },
        reports: ReportCounts {
            races: 1,
            suppressed: 2,
            violations: 0,
        },
        largest_functions: vec![
            FunctionSize {
                name: "handle".to_owned(),
                place: Some(Place::new("/p/src/a.c", 3, 5)),
                summary_entries: 1234,
                statements: 17,
                accesses: 8,
                contexts: 24,
            },
            FunctionSize {
                name: "idle".to_owned(),
                place: None,
                summary_entries: 0,
                statements: 1,
                accesses: 0,
                contexts: 0,
            },
        ],
        largest_locations: vec![LocationSize {
            name: "conn.hits".to_owned(),
            accesses: 40,
            functions: 7,
            racing_pairs: 6,
        }],
        notes: vec![Note::warning("`x.h` was not found").with_help("look for it")],
    }
}

#[test]
fn numbers_stand_below_each_other() {
    expect![[r#"
        2 translation units, 4000 lines after preprocessing
        300 functions, 5000 statements, 1 access to memory that threads may share
        3 threads, 1 context of a function, 12 shared locations
        1 race, 2 accepted, 0 violations of lock annotations

          stage              s     %
          preprocessing  0.750  75.0
          summaries      0.250  25.0
          all of them    1.000

        memory: 81.0 MB at the most, 60.0 MB at the end, which is 200.0 kB for each function

        cache: 1 of 2 translation units as an earlier run has preprocessed them

        the functions with the largest summaries
          entries  statements  accesses  contexts  function
             1234          17         8        24  handle (src/a.c:3:5)
                0           1         0         0  idle

        the locations with the most accesses
          accesses  functions  racing pairs  location
                40          7             6  conn.hits
    "#]]
    .assert_eq(&statistics_text(&sample(), &PathBase::new("/p")));
}

#[test]
fn what_is_not_known_is_left_out() {
    let mut statistics = sample();
    statistics.memory = ProcessMemory::default();
    statistics.cache = None;
    statistics.largest_functions.clear();
    statistics.largest_locations.clear();
    let text = statistics_text(&statistics, &PathBase::new("/p"));
    for absent in [
        "memory:",
        "cache:",
        "the functions with",
        "the locations with",
    ] {
        assert!(!text.contains(absent), "{text}");
    }
}

#[test]
fn programs_get_what_the_schema_describes() {
    let schema = schema::of_statistics();
    let mut statistics = sample();
    for known in [true, false] {
        if !known {
            statistics.memory = ProcessMemory::default();
            statistics.cache = None;
        }
        let text = json::statistics(&statistics, &PathBase::new("/p"));
        let value = serde_json::from_str(&text).unwrap();
        assert_eq!(schema::errors(&schema, &value), [""; 0]);
        assert_eq!(value["memory"]["bytes_per_function"].is_null(), !known);
        assert_eq!(value["stages"][0]["share"], 0.75);
        assert_eq!(value["largest_functions"][0]["place"]["file"], "src/a.c");
    }
}
