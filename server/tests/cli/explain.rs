//! `racelens explain` as a user runs it.

use crate::program::{GOOD, Program};
use crate::schema;
use expect_test::expect;
use serde_json::Value;

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

const POOL: &str = "\
#include <pthread.h>
struct pool { pthread_t thread; int jobs; };
static pthread_mutex_t m;
static int done;
static void *worker(void *argument) {
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
    return argument;
}
static void stop(struct pool *pool) {
    pthread_join(pool->thread, 0);
    pool->jobs = 0;
}
static void run_once(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    done = 0;
}
int main(void) {
    struct pool pool;
    pthread_create(&pool.thread, 0, worker, 0);
    stop(&pool);
    run_once();
    return 0;
}
";

#[test]
fn a_function_says_which_threads_it_starts_and_waits_for() {
    let program = Program::built(&[("a.c", POOL)]);
    let summary = |line: u32| {
        let run = program.run(&["explain", &format!("a.c:{line}")]);
        let start = run.output.find("function `").unwrap();
        run.output[start..].to_owned()
    };
    let both = "  may start thread `worker` at a.c:17:5\n  waits for thread `worker` at a.c:17:5\n";
    assert!(summary(19).contains(both), "{}", summary(19));
    let handle = "  waits for what was started as `pool->thread`\n";
    assert!(summary(13).contains(handle), "{}", summary(13));
    assert!(!summary(7).contains("waits"), "{}", summary(7));
}

#[test]
fn json_says_the_same_and_is_as_the_schema_says() {
    let program = Program::built(&[("a.c", POOL)]);
    let explanation = |place: &str| {
        let run = program.run(&["explain", place, "--format", "json"]);
        assert_eq!((run.status, run.notes.as_str()), (0, ""));
        let explanation: Value = serde_json::from_str(&run.output).unwrap();
        let errors = schema::errors(&schema::of_explanations(), &explanation);
        assert_eq!(errors, [""; 0]);
        explanation
    };
    let access = &explanation("a.c:7")["accesses"][0];
    assert_eq!(access["expression"], "done");
    assert_eq!(access["kind"], "write");
    assert_eq!(access["locks"][0]["name"], "m");
    assert_eq!(access["locks"][0]["taken_by"], "here");
    assert_eq!(access["locks"][0]["places"][0]["line"], 6);
    assert_eq!(access["threads"][0]["name"], "worker");
    let function = &explanation("a.c:19")["function"];
    assert_eq!(function["name"], "run_once");
    assert_eq!(function["joins"][0]["started"]["line"], 17);
    let reason = &explanation("a.c:19")["accesses"][0]["no_races"][0]["reason"];
    assert!(reason.as_str().is_some_and(|reason| !reason.is_empty()));
}
