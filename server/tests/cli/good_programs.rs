//! What `index` and `dump ir` say about programs that are as they should be.

use crate::program::Program;
use expect_test::expect;
use serde_json::Value;

const COUNTER: &str = "static int hits;\nint total = 3;\nvoid hit(int n) { hits += n; }\nint read_hits(void) { hit(0); return hits; }\n";

#[test]
fn index_says_how_much_was_understood() {
    let program = Program::built(&[("a.c", COUNTER)]);
    program.check(
        &["index"],
        expect![[r#"
        1 translation unit, N lines after preprocessing
        2 functions, 2 of them understood (100.00 %), 1 initialiser
        4 memory accesses beyond locals (0 of unknown type), 1 call
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
}

#[test]
fn dump_shows_each_function_with_its_places() {
    let program = Program::built(&[("a.c", COUNTER)]);
    program.check(
        &["dump", "ir"],
        expect![[r#"
        fn total() void {
        b0:
          store total = 3                                    // a.c:2:5
          return
        }

        fn hit(n: int) void {
        b0:
          %1 = load hits                                     // a.c:3:19
          %2 = %1 + n                                        // a.c:3:19
          store hits = %2                                    // a.c:3:19
          return
        }

        fn read_hits() int {
        b0:
          call hit(0)                                        // a.c:4:23
          %0 = load hits                                     // a.c:4:38
          return %0
        }

        exit status 0
    "#]],
    );
    program.check(
        &["dump", "ir", "--plain", "--function", "hit"],
        expect![[r#"
        fn hit(n: int) void {
        b0:
          %1 = load hits
          %2 = %1 + n
          store hits = %2
          return
        }

        exit status 0
    "#]],
    );
}

#[test]
fn without_a_database_files_are_read_with_default_flags_and_that_is_said() {
    let program = Program::new(&[("a.c", COUNTER), ("sub/b.c", "int b(void) { return 1; }\n")]);
    program.check(&["index"], expect![[r#"
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        2 translation units, N lines after preprocessing
        3 functions, 3 of them understood (100.00 %), 1 initialiser
        4 memory accesses beyond locals (0 of unknown type), 1 call
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
    program.check(&["index", "sub/b.c"], expect![[r#"
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        0 memory accesses beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}

#[test]
fn the_database_of_a_build_directory_is_found() {
    let program = Program::new(&[(
        "src/a.c",
        "#ifndef FROM_BUILD\n#error flags are missing\n#endif\nint a(void) { return FROM_BUILD; }\n",
    )]);
    program.write_database(
        "build/compile_commands.json",
        &[("src/a.c", "cc -DFROM_BUILD=1 -c src/a.c")],
    );
    program.check(
        &["index"],
        expect![[r#"
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        0 memory accesses beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
    // Also from a file, without any other mark of where the project's root is.
    let run = program.run(&["index", "src/a.c"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
}

#[test]
fn a_file_with_several_commands_is_analysed_with_each() {
    let program = Program::new(&[(
        "a.c",
        "int x, y;\n#ifdef SECOND\nint only_second(void) { return y; }\n#endif\nint both(void) { return x; }\n",
    )]);
    program.write_database(
        "compile_commands.json",
        &[("a.c", "cc -c a.c"), ("a.c", "cc -DSECOND -c a.c")],
    );
    program.check(
        &["index"],
        expect![[r#"
        2 translation units, N lines after preprocessing
        2 functions, 2 of them understood (100.00 %), 0 initialisers
        2 memory accesses beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
}

#[test]
fn preprocessed_text_needs_no_compiler() {
    let program = Program::new(&[
        (
            "one.i",
            "# 1 \"one.c\"\nint g;\nint one(void) { return g; }\n",
        ),
        ("more/two.i", "# 1 \"two.c\"\nint two(void) { return 2; }\n"),
        ("more/readme", "not read"),
    ]);
    let mut command = program.command(&["index", "--preprocessed", "one.i", "more"]);
    command.env("PATH", "");
    program.check_command(
        command,
        expect![[r#"
        2 translation units, N lines after preprocessing
        2 functions, 2 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
}

#[test]
fn json_has_every_number_and_does_not_change_from_run_to_run() {
    let program = Program::new(&[
        ("b.c", "int b(void) { return 1 +; }\n"),
        ("a.c", COUNTER),
        ("c.c", "struct { int x y; } c;\nint g[] = { 1, 2 + };\n"),
    ]);
    let run = |arguments: &[&str]| {
        let run = program.run(arguments);
        assert_eq!((run.status, run.notes.as_str()), (0, ""));
        let (before, rest) = run.output.split_once("\"seconds\":{").unwrap();
        let bytes = format!("{before}{}", rest.split_once('}').unwrap().1);
        let mut report: Value = serde_json::from_str(&run.output).unwrap();
        for time in ["preprocess", "front_end"] {
            assert!(
                report["seconds"][time]
                    .as_f64()
                    .is_some_and(|time| time >= 0.0)
            );
        }
        report["seconds"] = Value::Null;
        let size = ["lines", "bytes"].map(|key| report[key].as_u64().unwrap());
        assert!(size[0] > 6 && size[1] > COUNTER.len() as u64);
        report["lines"] = Value::Null;
        report["bytes"] = Value::Null;
        (bytes, serde_json::to_string_pretty(&report).unwrap())
    };
    let first = run(&["index", "--format", "json"]);
    let second = run(&["index", "--format", "json", "--jobs", "1"]);
    assert_eq!(first, second);
    expect![[r#"
        {
          "accesses": 4,
          "bytes": null,
          "calls": 1,
          "failures": [
            {
              "column": 25,
              "file": "$W/b.c",
              "function": "b",
              "kind": "function",
              "line": 1,
              "reason": "`;` is not expected here"
            },
            {
              "column": 16,
              "file": "$W/c.c",
              "function": "c",
              "kind": "declaration",
              "line": 1,
              "reason": "`y` is not expected here"
            },
            {
              "column": 20,
              "file": "$W/c.c",
              "function": "g",
              "kind": "initialiser",
              "line": 2,
              "reason": "`}` is not expected here"
            }
          ],
          "functions": {
            "found": 3,
            "lowered": 2
          },
          "initialisers": 2,
          "lines": null,
          "notes": [
            "information: there is no compile_commands.json with C files, so that files are preprocessed with default flags\n  help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml"
          ],
          "seconds": null,
          "units": 3,
          "untyped_accesses": 0
        }"#]].assert_eq(&first.1);
}
