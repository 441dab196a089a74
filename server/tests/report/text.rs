//! The text for people.

use crate::sample::{Folder, counter, lock, race, reason, report, thread};
use expect_test::{Expect, expect};
use racelens::report::text::{Appearance, Shown};
use racelens::report::{Access, AccessKind, Call, Lock, Race, Thread, Tier};
use std::sync::Arc;

#[test]
fn a_race_shows_both_accesses_with_threads_locks_and_reasons() {
    let (folder, report) = counter();
    expect![[r#"
        warning[race]: possible data race on `conn.hits` [a1b2c3d4e5f6] (rank 87)
         --> src/server.c:4:2
          |
        4 |     c->hits++;
          |     ^^^^^^^ #1 write in thread `worker` (one of several), holding no lock
          |
         ::: src/stats.c:4:5
          |
        4 |     pthread_mutex_lock(&c->mu);
          |     ------------------ `c->mu` is taken here
        5 |     int hits = c->hits;
          |                ^^^^^^^ #2 read in thread `main`, holding `c->mu`
          |
          = note: #1 runs in thread `worker`, started at main.c:3:9, several at once
                  worker → handle (src/server.c:12:2) → bump (src/server.c:8:2)
          = note: #2 runs in thread `main`
                  main → total (main.c:4:12)
          = note: 1 other access has the same cause: write at src/stats.c:11:5
          = note: `conn.hits` is guarded by `conn.mu` in 7 of 8 accesses
          = doubt: `reset` looks like an initialisation before the threads run

        1 possible data race
        3 translation units, 6 functions, 2 threads, 1 shared location, 3 accesses, 0.25 s
        for all accesses and call paths of a race, and the comment that accepts it: racelens check --explain a1b2c3d4e5f6
    "#]]
    .assert_eq(&folder.text(&report));
}

#[test]
fn the_manual_shows_what_is_printed() {
    let (folder, report) = counter();
    let manual = include_str!("../../docs/check.md");
    assert!(manual.contains(&folder.text(&report)));
}

#[test]
fn in_full_every_access_is_shown_and_no_summary() {
    let (folder, report) = counter();
    let shown = Shown {
        in_full: true,
        ..Shown::default()
    };
    expect![[r#"
        warning[race]: possible data race on `conn.hits` [a1b2c3d4e5f6] (rank 87)
          --> src/server.c:4:2
           |
         4 |     c->hits++;
           |     ^^^^^^^ #1 write in thread `worker` (one of several), holding no lock
           |
          ::: src/stats.c:4:5
           |
         4 |     pthread_mutex_lock(&c->mu);
           |     ------------------ `c->mu` is taken here
         5 |     int hits = c->hits;
           |                ^^^^^^^ #2 read in thread `main`, holding `c->mu`
        ...
        11 |     c->hits = 0;
           |     ^^^^^^^ #3 write in thread `worker` (one of several), holding no lock
           |
           = note: #1 runs in thread `worker`, started at main.c:3:9, several at once
                   worker → handle (src/server.c:12:2) → bump (src/server.c:8:2)
           = note: #2 runs in thread `main`
                   main → total (main.c:4:12)
           = note: #3 runs in thread `worker`, started at main.c:3:9, several at once
           = note: `conn.hits` is guarded by `conn.mu` in 7 of 8 accesses
           = doubt: `reset` looks like an initialisation before the threads run

    "#]]
    .assert_eq(&folder.text_with(&report, Appearance::default(), shown));
}

/// A race between two accesses of `x` at the marks, both in `main`.
fn check(content: &str, marks: [&str; 2], expected: Expect) {
    let folder = Folder::new(&[("a.c", content)]);
    let accesses = marks.map(|mark| folder.access("a.c", mark, "x", AccessKind::Write));
    let report = report(vec![race("000000000001", "x", accesses.to_vec())]);
    let text = folder.text(&report);
    expected.assert_eq(text.split("\n\n").next().unwrap());
}

#[test]
fn tabs_wide_characters_and_carriage_returns_keep_the_underline_in_its_place() {
    check(
        "void f(void) {\r\n\t/* äöü 漢字 */\tx = 1;\r\n\tputs(\"😀\"); x = 2;\r\n}\r\n",
        ["x = 1", "x = 2"],
        expect![[r#"
            warning[race]: possible data race on `x` [000000000001] (rank 50)
             --> a.c:2:15
              |
            2 |     /* äöü 漢字 */    x = 1;
              |                       ^ #1 write in thread `main`, holding no lock
            3 |     puts("😀"); x = 2;
              |                 ^ #2 write in thread `main`, holding no lock"#]],
    );
}

#[test]
fn one_place_that_races_with_itself_is_shown_once() {
    check(
        "void f(void) { x = 1; }\n",
        ["x = 1", "x = 1"],
        expect![[r#"
            warning[race]: possible data race on `x` [000000000001] (rank 50)
             --> a.c:1:16
              |
            1 | void f(void) { x = 1; }
              |                ^ #1 and #2 write in thread `main`, holding no lock"#]],
    );
}

#[test]
fn places_that_are_far_apart_get_excerpts_of_their_own() {
    let content = format!("x = 1;\n{}x = 2;\n", "\n".repeat(10_000));
    check(
        &content,
        ["x = 2", "x = 1"],
        expect![[r#"
        warning[race]: possible data race on `x` [000000000001] (rank 50)
             --> a.c:10002:1
              |
        10002 | x = 2;
              | ^ #1 write in thread `main`, holding no lock
              |
             ::: a.c:1:1
              |
            1 | x = 1;
              | ^ #2 write in thread `main`, holding no lock"#]],
    );
}

#[test]
fn an_unknown_length_is_that_of_the_expression_or_else_of_the_word() {
    let folder = Folder::new(&[("a.c", "table[i].count = other_count;\n")]);
    let access = |text: &str, expression: &str| Access {
        length: 0,
        expression: expression.to_owned(),
        ..folder.access("a.c", text, "", AccessKind::Read)
    };
    let accesses = vec![
        access("table", "table[i].count"),
        access("other_count", "(*p).count"),
    ];
    let report = report(vec![race("000000000001", "count", accesses)]);
    expect![[r#"
        warning[race]: possible data race on `count` [000000000001] (rank 50)
         --> a.c:1:1
          |
        1 | table[i].count = other_count;
          | ^^^^^^^^^^^^^^   ^^^^^^^^^^^ #2 read in thread `main`, holding no lock
          | |
          | #1 read in thread `main`, holding no lock

        1 possible data race
        0 translation units, 0 functions, 0 threads, 0 shared locations, 0 accesses, 0.00 s
        for all accesses and call paths of a race, and the comment that accepts it: racelens check --explain 000000000001
    "#]]
    .assert_eq(&folder.text(&report));
}

#[test]
fn files_that_changed_or_vanished_cost_only_their_excerpts() {
    let folder = Folder::new(&[("a.c", "x;\n"), ("gone.c", "x;\n")]);
    let mut late = folder.access("a.c", "x", "x", AccessKind::Read);
    late.place.line = 99;
    let mut wide = folder.access("a.c", "x", "x", AccessKind::Read);
    (wide.place.column, wide.length) = (70, 7);
    let gone = folder.access("gone.c", "x", "x", AccessKind::Write);
    std::fs::remove_file(folder.path("gone.c")).unwrap();
    let report = report(vec![
        race("000000000001", "x", vec![late, gone]),
        race("000000000002", "x", vec![wide]),
        race("000000000003", "x", vec![]),
    ]);
    expect![[r#"
        warning[race]: possible data race on `x` [000000000001] (rank 50)
        --> a.c:99:1
         = note: #1 read in thread `main`, holding no lock
        ::: gone.c:1:1
         = note: #2 write in thread `main`, holding no lock

        warning[race]: possible data race on `x` [000000000002] (rank 50)
         --> a.c:1:3
          |
        1 | x;
          |   ^ #1 read in thread `main`, holding no lock

        warning[race]: possible data race on `x` [000000000003] (rank 50)

        3 possible data races
        0 translation units, 0 functions, 0 threads, 0 shared locations, 0 accesses, 0.00 s
        for all accesses and call paths of a race, and the comment that accepts it: racelens check --explain 000000000001
    "#]]
    .assert_eq(&folder.text(&report));
}

#[test]
fn escape_sequences_in_a_program_do_not_reach_the_terminal() {
    let name = "a\x1b[31m.c";
    let folder = Folder::new(&[(name, "x = \"\x1b[31m\"; /* \u{202e} */\n")]);
    let mut access = folder.access(name, "x", "x", AccessKind::Write);
    access.thread = thread("evil\x1b[2J");
    access.locks = vec![lock("lock\x1b]0;title\x07")];
    access.path = vec![Call {
        function: "called\x1b[H".to_owned(),
        place: access.place.clone(),
    }];
    let race = Race {
        reasons: vec![reason("kind", "reason\x1b[1m\u{202e}\nnext line")],
        ..race("000000000001", "x\x1b[5m", vec![access])
    };
    let text = folder.text(&report(vec![race]));
    let controls: Vec<char> = text
        .chars()
        .filter(|&c| (c.is_control() && c != '\n') || c == '\u{202e}')
        .collect();
    assert_eq!(controls, [], "{text}");
    assert!(text.contains("next line"), "{text}");
}

#[test]
fn names_that_take_several_lines_of_the_source_take_one_of_the_report() {
    let folder = Folder::new(&[("a.c", "x = 1;\n")]);
    let access = Access {
        locks: vec![lock("pick(a,\r\n     b)->mu")],
        ..folder.access("a.c", "x", "x", AccessKind::Write)
    };
    let report = report(vec![race("000000000001", "table[\n  i]", vec![access])]);
    expect![[r#"
        warning[race]: possible data race on `table[ i]` [000000000001] (rank 50)
         --> a.c:1:1
          |
        1 | x = 1;
          | ^ #1 write in thread `main`, holding `pick(a, b)->mu`"#]]
    .assert_eq(folder.text(&report).split("\n\n").next().unwrap());
}

#[test]
fn a_narrow_terminal_gets_shorter_lines() {
    let (folder, mut report) = counter();
    let long = format!(
        "{}\tc->hits = 1; {}",
        "/* left */ ".repeat(9),
        "/* right */".repeat(9)
    );
    std::fs::write(folder.path("src/server.c"), &long).unwrap();
    Arc::make_mut(&mut report.races_mut()[0])
        .accesses
        .truncate(2);
    Arc::make_mut(&mut report.races_mut()[0]).accesses[0].place =
        folder.place("src/server.c", "c->hits");
    let narrow = Appearance {
        width: Some(60),
        in_colour: false,
    };
    expect![[r#"
        warning[race]: possible data race on `conn.hits` [a1b2c3d4e5f6] (rank 87)
         --> src/server.c:1:101
          |
        1 | .../ /* left */     c->hits = 1; /* right *//* right ...
          |                     ^^^^^^^ #1 write in thread `worker` (one of several), holding no lock
          |
         ::: src/stats.c:4:5
          |
        4 |     pthread_mutex_lock(&c->mu);
          |     ------------------ `c->mu` is taken here
        5 |     int hits = c->hits;
          |                ^^^^^^^ #2 read in thread `main`, holding `c->mu`
          |
          = note: #1 runs in thread `worker`, started at
                  main.c:3:9, several at once
                  worker → handle (src/server.c:12:2) → bump
                  (src/server.c:8:2)
          = note: #2 runs in thread `main`
                  main → total (main.c:4:12)
          = note: `conn.hits` is guarded by `conn.mu` in 7 of 8
                  accesses
          = doubt: `reset` looks like an initialisation before
                   the threads run

        1 possible data race
        3 translation units, 6 functions, 2 threads, 1 shared location, 3 accesses, 0.25 s
        for all accesses and call paths of a race, and the comment that accepts it: racelens check --explain a1b2c3d4e5f6
    "#]].assert_eq(&folder.text_with(&report, narrow, Shown::default()));
}

#[test]
fn colour_is_all_that_colour_adds() {
    let (folder, report) = counter();
    let coloured = Appearance {
        in_colour: true,
        width: None,
    };
    let text = folder.text_with(&report, coloured, Shown::default());
    assert!(text.starts_with("\x1b["), "{text:?}");
    assert_eq!(console::strip_ansi_codes(&text), folder.text(&report));
}

#[test]
fn tiers_threads_and_locks_are_named() {
    let folder = Folder::new(&[("a.c", "x = 1;\ny = x;\n")]);
    let writer = Access {
        atomic: true,
        kind: AccessKind::Update,
        thread: Thread {
            started: Some(folder.place("a.c", "y")),
            ..thread("tick")
        },
        locks: vec![
            lock("a"),
            Lock {
                shared: true,
                ..lock("rw")
            },
        ],
        ..folder.access("a.c", "x = 1", "x", AccessKind::Write)
    };
    let reader = folder.access("a.c", "x;", "x", AccessKind::Read);
    let pair = vec![writer, reader];
    let tier = |id: &str, tier| Race {
        tier,
        ..race(id, "x", pair.clone())
    };
    let mut report = report(vec![
        tier("000000000001", Tier::Witnessed),
        tier("000000000002", Tier::ProvenSafe),
        tier("000000000003", Tier::Possible),
    ]);
    let shown = Shown {
        hidden: 4,
        min_rank: 20,
        ..Shown::default()
    };
    expect![[r#"
        error[race]: data race on `x` [000000000001] (rank 50)
         --> a.c:1:1
          |
        1 | x = 1;
          | ^ #1 atomic update in thread `tick`, holding `a` and `rw` for reading
        2 | y = x;
          |     ^ #2 read in thread `main`, holding no lock
          |
          = note: #1 runs in thread `tick`, started at a.c:2:1

        warning[race]: possible data race on `x` [000000000003] (rank 50)
         --> a.c:1:1
          |
        1 | x = 1;
          | ^ #1 atomic update in thread `tick`, holding `a` and `rw` for reading
        2 | y = x;
          |     ^ #2 read in thread `main`, holding no lock
          |
          = note: #1 runs in thread `tick`, started at a.c:2:1

        1 data race witnessed, 1 possible data race, 1 proven safe, 4 below rank 20 not shown
        0 translation units, 0 functions, 0 threads, 0 shared locations, 0 accesses, 0.00 s
        for all accesses and call paths of a race, and the comment that accepts it: racelens check --explain 000000000001
        for races of every rank: racelens check --min-rank 0
    "#]]
    .assert_eq(&folder.text_with(&report, Appearance::default(), shown));
    report.races_mut().drain(..1);
    report.races_mut().pop();
    expect![[r#"
        no data race found, 1 proven safe
        0 translation units, 0 functions, 0 threads, 0 shared locations, 0 accesses, 0.00 s
    "#]]
    .assert_eq(&folder.text(&report));
    let shown = Shown {
        in_full: true,
        ..Shown::default()
    };
    let text = folder.text_with(&report, Appearance::default(), shown);
    expect!["info[race]: proven safe: no data race on `x` [000000000002] (rank 50)"]
        .assert_eq(text.lines().next().unwrap());
}

#[test]
fn long_call_paths_are_whole_only_when_asked_for() {
    let (folder, mut report) = counter();
    let call = report.races[0].accesses[0].path[0].clone();
    Arc::make_mut(&mut report.races_mut()[0]).accesses[0].path = (0..40)
        .map(|number| Call {
            function: format!("f{number}"),
            ..call.clone()
        })
        .collect();
    let text = folder.text(&report);
    assert!(
        text.contains("… 35 calls …") && !text.contains("f20"),
        "{text}"
    );
    let shown = Shown {
        in_full: true,
        ..Shown::default()
    };
    let text = folder.text_with(&report, Appearance::default(), shown);
    assert!(!text.contains('…'), "{text}");
    for number in 0..40 {
        assert!(text.contains(&format!("f{number} (")), "{number}: {text}");
    }
}
