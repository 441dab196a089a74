//! Projects that something is wrong with: what can be analysed is, and the rest is explained.

use crate::program::{GOOD, Program};
use expect_test::expect;

#[test]
fn no_compiler() {
    let program = Program::new(&[GOOD, ("other.c", "int other(void) { return 1; }\n")]);
    let mut command = program.command(&["index"]);
    command.env("PATH", program.path("nowhere"));
    program.check_command(command, expect![[r#"
        error: no C compiler was found, so that nothing can be preprocessed
          help: install gcc or clang so that it is in PATH, or pass --compiler with the path of one
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        nothing was analysed
        exit status 2
    "#]]);
    program.check(
        &["index", "good.c", "--compiler", "no-such-cc"],
        expect![[r#"
            error: the compiler `no-such-cc` was not found; another one is used
              help: pass --compiler with the name or the path of a program that can be run
            information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
              help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
            1 translation unit, N lines after preprocessing
            1 function, 1 of them understood (100.00 %), 0 initialisers
            1 memory access beyond locals (0 of unknown type), 0 calls
            N s preprocessing, N s analysis
            exit status 0
        "#]],
    );
}

#[test]
fn a_file_of_flags_is_not_read_and_that_is_said() {
    let program = Program::new(&[GOOD, ("flags", "-DX=1\n")]);
    program.write_database(
        "compile_commands.json",
        &[("good.c", "cc @flags @gone -c good.c")],
    );
    program.check(&["index"], expect![[r#"
        $W/compile_commands.json:2:3: information: `@flags` is not passed to the preprocessor: it takes further arguments from a file (1 entry)
          help: if the analysis misses something because of it, put what is needed into `flags` under [preprocessor] in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}

#[test]
fn a_malformed_database() {
    let program = Program::new(&[GOOD, ("compile_commands.json", "{ \"file\": ")]);
    program.check(&["index"], expect![[r#"
        $W/compile_commands.json:1:1: error: this is not a valid compilation database: invalid type: map, expected a list of entries, so that no entry could be read
          help: let the build system write it again (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make)
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
    program.write(
        "compile_commands.json",
        b"[\n  { \"directory\": \".\", \"file\": \"good.c\", \"command\": \"cc -c good.c\" },\n  { \"file\": 3 },\n  oops\n]\n",
    );
    program.check(&["index"], expect![[r#"
        $W/compile_commands.json:3:13: error: this entry is left out: invalid type: integer `3`, expected a string
          help: an entry needs `directory`, `file`, and `arguments` (a list) or `command` (a string); let the build system write the file again
        $W/compile_commands.json:4:3: error: this is not a valid compilation database: expected value, so that only 2 entries before it could be read
          help: let the build system write it again (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make)
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}

#[test]
fn a_named_database_that_cannot_be_used_is_not_replaced_by_a_search() {
    let program = Program::new(&[GOOD, ("empty.json", "[]"), ("broken.json", "[{]")]);
    program.check(
        &["index", "--database", "gone.json"],
        expect![[r#"
        error: $W/gone.json does not exist
          help: correct the path, or leave it away so that the usual places are searched
        nothing was analysed
        exit status 2
    "#]],
    );
    program.check(
        &["index", "--database", "empty.json"],
        expect![[r#"
        error: there is no C file to analyse in $W/empty.json
          help: name a .c file or a directory, and check `sources` and `exclude` in racelens.toml
        nothing was analysed
        exit status 2
    "#]],
    );
    program.check(&["index", "--database", "broken.json"], expect![[r#"
        $W/broken.json:1:3: error: this is not a valid compilation database: key must be a string, so that no entry could be read
          help: let the build system write it again (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make)
        nothing was analysed
        exit status 2
    "#]]);
    program.check(&["index", "--database", "gone.json", "good.c"], expect![[r#"
        error: $W/gone.json does not exist
          help: correct the path, or leave it away so that the usual places are searched
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}

#[test]
fn a_malformed_configuration() {
    let program = Program::built(&[GOOD, ("racelens.toml", "[project\nsources = 3\n")]);
    program.check(
        &["index"],
        expect![[r#"
        $W/racelens.toml:1:9: error: this is not valid TOML: unclosed table, expected `]`
          help: correct the syntax; see https://toml.io
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
    program.write(
        "racelens.toml",
        b"[project]\nsource = [\"src\"]\nexclude = 3\n[preprocessor]\ncompiler = \"./own-cc\"\n",
    );
    program.check(&["index"], expect![[r#"
        $W/racelens.toml:2:1: error: unknown key `project.source`
          help: did you mean `sources`?
        $W/racelens.toml:3:11: error: `project.exclude` must be a list of strings, not a whole number
          help: change it to a list of strings
        $W/racelens.toml:5:12: error: `./own-cc` is a path, and a project cannot choose which program runs
          help: write only its name (`gcc`, `clang-18`, `arm-linux-gnueabihf-gcc`), or pass --compiler with the path on the command line
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
    program.check(
        &["index", "--config", "gone.toml"],
        expect![[r#"
        error: $W/gone.toml does not exist
          help: correct the path, or leave it away so that the usual places are searched
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
}

#[test]
fn no_c_file_at_all() {
    let program = Program::new(&[("readme.txt", "nothing here\n"), ("x.h", "int x;\n")]);
    program.check(
        &["index"],
        expect![[r#"
        error: there is no C file to analyse in $W
          help: name a .c file or a directory, and check `sources` and `exclude` in racelens.toml
        nothing was analysed
        exit status 2
    "#]],
    );
    program.check(
        &["index", "x.h"],
        expect![[r#"
        warning: $W/x.h is a header and is not analysed alone
          help: name a .c file that includes it
        nothing was analysed
        exit status 2
    "#]],
    );
    program.check(
        &["dump", "ir", "--preprocessed", "."],
        expect![[r#"
        error: there is no .i file in .
          help: write one with `cc -E file.c -o file.i`, or leave --preprocessed away
        nothing was analysed
        exit status 2
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let program = Program::new(&[GOOD, ("secret/hidden.c", "int hidden;\n")]);
    let permit = |path: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(program.path(path), permissions).unwrap();
    };
    permit("", 0o755);
    permit("good.c", 0o644);
    permit("secret", 0);
    let mut command = program.command(&["index"]);
    // Nothing is forbidden to root, so that somebody else has to try.
    if std::fs::read_dir(program.path("secret")).is_ok() {
        let nobody = 65534;
        let mut trial = program.command(&["--version"]);
        if trial.uid(nobody).gid(nobody).output().is_err() {
            // Nobody may run what was built here: there is no way to try.
            return;
        }
        command.uid(nobody).gid(nobody).env_remove("TMPDIR");
    }
    let run = program.finish(command);
    permit("secret", 0o755);
    expect![[r#"
        warning: $W/secret cannot be read; the files in it are left out
          help: give yourself permission to read the directory
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
    "#]].assert_eq(&format!("{}{}", run.notes, run.output));
    assert_eq!(run.status, 0);
}
