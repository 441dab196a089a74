//! `racelens check --baseline`: only what is new, however lines and functions move.

use crate::program::{Program, Run};
use crate::schema;
use serde_json::Value;

const PROGRAM: &str = "\
#include <pthread.h>
static pthread_mutex_t m;
static int hits, misses;
static void bump(void) {
    hits++;
}
static void miss(void) {
    misses++;
}
static void *worker(void *argument) {
    bump();
    miss();
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    return 0;
}
";

/// A program whose races are all in `known.json`.
fn known() -> Program {
    let program = Program::built(&[("a.c", PROGRAM)]);
    let run = program.run(&["check", "--write-baseline", "known.json"]);
    assert_eq!(run.status, 0, "{}", run.output);
    assert_eq!(run.notes, "2 races written to known.json\n");
    program
}

fn check(program: &Program, source: &str) -> Run {
    program.write("a.c", source.as_bytes());
    program.run(&["check", "--baseline", "known.json"])
}

fn report(program: &Program) -> Value {
    let run = program.run(&["check", "--baseline", "known.json", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.output).unwrap();
    assert_eq!(schema::errors(&schema::of_reports(), &report), [""; 0]);
    report
}

#[test]
fn a_baseline_is_sorted_and_the_same_each_time() {
    let program = known();
    let read = || std::fs::read_to_string(program.path("known.json")).unwrap();
    let text = read();
    let baseline: Value = serde_json::from_str(&text).unwrap();
    let races = baseline["races"].as_array().unwrap();
    let locations: Vec<&Value> = races.iter().map(|race| &race["location"]).collect();
    assert_eq!(locations, ["hits", "misses"]);
    assert_eq!(races[0]["functions"], serde_json::json!(["bump"]));
    assert_eq!(races[0]["id"].as_str().unwrap().len(), 12);
    program.run(&[
        "check",
        "--write-baseline",
        "known.json",
        "--min-rank",
        "100",
    ]);
    assert_eq!(text, read());
}

#[test]
fn known_races_are_no_findings() {
    let run = check(&known(), PROGRAM);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    let expected = "no new data race found, 2 of the baseline not shown\n";
    assert!(run.output.starts_with(expected), "{}", run.output);
}

#[test]
fn moved_lines_and_other_functions_make_no_race_new() {
    let program = known();
    let moved = format!(
        "/* one */\n\n{}",
        PROGRAM.replace("hits++;", "\n\n    hits++;")
    );
    assert_eq!(check(&program, &moved).status, 0);
    let added = PROGRAM.replace(
        "static void bump",
        "int more(int a) { return a; }\nstatic void bump",
    );
    assert_eq!(check(&program, &added).status, 0);
    let turned = PROGRAM.replace(
        "static void bump(void) {\n    hits++;\n}\n",
        "static void bump(void);\n",
    ) + "static void bump(void) {\n    hits++;\n}\n";
    assert_eq!(check(&program, &turned).status, 0);
}

#[test]
fn a_mended_race_is_gone() {
    let program = known();
    let mended = PROGRAM.replace(
        "hits++;",
        "pthread_mutex_lock(&m); hits++; pthread_mutex_unlock(&m);",
    );
    let run = check(&program, &mended);
    assert_eq!(run.status, 0);
    let expected = "no new data race found, 1 of the baseline not shown, 1 of the baseline gone\n";
    assert!(run.output.starts_with(expected), "{}", run.output);
    let report = report(&program);
    assert_eq!(report["baseline"]["known"], 1);
    assert_eq!(report["baseline"]["gone"][0]["location"], "hits");
}

#[test]
fn a_new_race_is_reported_alone() {
    let program = known();
    let added = PROGRAM
        .replace("hits, misses", "hits, misses, drops")
        .replace("misses++;", "misses++;\n    drops++;");
    let run = check(&program, &added);
    assert_eq!(run.status, 1);
    assert!(
        run.output.contains("data race on `drops`"),
        "{}",
        run.output
    );
    assert!(
        !run.output.contains("data race on `hits`"),
        "{}",
        run.output
    );
    let expected = "\n1 new possible data race, 2 of the baseline not shown\n";
    assert!(run.output.contains(expected), "{}", run.output);
}

#[test]
fn a_function_that_joins_a_known_race_makes_it_new() {
    let program = known();
    let added = PROGRAM.replace("misses++;", "misses++;\n    hits = 0;");
    let run = check(&program, &added);
    assert_eq!(run.status, 1);
    let expected = "new since the baseline: accesses in `miss`";
    assert!(run.output.contains(expected), "{}", run.output);
}

#[test]
fn sarif_says_what_became_of_each_race() {
    let program = known();
    let changed = PROGRAM
        .replace("hits, misses", "hits, misses, drops")
        .replace("hits++;", "drops++;");
    program.write("a.c", changed.as_bytes());
    let run = program.run(&["check", "--baseline", "known.json", "--format", "sarif"]);
    assert_eq!(run.status, 1);
    let log: Value = serde_json::from_str(&run.output).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let states: Vec<&Value> = results
        .iter()
        .map(|result| &result["baselineState"])
        .collect();
    assert_eq!(states, ["new", "unchanged", "absent"]);
    let without = program.run(&["check", "--format", "sarif"]).output;
    assert!(!without.contains("baselineState"), "{without}");
}

#[test]
fn a_file_that_is_no_baseline_is_an_error() {
    let program = Program::built(&[("a.c", PROGRAM)]);
    for (content, expected) in [
        (None, "error: the baseline known.json cannot be read: "),
        (
            Some("{"),
            "error: known.json is no baseline: EOF while parsing",
        ),
        (Some("[]"), "error: known.json is no baseline: "),
        (
            Some("{\"version\": 2, \"races\": []}"),
            "its version is 2, and this Racelens reads version 1",
        ),
        (
            Some("{\"version\": 1, \"races\": [{\"id\": 1}]}"),
            " at line 1 column ",
        ),
    ] {
        if let Some(content) = content {
            program.write("known.json", content.as_bytes());
        }
        let run = check(&program, PROGRAM);
        assert_eq!((run.status, run.output.as_str()), (2, ""), "{content:?}");
        assert!(run.notes.contains(expected), "{}", run.notes);
        assert!(
            run.notes.contains("--write-baseline known.json"),
            "{}",
            run.notes
        );
    }
    let run = program.run(&["check", "--write-baseline", "gone/known.json"]);
    assert_eq!((run.status, run.output.as_str()), (2, ""));
    assert!(run.notes.contains("cannot be written"), "{}", run.notes);
}

#[test]
fn functions_whose_accesses_are_not_listed_are_known_too() {
    let source = |functions: usize| {
        let texts = (0..functions).map(|it| {
            let set = if it % 2 == 1 { " = 1" } else { "" };
            format!("static int bump{it:02}(void) {{\n    return hits{set};\n}}\n")
        });
        let calls = (0..functions).map(|it| format!("    bump{it:02}();\n"));
        PROGRAM
            .replace(
                "static void bump(void) {\n    hits++;\n}\n",
                &texts.collect::<String>(),
            )
            .replace("    bump();\n", &calls.collect::<String>())
    };
    let program = Program::built(&[("a.c", &source(20))]);
    program.run(&["check", "--write-baseline", "known.json"]);
    let text = std::fs::read_to_string(program.path("known.json")).unwrap();
    let baseline: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        baseline["races"][0]["functions"].as_array().unwrap().len(),
        20
    );
    assert_eq!(check(&program, &source(20)).status, 0);
    assert_eq!(check(&program, &source(19)).status, 0);
    let run = check(&program, &source(21));
    assert_eq!(run.status, 1);
    let reason = "new since the baseline: accesses in `bump20`";
    assert!(run.output.contains(reason), "{}", run.output);
}
