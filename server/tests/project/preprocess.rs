//! Preprocessing with the real compiler: the same text as by hand, and text whatever is wrong.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use racelens::project::note::Severity;
use racelens::project::{Project, TranslationUnit};

use crate::workspace::{Workspace, code, database};

/// What `gcc -E` itself makes of `file` in `directory`, with absolute names in its line markers.
fn by_hand(directory: &Path, arguments: &[&str], file: &str) -> String {
    let output = Command::new("gcc")
        .arg("-E")
        .args(arguments)
        .arg(file)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| match line.split_once(" \"") {
        Some((number, rest)) if number.starts_with("# ") && !rest.starts_with(['/', '<']) => {
            let (name, flags) = rest.split_once('"').unwrap();
            let mut path = std::path::PathBuf::new();
            for part in directory.join(name).components() {
                match part {
                    std::path::Component::ParentDir => drop(path.pop()),
                    std::path::Component::CurDir => {}
                    part => path.push(part),
                }
            }
            format!("{number} \"{}\"{flags}", path.display())
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_text_is_that_of_the_compiler_run_by_hand() {
    let main = "#include \"n.h\"\n#include \"x.h\"\n#include <stddef.h>\n#include_next \"x.h\"\n\
                const char *f = __FILE__, *b = __BASE_FILE__;\nint line = __LINE__;\n\
                #if __has_include(\"only_cwd.h\")\nint wrong;\n#endif\n#define M(a) a\nint m = M(\n1);\n";
    let workspace = Workspace::new(&[
        ("src/main.c", main),
        (
            "src/n.h",
            "#include \"deep/d.h\"\nconst char *n = __FILE__;\n",
        ),
        (
            "src/deep/d.h",
            "#include \"../up.h\"\nconst char *d = __FILE__;\n",
        ),
        ("src/up.h", "int up;\n"),
        ("src/x.h", "int from_src;\n#include_next <x.h>\n"),
        // The compiler runs here, but a file elsewhere does not find its headers here.
        ("x.h", "int from_working_directory;\n"),
        ("only_cwd.h", ""),
        ("include/x.h", "int from_include;\n"),
        ("build/keep", ""),
    ]);
    for (directory, file) in [
        ("", "src/main.c"),
        ("build", "../src/main.c"),
        ("src", "main.c"),
        ("src", "./main.c"),
    ] {
        let directory = workspace.path(directory);
        let include = workspace.path("include");
        let include = include.to_str().unwrap();
        let command = format!("gcc -I {include} -DA=1 -c {file}");
        workspace.write(
            "compile_commands.json",
            database(&directory, &[(file, &command)]).as_bytes(),
        );
        let preprocessed = workspace.preprocess_only_file().unwrap();
        assert_eq!(preprocessed.notes, []);
        assert_eq!(
            preprocessed.text.lines().collect::<Vec<_>>().join("\n"),
            by_hand(&directory, &["-I", include, "-DA=1"], file),
            "{file}"
        );
        let own: Vec<_> = preprocessed
            .headers
            .iter()
            .filter_map(|header| header.strip_prefix(workspace.root()).ok())
            .collect();
        let expected = [
            "include/x.h",
            "src/deep/d.h",
            "src/n.h",
            "src/up.h",
            "src/x.h",
        ];
        assert_eq!(own, expected.map(Path::new), "{file}");
        assert!(preprocessed.headers.is_sorted());
    }
}

#[test]
fn unsaved_text_is_preprocessed_in_place_of_the_file() {
    let workspace = Workspace::new(&[("s/a.c", "int saved;\n"), ("s/n.h", "int n;\n")]);
    let (project, _) = workspace.load();
    let unsaved = HashMap::from([(
        workspace.path("s/a.c"),
        "\n#include \"n.h\"\nint unsaved = __LINE__;".into(),
    )]);
    let preprocessed = project.preprocess_all(&unsaved).remove(0).1.unwrap();
    assert_eq!(code(&preprocessed), ["int n;", "int unsaved = 3;"]);
    assert!(preprocessed.headers.contains(&workspace.path("s/n.h")));
}

#[test]
fn missing_headers_cost_only_what_they_declare() {
    let workspace = Workspace::new(&[
        (
            "src/a.c",
            "#include \"gone.h\"\nint a;\n#include <far/gone.h>\n#include \"n.h\"\n#include \"../up.h\"\nint b;\n\
             # include \"/nowhere/absolute.h\"\nint c = __LINE__;\n#include \"findable.h\"\n",
        ),
        ("src/n.h", "int n1;\n#include \"nested/gone.h\"\nint n2;\n"),
        ("lib/include/findable.h", ""),
    ]);
    let commands = [("src/a.c", "gcc -c src/a.c")];
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &commands).as_bytes(),
    );
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(
        code(&preprocessed),
        ["int a;", "int n1;", "int n2;", "int b;", "int c = 8;"]
    );
    let notes: Vec<String> = preprocessed
        .notes
        .iter()
        .map(|note| workspace.hide_root(&note.to_string()))
        .collect();
    let first_lines: Vec<&str> = notes
        .iter()
        .map(|note| note.lines().next().unwrap())
        .collect();
    assert_eq!(
        first_lines,
        [
            "$W/src/a.c:1:10: warning: `gone.h` was not found; what it declares is unknown here",
            "$W/src/a.c:3:10: warning: `far/gone.h` was not found; what it declares is unknown here",
            "$W/src/n.h:2:10: warning: `nested/gone.h` was not found; what it declares is unknown here",
            "$W/src/a.c:5:10: warning: `../up.h` was not found; what it declares is unknown here",
            "$W/src/a.c:7:11: warning: `/nowhere/absolute.h` was not found; what it declares is unknown here",
            "$W/src/a.c:9:10: warning: `findable.h` was not found; what it declares is unknown here",
        ]
    );
    assert!(notes[5].contains("add `-I$W/lib/include`"), "{}", notes[5]);
    assert!(preprocessed.headers.contains(&workspace.path("src/n.h")));
    assert!(
        !preprocessed.text.contains("stubs"),
        "{}",
        preprocessed.text
    );
}

#[test]
fn without_a_command_headers_are_found_in_the_project() {
    let workspace = Workspace::new(&[
        ("src/a.c", "#include \"lib/x.h\"\n#include <lib/y.h>\n"),
        ("inc/lib/x.h", "int x;\n"),
        ("inc/lib/y.h", "int y;\n"),
    ]);
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(code(&preprocessed), ["int x;", "int y;"]);
    assert_eq!(
        workspace.shown(&preprocessed.notes),
        "$W/src/a.c:1:10: information: `lib/x.h` is taken from $W/inc, although no flag names that directory\n  \
         help: add `-I$W/inc` to `flags` under [preprocessor] in racelens.toml, or to the build"
    );
}

#[test]
fn a_header_that_was_missing_is_found_once_it_is_there() {
    let workspace = Workspace::new(&[("a.c", "#include \"late.h\"\n")]);
    let (project, _) = workspace.load();
    let before = project
        .preprocessor
        .preprocess(&project.units[0], None)
        .unwrap();
    assert_eq!(before.notes.len(), 1);
    workspace.write("late.h", b"int late;\n");
    let after = project
        .preprocessor
        .preprocess(&project.units[0], None)
        .unwrap();
    assert_eq!(
        (code(&after).as_slice(), after.notes.as_slice()),
        (["int late;".to_owned()].as_slice(), [].as_slice())
    );
}

#[test]
fn forced_headers_that_are_missing_are_left_out() {
    let workspace = Workspace::new(&[("a.c", "int a;\n"), ("there.h", "int there;\n")]);
    let command = "gcc -include gone.h -include /nowhere/gone.h -include there.h -c a.c";
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &[("a.c", command)]).as_bytes(),
    );
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(code(&preprocessed), ["int there;", "int a;"]);
    assert_eq!(preprocessed.notes.len(), 2);
}

#[test]
fn too_many_missing_headers_end_with_what_there_is() {
    let mut main = "int first;\n".to_owned();
    for number in 0..70 {
        main.push_str(&format!("#include \"gone{number}.h\"\n"));
    }
    let workspace = Workspace::new(&[("a.c", &main)]);
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(code(&preprocessed), ["int first;"]);
    let last = preprocessed.notes.last().unwrap();
    assert!(
        last.message.contains("what follows it is not analysed"),
        "{last}"
    );
}

#[test]
fn an_error_directive_is_a_note_and_the_text_remains() {
    let workspace = Workspace::new(&[("a.c", "int a;\n#error \"no way\"\nint b;\n")]);
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(code(&preprocessed), ["int a;", "int b;"]);
    assert_eq!(
        workspace.shown(&preprocessed.notes),
        "$W/a.c:2:2: warning: the preprocessor reports: #error \"no way\""
    );
}

#[test]
fn odd_files_are_read_or_refused_with_a_note() {
    let many_lines = "int x;\r\n".repeat(3);
    for (content, expected_code, expected_note) in [
        (b"int a;\0int b;".as_slice(), None, "a binary file"),
        (b"\xff\xfei\0n\0t\0", None, "is UTF-16 text"),
        (
            b"char *s = \"\xe9\";\n",
            Some(vec!["char *s = \"\u{fffd}\";"]),
            "$W/a.c:1:12: information: this file is not valid UTF-8",
        ),
        (b"\xef\xbb\xbfint a;\n", Some(vec!["int a;"]), ""),
        (b"", Some(vec![]), ""),
        (b"int a;", Some(vec!["int a;"]), ""),
        (many_lines.as_bytes(), Some(vec!["int x;"; 3]), ""),
    ] {
        let workspace = Workspace::new(&[]);
        workspace.write("a.c", content);
        match (workspace.preprocess_only_file(), expected_code) {
            (Ok(preprocessed), Some(expected)) => {
                assert_eq!(code(&preprocessed), expected);
                let notes = workspace.shown(&preprocessed.notes);
                assert!(notes.contains(expected_note), "{notes}");
                assert_eq!(notes.is_empty(), expected_note.is_empty(), "{notes}");
            }
            (Err(note), None) => {
                assert_eq!(note.severity, Severity::Error);
                assert!(note.message.contains(expected_note), "{note}");
                assert!(note.help.is_some());
            }
            (result, expected) => panic!("{result:?} instead of {expected:?}"),
        }
    }
}

#[test]
fn a_header_that_is_not_utf8_is_read_with_a_note() {
    let workspace = Workspace::new(&[("a.c", "#include \"n.h\"\n")]);
    workspace.write("n.h", b"char *s = \"\xe9\"; /* \xe9 */\n");
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(code(&preprocessed), ["char *s = \"\u{fffd}\";"]);
    assert_eq!(preprocessed.notes.len(), 1);
}

#[test]
fn a_file_of_fifty_megabytes_is_preprocessed() {
    let workspace = Workspace::new(&[]);
    let mut content = format!("/* {} */\n", "x".repeat(1020)).repeat(50 * 1024);
    content.push_str("int last;\n");
    assert!(content.len() > 50_000_000);
    workspace.write("a.c", content.as_bytes());
    assert_eq!(
        code(&workspace.preprocess_only_file().unwrap()),
        ["int last;"]
    );
}

#[test]
fn a_file_that_vanished_and_one_that_is_a_directory_are_notes() {
    let workspace = Workspace::new(&[("a.c", ""), ("b.c", ""), ("c.c", "int c;")]);
    let (project, _) = workspace.load();
    std::fs::remove_file(workspace.path("a.c")).unwrap();
    std::fs::remove_file(workspace.path("b.c")).unwrap();
    std::fs::create_dir(workspace.path("b.c")).unwrap();
    let results = project.preprocess_all(&HashMap::new());
    assert_eq!(
        results.iter().map(|(index, _)| *index).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert!(
        results[0]
            .1
            .as_ref()
            .unwrap_err()
            .message
            .ends_with("this file does not exist")
    );
    assert!(
        results[1]
            .1
            .as_ref()
            .unwrap_err()
            .message
            .ends_with("this is not a regular file")
    );
    assert!(results[2].1.is_ok());
}

#[test]
fn limits_on_time_and_output_stop_the_compiler() {
    let bomb = "#define A x x x x x x x x\n#define B A A A A A A A A\n#define C B B B B B B B B\n\
                #define D C C C C C C C C\n#define E D D D D D D D D\n#define F E E E E E E E E\n\
                F F F F F F F F\n";
    let workspace = Workspace::new(&[
        ("a.c", bomb),
        (
            "racelens.toml",
            "[preprocessor]\nmax-output-megabytes = 1\ntimeout-seconds = 3600\n",
        ),
    ]);
    let note = workspace.preprocess_only_file().unwrap_err();
    assert!(note.message.contains("more than 1 MiB"), "{note}");

    // A compiler that never ends: the user's own, since no other would be run.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let workspace = Workspace::new(&[
            ("a.c", "int a;"),
            ("slow", "#!/bin/sh\nsleep 1000\n"),
            ("racelens.toml", "[preprocessor]\ntimeout-seconds = 1\n"),
        ]);
        let slow = workspace.path("slow");
        std::fs::set_permissions(&slow, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut options = workspace.options();
        options.compiler = Some(slow);
        let (project, _) = Project::load(&options);
        assert_eq!(project.config.preprocessor.timeout, Duration::from_secs(1));
        let note = project
            .preprocessor
            .preprocess(&project.units[0], None)
            .unwrap_err();
        assert!(note.message.contains("longer than 1 seconds"), "{note}");
    }
}

#[test]
fn flags_of_another_compiler_are_left_out_with_a_note() {
    let workspace = Workspace::new(&[("a.c", "int a = A;\n")]);
    let command = "gcc -mthumb -march=armv7-a --target=arm-none-eabi -DA=1 -c a.c";
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &[("a.c", command)]).as_bytes(),
    );
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(code(&preprocessed), ["int a = 1;"]);
    assert_eq!(
        preprocessed.notes.len(),
        3,
        "{}",
        workspace.shown(&preprocessed.notes)
    );
}

#[test]
fn names_with_blanks_quotes_and_umlauts_come_through() {
    let name = "a b/ü \"q\" \\.c";
    let workspace = Workspace::new(&[
        (name, "#include \"ö.h\"\nconst char *f = __FILE__;\n"),
        ("a b/ö.h", "int o;\n"),
    ]);
    let preprocessed = workspace.preprocess_only_file().unwrap();
    assert_eq!(
        code(&preprocessed),
        ["int o;", "const char *f = \"a b/ü \\\"q\\\" \\\\.c\";"]
    );
    assert!(preprocessed.headers.contains(&workspace.path("a b/ö.h")));
}

#[test]
fn an_unchanged_unit_comes_from_the_cache_until_a_header_changes() {
    let workspace = Workspace::new(&[("a.c", "#include \"n.h\"\n"), ("n.h", "int one;\n")]);
    let (project, _) = workspace.load();
    let unit = &project.units[0];
    // A header that is only just written may change again unseen; such a result is not kept.
    std::thread::sleep(Duration::from_millis(100));
    let counters = |project: &Project| {
        let counters = project.preprocessor.cache_counters();
        (counters.hits, counters.misses)
    };
    let first = project.preprocessor.preprocess(unit, None).unwrap();
    assert_eq!(project.preprocessor.preprocess(unit, None).unwrap(), first);
    assert_eq!(counters(&project), (1, 1));

    let other_flags = TranslationUnit {
        arguments: vec!["-DX".to_owned()],
        ..unit.clone()
    };
    project.preprocessor.preprocess(&other_flags, None).unwrap();
    project
        .preprocessor
        .preprocess(unit, Some("int other;"))
        .unwrap();
    assert_eq!(counters(&project), (1, 3));

    workspace.write("n.h", b"int two;\n");
    assert_eq!(
        code(&project.preprocessor.preprocess(unit, None).unwrap()),
        ["int two;"]
    );
    assert_eq!(counters(&project), (1, 4));
}
