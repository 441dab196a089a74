//! `racelens explain` as a user runs it.

use crate::program::{GOOD, Program};
use expect_test::expect;

#[test]
fn a_place_that_is_none_is_a_mistake() {
    let program = Program::built(&[GOOD]);
    for place in ["good.c", "good.c:", "good.c:0", ":3"] {
        let run = program.run(&["explain", place]);
        assert_eq!((run.status, run.output.as_str()), (2, ""), "{place}");
        assert!(run.notes.contains("invalid value"), "{}", run.notes);
    }
    program.check(
        &["explain", "gone.c:3"],
        expect![[r#"
        error: gone.c is not a file that can be read
          help: correct its path, which is relative to the current directory
        exit status 2
    "#]],
    );
}

#[test]
fn a_line_outside_of_functions_has_no_explanation() {
    Program::built(&[GOOD]).check(&["explain", "good.c:1"], expect![[r#"
        error: line 1 of good.c belongs to no function that was analysed
          help: name a line inside of a function; `racelens index` says which files and functions are analysed
        exit status 2
    "#]]);
}
