//! `racelens sequentialize` as a user runs it.

use crate::program::{GOOD, Program};
use expect_test::expect;
use std::process::Command;

const COUNTER: (&str, &str) = (
    "counter.c",
    "\
#include <pthread.h>
static int hits;
static void *worker(void *argument) {
    hits++;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    hits++;
    pthread_join(thread, 0);
    return 0;
}
",
);

#[test]
fn the_printed_program_compiles_and_comes_to_the_race() {
    let program = Program::built(&[COUNTER]);
    let run = program.run(&["sequentialize", "--race", "counter.c:4", "counter.c"]);
    assert_eq!(run.status, 0, "{}", run.notes);
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (source, executable) = (folder.path().join("a.c"), folder.path().join("a"));
    std::fs::write(&source, &run.output).expect("written");
    let compiled = Command::new("gcc")
        .args(["-Werror", "-fwrapv", "-fno-strict-aliasing", "-o"])
        .args([&executable, &source])
        .status()
        .expect("gcc runs");
    assert!(compiled.success());
    let finds = |seed: u32| {
        let output = Command::new(&executable)
            .env("RACELENS_SEED", seed.to_string())
            .output()
            .expect("it runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code() == Some(70)).then_some(printed)
    };
    let found = (1..200).find_map(finds).expect("one run comes to the race");
    assert!(found.contains("counter.c:4 in worker"), "{found}");
    assert!(found.contains("counter.c:10 in main"), "{found}");
}

#[test]
fn what_is_not_there_is_said() {
    let program = Program::built(&[COUNTER]);
    program.check(
        &["sequentialize", "--race", "0123", "counter.c"],
        expect![[r#"
            error: there is no race with the id 0123
              help: `racelens check` shows the ids
            exit status 2
        "#]],
    );
    program.check(
        &["sequentialize", "--race", "counter.c:8", "counter.c"],
        expect![[r#"
            error: line 8 of counter.c accesses nothing that threads share
              help: name a line of a race that `racelens check` reports
            exit status 2
        "#]],
    );
    Program::built(&[GOOD]).check(
        &["sequentialize", "--start", "nobody", "good.c"],
        expect![[r#"
            error: there is no function `nobody` that could be analysed
              help: check its spelling; it must not be static in two files
            exit status 2
        "#]],
    );
}
