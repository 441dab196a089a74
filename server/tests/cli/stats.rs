//! `racelens stats` as a user runs it.

use crate::program::Program;
use crate::schema;
use expect_test::expect;
use serde_json::{Value, json};

const COUNTER: &str = "\
#include <pthread.h>
struct counter { pthread_mutex_t lock; int hits; int misses; };
static struct counter counter;
static void hit(struct counter *c) {
    pthread_mutex_lock(&c->lock);
    c->hits++;
    pthread_mutex_unlock(&c->lock);
    c->misses++;
}
static void *worker(void *argument) {
    hit(&counter);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    hit(&counter);
    return pthread_join(thread, 0);
}
";

/// Without times, memory, and lines of system headers, which differ from run to run or from machine to machine.
fn steady(mut statistics: Value) -> Value {
    statistics["seconds"].take();
    statistics["memory"].take();
    statistics["program"]["lines"].take();
    statistics["program"]["bytes"].take();
    for stage in statistics["stages"].as_array_mut().unwrap() {
        *stage = stage["stage"].take();
    }
    statistics
}

fn statistics(program: &Program, arguments: &[&str]) -> Value {
    let run = program.run(&[&["stats", "--format", "json"], arguments].concat());
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    serde_json::from_str(&run.output).unwrap()
}

#[test]
fn sizes_and_stages_are_told_and_the_largest_come_first() {
    let program = Program::built(&[("counter.c", COUNTER)]);
    let found = statistics(&program, &[]);
    assert_eq!(schema::errors(&schema::of_statistics(), &found), [""; 0]);
    let expected = expect![[r#"
        {
          "cache": null,
          "largest_functions": [
            {
              "accesses": 0,
              "contexts": 1,
              "name": "main",
              "place": {
                "column": 5,
                "file": "counter.c",
                "line": 14
              },
              "statements": 6,
              "summary_entries": 3
            },
            {
              "accesses": 4,
              "contexts": 2,
              "name": "hit",
              "place": {
                "column": 13,
                "file": "counter.c",
                "line": 4
              },
              "statements": 10,
              "summary_entries": 2
            },
            {
              "accesses": 0,
              "contexts": 1,
              "name": "worker",
              "place": {
                "column": 14,
                "file": "counter.c",
                "line": 10
              },
              "statements": 2,
              "summary_entries": 2
            }
          ],
          "largest_locations": [
            {
              "accesses": 2,
              "functions": 1,
              "location": "counter.hits",
              "racing_pairs": 0
            },
            {
              "accesses": 2,
              "functions": 1,
              "location": "counter.misses",
              "racing_pairs": 2
            }
          ],
          "memory": null,
          "notes": [],
          "program": {
            "accesses": 4,
            "bytes": null,
            "contexts": 4,
            "functions": 3,
            "lines": null,
            "shared_locations": 2,
            "statements": 18,
            "threads": 2,
            "units": 1
          },
          "reports": {
            "races": 1,
            "suppressed": 0,
            "violations": 0
          },
          "seconds": null,
          "stages": [
            "preprocessing",
            "splitting",
            "lowering",
            "suppressions",
            "constraints",
            "points_to",
            "call_graph",
            "summaries",
            "contexts",
            "orders",
            "locations",
            "pairing",
            "contracts",
            "call_paths",
            "reporting"
          ],
          "version": 1
        }"#]];
    let shown = serde_json::to_string_pretty(&steady(found)).unwrap();
    expected.assert_eq(&shown);
}

#[test]
fn the_numbers_are_the_same_at_every_run_and_with_any_number_of_threads() {
    let program = Program::built(&[("counter.c", COUNTER)]);
    let first = steady(statistics(&program, &["--jobs", "1"]));
    assert_eq!(first, steady(statistics(&program, &["--jobs", "2"])));
}

#[test]
fn stages_add_up_to_the_whole() {
    let program = Program::built(&[("counter.c", COUNTER)]);
    let found = statistics(&program, &[]);
    let stages = found["stages"].as_array().unwrap();
    let sum = |key: &str| -> f64 {
        stages
            .iter()
            .map(|stage| stage[key].as_f64().unwrap())
            .sum()
    };
    assert!((sum("share") - 1.0).abs() < 1e-6);
    assert!((sum("seconds") - found["seconds"].as_f64().unwrap()).abs() < 1e-6);
}

#[test]
fn as_many_as_are_asked_for_are_listed() {
    let program = Program::built(&[("counter.c", COUNTER)]);
    let none = statistics(&program, &["--largest", "0"]);
    assert_eq!(none["largest_functions"], json!([]));
    assert_eq!(none["largest_locations"], json!([]));
    let all = statistics(&program, &["--largest", "1000000"]);
    assert_eq!(all["largest_functions"].as_array().unwrap().len(), 3);
    let text = program.run(&["stats", "--largest", "1"]);
    assert!(
        text.output.contains("main (counter.c:14:5)"),
        "{}",
        text.output
    );
    assert!(!text.output.contains("worker"), "{}", text.output);
}

#[test]
fn every_exported_function_may_begin_a_thread() {
    let program = Program::built(&[("library.c", "int x;\nvoid set(int n) { x = n; }\n")]);
    let threads = |arguments: &[&str]| statistics(&program, arguments)["program"]["threads"].take();
    assert_eq!(threads(&[]), json!(0));
    assert_eq!(threads(&["--entries", "exported"]), json!(1));
}

#[test]
fn nothing_to_analyse_is_said() {
    let program = Program::new(&[]);
    let run = program.run(&["stats", "gone.c"]);
    assert_eq!((run.status, run.output.as_str()), (2, ""));
    assert!(run.notes.contains("nothing was analysed"), "{}", run.notes);
}
