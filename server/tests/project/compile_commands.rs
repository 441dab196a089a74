//! Compilation databases as build systems write them, and broken ones.

use racelens::project::compile_commands::{CompileEntry, parse};
use racelens::project::note::Severity;

use crate::workspace::Workspace;

fn check(workspace: &Workspace, text: &str) -> (Vec<CompileEntry>, String) {
    let (entries, notes) = parse(&workspace.path("build/compile_commands.json"), text);
    (entries, workspace.shown(&notes))
}

#[test]
fn both_forms_of_commands_and_relative_paths_are_read() {
    let workspace = Workspace::new(&[("src/a.c", ""), ("src/b c.c", "")]);
    let text = "\u{feff}[
        {\"directory\": \".\", \"file\": \"../src/a.c\", \"command\": \"gcc -DA='1 2' -I\\\"x y\\\" -c ../src/a.c\"},
        {\"directory\": \"../src\", \"file\": \"b c.c\", \"arguments\": [\"ccache\", \"clang\", \"-DB\", \"-c\", \"./b c.c\"], \"output\": \"b.o\"}
    ]";
    let (entries, notes) = check(&workspace, text);
    assert_eq!(notes, "");
    let expected = [
        CompileEntry {
            file: workspace.path("src/a.c"),
            directory: workspace.path("build"),
            spelling: "../src/a.c".to_owned(),
            program: "gcc".to_owned(),
            arguments: vec![
                "-DA=1 2".to_owned(),
                "-I".to_owned(),
                workspace.path("build/x y").to_str().unwrap().to_owned(),
            ],
        },
        CompileEntry {
            file: workspace.path("src/b c.c"),
            directory: workspace.path("src"),
            spelling: "./b c.c".to_owned(),
            program: "clang".to_owned(),
            arguments: vec!["-DB".to_owned()],
        },
    ];
    assert_eq!(entries, expected);
}

#[test]
fn identical_entries_are_one_and_different_flags_are_two() {
    let workspace = Workspace::new(&[("build/a.c", "")]);
    let entry = |flags: &str| {
        format!(r#"{{"directory": ".", "file": "a.c", "command": "gcc {flags} -c a.c"}}"#)
    };
    let text = format!(
        "[{}, {}, {}, {}]",
        entry("-DX"),
        entry("-DX -o x.o"),
        entry("-DY"),
        entry("-DX")
    );
    let (entries, notes) = check(&workspace, &text);
    assert_eq!(notes, "");
    let arguments: Vec<_> = entries
        .iter()
        .map(|entry| entry.arguments.join(" "))
        .collect();
    assert_eq!(arguments, ["-DX", "-DY"]);
}

#[test]
fn other_languages_are_summed_up_and_absent_files_ask_for_a_build() {
    let workspace = Workspace::new(&[
        ("build/a.c", ""),
        ("build/b.cpp", ""),
        ("build/c.S", ""),
        ("build/d.c", ""),
        ("build/e.inc", ""),
    ]);
    let text = r#"[
 {"directory": ".", "file": "a.c", "command": "gcc -c a.c"},
 {"directory": ".", "file": "b.cpp", "command": "g++ -c b.cpp"},
 {"directory": ".", "file": "c.S", "command": "gcc -c c.S"},
 {"directory": ".", "file": "d.c", "command": "g++ -c d.c"},
 {"directory": ".", "file": "a.c", "command": "gcc -x c++ -c a.c"},
 {"directory": ".", "file": "e.inc", "command": "gcc -x c -c e.inc"},
 {"directory": ".", "file": "gen/x.c", "command": "gcc -c gen/x.c"},
 {"directory": ".", "file": "gen/y.c", "command": "gcc -c gen/y.c"}
]"#;
    let (entries, notes) = check(&workspace, text);
    let files: Vec<_> = entries.iter().map(|entry| entry.file.clone()).collect();
    assert_eq!(
        files,
        [workspace.path("build/a.c"), workspace.path("build/e.inc")]
    );
    assert_eq!(
        notes,
        "$W/build/compile_commands.json:8:2: warning: $W/build/gen/x.c does not exist (and 1 other file) and is left out\n  \
           help: build the project first, so that generated files are there\n\
         $W/build/compile_commands.json:1:1: information: 4 entries for other languages than C left out"
    );
}

#[test]
fn a_malformed_entry_costs_only_itself() {
    let workspace = Workspace::new(&[("build/a.c", ""), ("build/b.c", "")]);
    let good = |name: &str| {
        format!(r#"{{"directory": ".", "file": "{name}", "command": "gcc -c {name}"}}"#)
    };
    for (bad, line, column, message) in [
        (
            r#"{"directory": ".", "file": 3, "command": "gcc"}"#,
            2,
            28,
            "invalid type: integer `3`",
        ),
        (
            "{\"directory\": \".\",\n \"file\": [], \"command\": \"gcc\"}",
            3,
            9,
            "invalid type: sequence",
        ),
        (
            r#"{"directory": ".", "command": "gcc"}"#,
            2,
            36,
            "missing field `file`",
        ),
        (
            r#"{"directory": ".", "file": "x.c"}"#,
            2,
            1,
            "neither `command` nor `arguments`",
        ),
        (
            r#"{"directory": ".", "file": "x.c", "command": "gcc 'x"}"#,
            2,
            1,
            "a quote that is never closed",
        ),
        (
            r#"{"directory": ".", "file": "x.c", "arguments": []}"#,
            2,
            1,
            "the command is empty",
        ),
        ("7", 2, 1, "invalid type: integer `7`"),
        ("null", 2, 4, "invalid type: null"),
    ] {
        let text = format!("[{},\n{bad},\n{}]", good("a.c"), good("b.c"));
        let (entries, notes) = parse(&workspace.path("build/compile_commands.json"), &text);
        assert_eq!(entries.len(), 2, "{bad}");
        assert_eq!(notes.len(), 1, "{bad}");
        assert_eq!(notes[0].severity, Severity::Error);
        assert!(notes[0].message.contains(message), "{bad}: {}", notes[0]);
        let place = notes[0].place.as_ref().unwrap();
        assert_eq!((place.line, place.column), (line, column), "{bad}");
    }
}

#[test]
fn malformed_json_keeps_what_stands_before_it() {
    let workspace = Workspace::new(&[("build/a.c", "")]);
    let good = r#"{"directory": ".", "file": "a.c", "command": "gcc -c a.c"}"#;
    for (text, entries, place, message) in [
        (
            format!("[{good},\n{{\"directory\": "),
            1,
            (2, 14),
            "EOF while parsing",
        ),
        (format!("[{good},\n]"), 1, (2, 1), "trailing comma"),
        (format!("[{good}]\nx"), 1, (2, 1), "trailing characters"),
        (String::new(), 0, (1, 1), "EOF while parsing"),
        ("{}".to_owned(), 0, (1, 1), "expected a list of entries"),
        ("[[[[".repeat(10_000), 0, (1, 0), ""),
    ] {
        let (found, notes) = parse(&workspace.path("build/compile_commands.json"), &text);
        assert_eq!(found.len(), entries, "{message}");
        assert_eq!(notes.len(), 1, "{message}");
        assert!(notes[0].message.contains(message), "{}", notes[0]);
        assert!(
            notes[0]
                .help
                .as_ref()
                .unwrap()
                .contains("CMAKE_EXPORT_COMPILE_COMMANDS")
        );
        let found = notes[0].place.as_ref().unwrap();
        if place.1 > 0 {
            assert_eq!((found.line, found.column), place, "{}", notes[0]);
        }
    }
}

#[test]
fn refused_flags_are_reported_once_per_kind() {
    let workspace = Workspace::new(&[]);
    let mut entries = Vec::new();
    for number in 0..2000 {
        let name = format!("f{number}.c");
        workspace.write(&format!("build/{name}"), b"");
        entries.push(format!(
            r#"{{"directory": ".", "file": "{name}", "command": "gcc -fplugin=a.so -fplugin-arg-a-b -B{number} -c {name}"}}"#
        ));
    }
    let (found, notes) = check(&workspace, &format!("[{}]", entries.join(",")));
    assert_eq!(found.len(), 2000);
    let first_lines: Vec<_> = notes
        .lines()
        .filter(|line| !line.starts_with("  "))
        .collect();
    assert_eq!(
        first_lines,
        [
            "$W/build/compile_commands.json:1:2: information: `-fplugin=a.so` is not passed to the preprocessor: \
             it can load code into the compiler (2000 entries)",
            "$W/build/compile_commands.json:1:2: information: `-B0` is not passed to the preprocessor: \
             it can choose which program runs (2000 entries)",
        ]
    );
}
