//! Files that are not what they should be. Each costs only itself, and is named with what to do.

use crate::program::{GOOD, Program};
use expect_test::expect;

/// `good.c` and `bad.c` with a database, so that no note about default flags is in the way.
fn program(bad: &[u8]) -> Program {
    let program = Program::new(&[GOOD]);
    program.write("bad.c", bad);
    program.write_database_for(["bad.c", "good.c"]);
    program
}

#[test]
fn a_file_that_does_not_exist() {
    let program = Program::new(&[GOOD]);
    program.check(
        &["index", "gone.c"],
        expect![[r#"
        error: $W/gone.c does not exist
          help: name a C source file or a directory with some
        nothing was analysed
        exit status 2
    "#]],
    );
    program.check(&["index", "gone.c", "good.c"], expect![[r#"
        error: $W/gone.c does not exist
          help: name a C source file or a directory with some
        information: there is no compile_commands.json with C files, so that files are preprocessed with default flags
          help: let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make), or set `flags` under [preprocessor] in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
    program.check(
        &["index", "--preprocessed", "gone.i"],
        expect![[r#"
        gone.i:1:1: error: this file does not exist
          help: build the project first if the file is generated, or correct its path
        nothing was analysed
        exit status 2
    "#]],
    );
}

#[test]
fn an_empty_file() {
    program(b"").check(
        &["index"],
        expect![[r#"
        2 translation units, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
    program(b"").check(
        &["dump", "ir", "bad.c"],
        expect![[r#"
        exit status 0
    "#]],
    );
}

#[test]
fn a_binary_file() {
    program(b"\x7fELF\0\0\0\x01\x02\xff").check(
        &["index"],
        expect![[r#"
        $W/bad.c:1:1: error: this is a binary file and is left out
          help: list it under `exclude` in racelens.toml if it belongs to the project
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
    program(b"\xff\xfei\0n\0t\0 \0x\0;\0").check(
        &["index", "bad.c"],
        expect![[r#"
        $W/bad.c:1:1: error: this is UTF-16 text and is left out
          help: save it as UTF-8
        nothing was analysed
        exit status 2
    "#]],
    );
}

#[test]
fn text_that_is_not_utf8() {
    let program = program(b"// caf\xe9\nint caf\xe9;\nint read_caf(void) { return caf\xe9; }\n");
    program.check(&["index"], expect![[r#"
        $W/bad.c:1:7: information: this file is not valid UTF-8 from here on; what is not is read as U+FFFD
          help: save the file as UTF-8
        2 translation units, N lines after preprocessing
        2 functions, 2 of them understood (100.00 %), 0 initialisers
        2 memory accesses beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}

#[test]
fn a_missing_header() {
    let program = program(
        b"#include \"generated.h\"\n#include <stddef.h>\nint bad(void) { return GENERATED; }\nsize_t size;\n",
    );
    program.check(&["index"], expect![[r#"
        $W/bad.c:1:10: warning: `generated.h` was not found; what it declares is unknown here
          help: build the project first if `generated.h` is generated, or add its directory with `-I` to `flags` under [preprocessor] in racelens.toml
        2 translation units, N lines after preprocessing
        2 functions, 2 of them understood (100.00 %), 0 initialisers
        2 memory accesses beyond locals (1 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
    program.write("include/generated.h", b"#define GENERATED 1\n");
    program.check(
        &["index", "bad.c"],
        expect![[r#"
        $W/bad.c:1:10: warning: `generated.h` was not found; what it declares is unknown here
          help: add `-I$W/include` to `flags` under [preprocessor] in racelens.toml, or to the build
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (1 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
}

#[test]
fn errors_of_every_kind_of_item_cost_only_the_item() {
    let program = program(
        "#include \"own.h\"\n#include \"own.h\"\ntypedef int first second third;\nstruct s { int a b; };\n\
         extern unknown_t variable;\nint f(void) { return /* ä */ 1 +; }\nint table[] = { 1, 2 + };\n\
         int fine(void) { return 1; }\n"
            .as_bytes(),
    );
    program.write("own.h", b"union broken { int 3x; };\n");
    program.write(
        "good.c",
        b"#include \"own.h\"\nint good(void) { return 2; }\n",
    );
    program.check(&["index"], expect![[r#"
        $W/bad.c:3:19: information: type `third` is not understood: `second` is not expected here
        $W/bad.c:4:18: information: the declaration of `s` is not understood: `b` is not expected here
        $W/bad.c:5:8: information: the declaration of `variable` is not understood: `unknown_t` is not expected here
        $W/bad.c:6:33: information: function `f` is not analysed: `;` is not expected here
        $W/bad.c:7:24: information: the initialiser of `table` is not analysed: `}` is not expected here
        $W/own.h:1:20: information: the declaration of `broken` is not understood: `3x` is not expected here
        2 translation units, N lines after preprocessing
        3 functions, 2 of them understood (66.67 %), 1 initialiser
        0 memory accesses beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}

#[test]
fn a_very_large_file() {
    let line = "/* A comment that fills the file, as generated tables and licences do. */\n";
    let mut text = String::with_capacity(50 << 20);
    let mut functions = 0;
    while text.len() < 50 << 20 {
        if text.len() >> 18 > functions {
            functions += 1;
            text.push_str(&format!(
                "int f{functions}(void) {{ return {functions}; }}\n"
            ));
        }
        text.push_str(line);
    }
    let program = program(text.as_bytes());
    let run = program.run(&["index"]);
    assert_eq!(run.status, 0, "{}", run.notes);
    let all = functions + 1;
    let expected = format!("{all} functions, {all} of them understood");
    assert!(run.output.contains(&expected), "{}", run.output);
}

#[test]
fn a_file_that_is_too_large() {
    let program = program(&vec![b'\n'; (64 << 20) + 1]);
    program.check(
        &["index"],
        expect![[r#"
        $W/bad.c:1:1: error: this file is larger than 64 MiB and is left out
          help: split it, or list it under `exclude` in racelens.toml
        1 translation unit, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
}

#[test]
fn a_text_that_never_ends_its_brackets() {
    program(b"int bad(void) { if (1) { while (2) {\n").check(
        &["index"],
        expect![[r#"
        $W/bad.c:1:36: information: function `bad` is not analysed: the text ends too early
        2 translation units, N lines after preprocessing
        2 functions, 1 of them understood (50.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]],
    );
    program("(".repeat(100_000).as_bytes()).check(&["index"], expect![[r#"
        $W/bad.c:1:1: information: this declaration is not understood: nested too deeply to be analysed: more than 256 brackets are nested in each other
        2 translation units, N lines after preprocessing
        1 function, 1 of them understood (100.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
    let deep = format!(
        "int bad(void) {{ return {}1{}; }}\n",
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    program(deep.as_bytes()).check(&["index"], expect![[r#"
        $W/bad.c:1:1: information: function `bad` is not analysed: nested too deeply to be analysed: more than 256 brackets are nested in each other
        2 translation units, N lines after preprocessing
        2 functions, 1 of them understood (50.00 %), 0 initialisers
        1 memory access beyond locals (0 of unknown type), 0 calls
        N s preprocessing, N s analysis
        exit status 0
    "#]]);
}
