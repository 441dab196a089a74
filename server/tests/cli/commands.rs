//! The command line itself: help, mistakes, and what happens to the output.

use crate::program::Program;
use expect_test::expect;
use std::io::Read;
use std::process::Stdio;

#[test]
fn without_arguments_the_help_is_shown_and_that_is_a_mistake() {
    Program::new(&[]).check(
        &[],
        expect![[r#"
            Shows C programmers their data races

            Usage: racelens <COMMAND>

            Commands:
              check          Find data races
              explain        Say what is known about a line: the locks held there, the threads that run it
              verify         Look for an interleaving that really gets to a race or a violated assertion
              index          Read a whole program and say how much of it was understood
              stats          Say what a check costs, and which functions and locations are the largest
              cache          Say what is kept on disk for the next start, or remove it
              lsp            Serve an editor: the language server
              sequentialize  Print a sequential C program that simulates the threads of a concurrent one
              dump           Print what Racelens made of a program, for people who work on Racelens
              help           Print this message or the help of the given subcommand(s)

            Options:
              -h, --help     Print help
              -V, --version  Print version

            Exit status:
              0  something was analysed, even if notes say what was not
              1  check found races, or verify found an interleaving
              2  nothing could be analysed, or the command line is wrong
            exit status 2
        "#]],
    );
}

#[test]
fn asking_for_help_is_no_mistake() {
    let program = Program::new(&[]);
    program.check(&["index", "--help"], expect![[r#"
        Read a whole program and say how much of it was understood

        Usage: racelens index [OPTIONS] [PATHS]...

        Arguments:
          [PATHS]...  C files and directories to read [default: the current directory]

        Options:
              --database <FILE>         Use this compile_commands.json, not the one in the project's root, build or builddir
              --config <FILE>           Use this racelens.toml, not the one in the project's root
              --compiler <PROGRAM>      Preprocess with this compiler, given by name or path
              --preprocessed <PATH>...  Read text that is preprocessed already: .i files, or directories with such files
              --jobs <N>                Use this many threads, from 1 to 1024 [default: one for each core]
              --cache-dir <DIRECTORY>   Keep results for the next start in this directory [default: racelens below $XDG_CACHE_HOME or ~/.cache]
              --cache-size <N>          Let that directory have at most so many megabytes [default: 1024]
              --no-cache                Neither use nor keep results of earlier runs
              --format <FORMAT>         How to write the result [default: text] [possible values: text, json]
          -h, --help                    Print help

        Exit status:
          0  something was analysed, even if notes say what was not
          2  nothing could be analysed, or the command line is wrong
        exit status 0
    "#]]);
    let run = program.run(&["--version"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    assert!(run.output.starts_with("racelens "));
}

#[test]
fn wrong_arguments_are_named() {
    let program = Program::new(&[("a.c", "int a;\n")]);
    for (arguments, message) in [
        (&["indx"][..], "unrecognized subcommand 'indx'"),
        (&["index", "--format", "xml"], "invalid value 'xml'"),
        (&["index", "--jobs", "0"], "0 is not in 1..=1024"),
        (
            &["index", "a.c", "--preprocessed", "a.i"],
            "cannot be used with",
        ),
    ] {
        let run = program.run(arguments);
        assert_eq!(run.status, 2, "{arguments:?}");
        assert!(run.notes.contains(message), "{arguments:?}: {}", run.notes);
        assert_eq!(run.output, "");
    }
}

#[test]
fn a_function_that_does_not_exist_is_a_mistake() {
    let program = Program::new(&[("a.i", "int a(void) { return 1; }\n")]);
    program.check(
        &["dump", "ir", "--function", "b", "--preprocessed", "a.i"],
        expect![[r#"
            error: there is no function `b` that could be analysed
              help: check its spelling; without --function all are printed
            exit status 2
        "#]],
    );
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let text: String = (0..3000)
        .map(|number| format!("int f{number}(int *p) {{ return *p + {number}; }}\n"))
        .collect();
    let program = Program::new(&[("a.i", &text)]);
    let mut child = program
        .command(&["dump", "ir", "--preprocessed", "a.i"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let finished = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&finished.stderr), "");
    assert_eq!(finished.status.code(), Some(0));
}

#[test]
fn nothing_but_notes_goes_to_standard_error_when_it_is_no_terminal() {
    let program = Program::new(&[("a.c", "int a(void) { return 1 +; }\n")]);
    let run = program.run(&["index", "a.c"]);
    assert!(
        run.notes.contains("a.c:1:25: information: "),
        "{}",
        run.notes
    );
    assert!(!run.notes.contains('\x1b') && !run.notes.contains('\r'));
}
