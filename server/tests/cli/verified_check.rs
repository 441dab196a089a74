//! `racelens check --verify`: the report says which races really happen, and how.

use crate::program::Program;
use crate::schema;
use serde_json::Value;

/// Two races. Nobody gets to the second one, because a value keeps it out of reach.
const TWO_RACES: &str = "\
#include <pthread.h>
static int open_race, hidden_race;
static const int limit = 3;
static void *worker(void *argument) {
    open_race++;
    if (limit > 4)
        hidden_race++;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    open_race++;
    if (limit > 5)
        hidden_race++;
    pthread_join(thread, 0);
    return 0;
}
";

fn report(program: &Program, arguments: &[&str]) -> Value {
    let all = [&["check", "--format", "json", "a.c"], arguments].concat();
    let run = program.run(&all);
    assert_eq!(run.status, 1, "{}", run.notes);
    serde_json::from_str(&run.output).unwrap()
}

#[test]
fn each_race_says_whether_it_was_seen() {
    let program = Program::built(&[("a.c", TWO_RACES)]);
    let plain = report(&program, &[]);
    let verified = report(&program, &["--verify"]);
    assert_eq!(schema::errors(&schema::of_reports(), &verified), [""; 0]);
    for report in [&plain, &verified] {
        assert_eq!(report["races"].as_array().unwrap().len(), 2);
    }
    for (before, after) in [0, 1].map(|index| (&plain["races"][index], &verified["races"][index])) {
        assert_eq!(
            (&before["id"], &before["tier"]),
            (&after["id"], &"possible".into())
        );
        assert_eq!(before.get("verification"), None);
        let (tier, verdict, complete) = match after["location"].as_str() {
            Some("open_race") => ("witnessed", "witnessed", false),
            _ => ("possible", "not_found", true),
        };
        assert_eq!(after["tier"], tier);
        assert_eq!(after["verification"]["verdict"], verdict);
        assert_eq!(after["verification"]["complete"], complete);
    }
}

#[test]
fn people_read_the_interleaving_below_the_race() {
    let program = Program::built(&[("a.c", TWO_RACES)]);
    let run = program.run(&["check", "--verify", "a.c"]);
    let text = &run.output;
    assert!(
        text.contains("error[race]: data race on `open_race`"),
        "{text}"
    );
    assert!(
        text.contains("warning[race]: possible data race on `hidden_race`"),
        "{text}"
    );
    assert!(text.contains("a.c:12  starts thread 1"), "{text}");
    assert!(text.contains("No interleaving gets there"), "{text}");
}

#[test]
fn what_cannot_be_run_is_said_and_the_report_is_there() {
    let program = Program::built(&[
        ("a.c", TWO_RACES),
        ("b.c", "int main(void) { return 0; }\n"),
    ]);
    let run = program.run(&["check", "--verify", "."]);
    assert_eq!(run.status, 1);
    assert!(
        run.notes
            .contains("the races could not be verified: nothing can be run: several functions"),
        "{}",
        run.notes
    );
    assert!(
        run.output.contains("possible data race on `open_race`"),
        "{}",
        run.output
    );
    let wrong = program.run(&["check", "--verify-budget", "5", "a.c"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.notes.contains("--verify"), "{}", wrong.notes);
}
