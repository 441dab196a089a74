//! `racelens check` as a user runs it. How findings look is tested on reports made by hand.

use crate::program::{GOOD, Program};
use crate::schema;
use expect_test::expect;
use serde_json::Value;

#[test]
fn help_names_every_option() {
    Program::new(&[]).check(&["check", "--help"], expect![[r#"
        Find data races

        Usage: racelens check [OPTIONS] [PATHS]...

        Arguments:
          [PATHS]...  C files and directories to read [default: the current directory]

        Options:
              --database <FILE>          Use this compile_commands.json, not the one in the project's root, build or builddir
              --config <FILE>            Use this racelens.toml, not the one in the project's root
              --compiler <PROGRAM>       Preprocess with this compiler, given by name or path
              --preprocessed <PATH>...   Read text that is preprocessed already: .i files, or directories with such files
              --jobs <N>                 Use this many threads, from 1 to 1024 [default: one for each core]
              --cache-dir <DIRECTORY>    Keep results for the next start in this directory [default: racelens below $XDG_CACHE_HOME or ~/.cache]
              --cache-size <N>           Let that directory have at most so many megabytes [default: 1024]
              --no-cache                 Neither use nor keep results of earlier runs
              --format <FORMAT>          How to write the result: for people, for programs, for code scanning, as a page for a browser [default: text] [possible values: text, json, sarif, html]
              --min-rank <N>             Report only races of this rank or higher, from 0 to 100 [default: 20, or what racelens.toml says]
              --explain <ID>             Report only the race with this id, with all its accesses and whole call paths
              --baseline <FILE>          Report only races that this file, which --write-baseline wrote, does not have
              --write-baseline <FILE>    Write all races of the program to this file: from then on they are known
              --entries <ENTRIES>        Which functions begin threads: those that the program starts, or also every one that other files can call [default: threads, or what racelens.toml says] [possible values: threads, exported]
              --verify                   Look for an interleaving of every race that is reported, and report it
              --verify-budget <SECONDS>  With --verify: give up after so many seconds in total [default: 60]
              --output <FILE>            Write the result to this file, which is replaced as a whole, and not to standard output
              --color <COLOR>            When to write in colour [default: auto] [possible values: auto, always, never]
          -h, --help                     Print help

        Exit status:
          0  no race was found, and no lock annotation is violated
          1  there are races or violated lock annotations
          2  nothing could be analysed, there is no race with the id of --explain, a baseline could not be read or
             written, or the command line is wrong
        exit status 0
    "#]]);
}

#[test]
fn a_program_with_one_thread_is_clean() {
    let program = Program::built(&[GOOD]);
    let run = program.run(&["check"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    let mut lines = run.output.lines();
    assert_eq!(lines.next(), Some("no data race found"));
    let stats = lines.next().unwrap();
    assert!(
        stats.starts_with("1 translation unit, 1 function, "),
        "{stats}"
    );
    assert!(stats.ends_with(", N s"), "{stats}");
    assert_eq!(lines.next(), None);
}

#[test]
fn json_is_as_the_schema_says_and_has_the_notes() {
    let program = Program::new(&[GOOD, ("broken.c", "int broken(void) { return 1 +; }\n")]);
    let report = |arguments: &[&str]| {
        let run = program.run(arguments);
        assert_eq!((run.status, run.notes.as_str()), (0, ""));
        let mut report: Value = serde_json::from_str(&run.output).unwrap();
        assert_eq!(schema::errors(&schema::of_reports(), &report), [""; 0]);
        assert!(report["stats"]["seconds"].take().is_f64());
        report
    };
    let first = report(&["check", "--format", "json"]);
    assert_eq!(first["version"], 1);
    assert_eq!(first["stats"]["units"], 2);
    let syntax = first["notes"].as_array().unwrap().iter();
    let syntax = syntax.filter(|note| note["place"]["file"] == "broken.c");
    let messages: Vec<&Value> = syntax.map(|note| &note["message"]).collect();
    assert_eq!(
        messages,
        ["function `broken` is not analysed: `;` is not expected here"]
    );
    assert_eq!(first, report(&["check", "--format", "json", "--jobs", "1"]));
}

#[test]
fn sarif_names_files_from_the_top_of_the_repository() {
    let program = Program::new(&[("sub/broken.c", "int f(void) { return 1 +; }\n")]);
    program.write(".git/HEAD", b"ref: refs/heads/main\n");
    let mut command = program.command(&["check", "--format", "sarif", "."]);
    command.current_dir(program.path("sub"));
    let run = program.finish(command);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    let log: Value = serde_json::from_str(&run.output).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["results"], Value::Array(Vec::new()));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let notes = &run["invocations"][0]["toolExecutionNotifications"];
    let with_place = notes.as_array().unwrap().iter().find_map(|note| {
        let place = &note["locations"][0]["physicalLocation"];
        place["artifactLocation"]["uri"].as_str()
    });
    assert_eq!(with_place, Some("sub/broken.c"));
}

#[test]
fn where_nothing_can_be_analysed_the_status_says_so_in_every_format() {
    let program = Program::new(&[]);
    for format in ["text", "json", "sarif"] {
        let run = program.run(&["check", "gone.c", "--format", format]);
        assert_eq!(run.status, 2, "{format}");
        assert!(
            run.notes.ends_with("nothing was analysed\n"),
            "{}",
            run.notes
        );
    }
    program.check(
        &["check", "gone.c"],
        expect![[r#"
        error: $W/gone.c does not exist
          help: name a C source file or a directory with some
        nothing was analysed
        exit status 2
    "#]],
    );
}

#[test]
fn a_race_that_is_not_there_cannot_be_explained() {
    Program::built(&[GOOD]).check(&["check", "--explain", "0123456789ab"], expect![[r#"
        error: there is no race with the id `0123456789ab`
          help: `racelens check` on the same files shows the ids of all races; an id changes when the code of its race does
        exit status 2
    "#]]);
}

#[test]
fn wrong_arguments_are_named() {
    let program = Program::built(&[GOOD]);
    for (option, value, message) in [
        ("--min-rank", "101", "101 is not in 0..=100"),
        ("--min-rank", "-1", "unexpected argument '-1'"),
        (
            "--format",
            "xml",
            "[possible values: text, json, sarif, html]",
        ),
        ("--entries", "all", "[possible values: threads, exported]"),
        ("--color", "red", "[possible values: auto, always, never]"),
    ] {
        let run = program.run(&["check", option, value]);
        assert_eq!((run.status, run.output.as_str()), (2, ""), "{option}");
        assert!(run.notes.contains(message), "{option}: {}", run.notes);
    }
}

#[test]
fn every_accepted_option_runs() {
    let program = Program::built(&[GOOD]);
    for options in [
        ["--min-rank", "100"],
        ["--entries", "threads"],
        ["--entries", "exported"],
        ["--jobs", "1"],
    ] {
        let arguments: Vec<&str> = ["check"].into_iter().chain(options).collect();
        let run = program.run(&arguments);
        // What is exported may be called by several threads, but this function only reads.
        assert_eq!((run.status, run.notes.as_str()), (0, ""), "{options:?}");
    }
}

#[test]
fn colour_comes_when_it_is_asked_for() {
    let program = Program::new(&[GOOD]);
    for (choice, is_coloured) in [("always", true), ("never", false), ("auto", false)] {
        let run = program.run(&["check", "--color", choice]);
        assert_eq!(run.output.contains("\x1b["), is_coloured, "{}", run.output);
        assert_eq!(run.notes.contains("\x1b["), is_coloured, "{}", run.notes);
    }
}
