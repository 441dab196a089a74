//! `racelens.toml`: every key, and every way to get one wrong.

use std::time::Duration;

use racelens::project::Project;
use racelens::race_options::{Entries, RaceOptions};

use crate::workspace::Workspace;

fn check_notes(text: &str, expected: &str) {
    let workspace = Workspace::new(&[("a.c", ""), ("racelens.toml", text)]);
    let (_, notes) = workspace.load();
    let notes: Vec<_> = notes
        .into_iter()
        .filter(|note| {
            note.place
                .as_ref()
                .is_some_and(|place| place.path.ends_with("racelens.toml"))
        })
        .collect();
    assert_eq!(workspace.shown(&notes), expected, "{text}");
}

#[test]
fn every_key_is_read() {
    let workspace = Workspace::new(&[
        ("src/a.c", "int a = A;"),
        ("src/skip/b.c", ""),
        ("other/c.c", ""),
        ("out/compile_commands.json", "[]"),
        ("models/rtos.toml", ""),
        (
            "racelens.toml",
            r#"
            [project]
            sources = ["src/**/*.c"]
            exclude = ["src/skip"]
            compile-commands = "out/compile_commands.json"

            [preprocessor]
            compiler = "gcc"
            flags = ["-Iinclude", "-DA=1"]
            timeout-seconds = 5
            max-output-megabytes = 0x10

            [threads]
            entries = ["worker", "on_timer"]
            exported = true
            never-parallel = [["worker", "on_timer"]]

            [check]
            min-rank = 35

            [models]
            files = ["models/rtos.toml"]
            "#,
        ),
    ]);
    let (project, notes) = workspace.load();
    let errors: Vec<_> = notes.iter().filter(|note| note.place.is_some()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let config = &project.config;
    assert_eq!(
        config.compile_commands,
        Some(workspace.path("out/compile_commands.json"))
    );
    assert_eq!(config.preprocessor.compiler.as_deref(), Some("gcc"));
    assert_eq!(
        config.preprocessor.flags,
        ["-I", workspace.path("include").to_str().unwrap(), "-DA=1"]
    );
    assert_eq!(config.preprocessor.timeout, Duration::from_secs(5));
    assert_eq!(config.preprocessor.max_output_bytes, 16 << 20);
    assert_eq!(config.threads.entries, ["worker", "on_timer"]);
    assert!(config.threads.exported);
    assert_eq!(
        config.threads.never_parallel,
        [("worker".to_owned(), "on_timer".to_owned())]
    );
    assert_eq!(config.check.min_rank, Some(35));
    assert_eq!(config.models, [workspace.path("models/rtos.toml")]);
    for (file, included) in [
        ("src/a.c", true),
        ("src/skip/b.c", false),
        ("other/c.c", false),
    ] {
        assert_eq!(config.includes(&workspace.path(file)), included, "{file}");
    }
}

#[test]
fn all_errors_are_reported_with_their_places() {
    check_notes(
        "[project]\nsource = []\nexclude = [\"ok\", 3]\n\n[threads]\nexported = \"yes\"\n[thread]\n",
        "$W/racelens.toml:2:1: error: unknown key `project.source`\n  help: did you mean `sources`?\n\
         $W/racelens.toml:3:18: error: `an element of project.exclude` must be a string, not a whole number\n  help: change it to a string\n\
         $W/racelens.toml:6:12: error: `threads.exported` must be true or false, not a string\n  help: change it to true or false\n\
         $W/racelens.toml:7:2: error: unknown key `thread`\n  help: did you mean `threads`?",
    );
}

#[test]
fn each_kind_of_error_says_what_to_do() {
    for (text, expected) in [
        (
            "zzz = 1",
            "1:1: error: unknown key `zzz`\n  help: known here: project, preprocessor, threads, check, models",
        ),
        (
            "project = 3",
            "1:11: error: `project` must be a table, not a whole number\n  help: change it to a table",
        ),
        (
            "[project]\nsources = \"src\"",
            "2:11: error: `project.sources` must be a list of strings, not a string\n  help: change it to a list of strings",
        ),
        (
            "[project]\nsources = [\"../x\"]",
            "2:12: error: `../x` leads out of the project\n  help: write the path relative to the directory of racelens.toml, without `..`",
        ),
        (
            "[project]\ncompile-commands = \"x.json\"",
            "2:20: error: `x.json` does not exist\n  help: correct the path; it is relative to the directory of racelens.toml",
        ),
        (
            "[preprocessor]\ntimeout-seconds = 0",
            "2:19: error: `preprocessor.timeout-seconds` is out of range\n  help: write a number from 1 to 3600",
        ),
        (
            "[preprocessor]\ntimeout-seconds = 1.5",
            "2:19: error: `preprocessor.timeout-seconds` must be a whole number, not a fraction\n  help: change it to a whole number",
        ),
        (
            "[preprocessor]\nflags = [\"-DA\", \"-fplugin=x.so\"]",
            "2:17: error: `-fplugin=x.so` is not passed to the preprocessor: it can load code into the compiler\n  \
             help: remove it; flags like -I, -D, -U, -include and -std are passed",
        ),
        (
            "[preprocessor]\ncompiler = \"\"",
            "2:12: error: `preprocessor.compiler` is empty\n  help: give it a value, or remove it",
        ),
        (
            "[threads]\nentries = [\"f()\"]",
            "2:12: error: `f()` is not the name of a C function\n  help: write the name alone, without parentheses or arguments",
        ),
        (
            "[threads]\nnever-parallel = [[\"a\", \"b\", \"c\"]]",
            "2:19: error: a pair in `threads.never-parallel` has two functions, not 3\n  help: write it as [\"first\", \"second\"]",
        ),
        (
            "[check]\nmin_rank = 3",
            "2:1: error: unknown key `check.min_rank`\n  help: did you mean `min-rank`?",
        ),
        (
            "[check]\nmin-rank = 101",
            "2:12: error: `check.min-rank` is out of range\n  help: write a number from 0 to 100",
        ),
        (
            "[check]\nentries = \"exported\"",
            "2:11: error: `check.entries` has no effect: what begins a thread is said under [threads]\n  \
             help: write `exported = true` or `entries = [\"function\"]` under [threads]",
        ),
    ] {
        check_notes(text, &format!("$W/racelens.toml:{expected}"));
    }
}

#[test]
fn the_command_line_decides_about_entries_before_the_configuration_does() {
    let entries = |config: &str, asked: Option<Entries>| {
        let files = Workspace::new(&[("a.c", ""), ("racelens.toml", config)]);
        let loaded = racelens::workspace::Workspace::load(&files.options(), Some(1)).unwrap();
        RaceOptions::new(&loaded, asked).entries
    };
    let exported = "[threads]\nexported = true\n";
    assert_eq!(entries("", None), Entries::Threads);
    assert_eq!(entries(exported, None), Entries::Exported);
    assert_eq!(entries(exported, Some(Entries::Threads)), Entries::Threads);
    assert_eq!(entries("", Some(Entries::Exported)), Entries::Exported);
}

#[test]
fn broken_syntax_is_a_note_and_the_rest_counts() {
    let workspace = Workspace::new(&[
        ("a.c", ""),
        (
            "racelens.toml",
            "[threads]\nexported = true\nentries = [\n[project\n",
        ),
    ]);
    let (project, notes) = workspace.load();
    assert!(
        notes[0].message.starts_with("this is not valid TOML"),
        "{}",
        notes[0]
    );
    assert_eq!(
        notes[0].place.as_ref().unwrap().path,
        workspace.path("racelens.toml")
    );
    assert!(project.config.threads.exported);
}

#[test]
fn a_configuration_that_the_user_names_must_be_there() {
    let workspace = Workspace::new(&[("a.c", "")]);
    let mut options = workspace.options();
    options.config = Some("gone.toml".into());
    let (project, notes) = Project::load(&options);
    assert!(
        notes[0].message.contains("gone.toml does not exist"),
        "{}",
        notes[0]
    );
    assert_eq!(project.units.len(), 1);
}
