//! Real races through the whole program: found, explained, filtered, and the same when lines move.

use crate::program::{Program, Run};
use crate::schema;
use expect_test::expect;
use serde_json::Value;

const COUNTER: &str = "\
#include <pthread.h>
static int counter;
static void *worker(void *argument) {
    counter++;
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    return counter;
}
";

fn check(source: &str, options: &[&str]) -> Run {
    let program = Program::built(&[("a.c", source)]);
    let arguments: Vec<&str> = ["check"].iter().chain(options).copied().collect();
    program.run(&arguments)
}

fn report(source: &str) -> Value {
    let run = check(source, &["--format", "json"]);
    assert_eq!((run.status, run.notes.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&run.output).unwrap();
    assert_eq!(schema::errors(&schema::of_reports(), &report), [""; 0]);
    report
}

fn id(source: &str) -> String {
    report(source)["races"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_race_is_shown_and_gives_status_1() {
    let run = check(COUNTER, &[]);
    assert_eq!(run.status, 1);
    let title = format!(
        "warning[race]: possible data race on `counter` [{}] (rank ",
        id(COUNTER)
    );
    assert!(run.output.starts_with(&title), "{}", run.output);
    assert!(run.output.contains(" --> a.c:4:5\n"), "{}", run.output);
    assert!(
        run.output.contains("\n1 possible data race\n"),
        "{}",
        run.output
    );
}

#[test]
fn an_id_stays_when_lines_move() {
    let moved = format!(
        "/* one\n   two */\n{}",
        COUNTER.replace("counter++;", "\n\n    counter++;")
    );
    assert_eq!(id(COUNTER), id(&moved));
}

#[test]
fn one_race_is_explained_by_its_id() {
    let id = id(COUNTER);
    let run = check(COUNTER, &["--explain", &id, "--min-rank", "100"]);
    assert_eq!(run.status, 1);
    assert!(run.output.contains(&format!("[{id}]")), "{}", run.output);
    assert!(!run.output.contains("translation unit"), "{}", run.output);
}

#[test]
fn a_race_below_the_rank_is_counted_but_no_finding() {
    let races = report(COUNTER)["races"].as_array().unwrap().clone();
    let highest = races[0]["rank"].as_u64().unwrap();
    assert!(highest < 100, "no rank is above the highest");
    let above = (highest + 1).to_string();
    let run = check(COUNTER, &["--min-rank", &above]);
    assert_eq!(run.status, 0);
    let expected = format!(
        "no data race found, {} below rank {above} not shown\n",
        races.len()
    );
    assert!(run.output.starts_with(&expected), "{}", run.output);
    // The project can say the same.
    let config = format!("[check]\nmin-rank = {above}\n");
    let program = Program::built(&[("a.c", COUNTER), ("racelens.toml", &config)]);
    assert_eq!(program.run(&["check"]).status, 0);
    assert_eq!(program.run(&["check", "--min-rank", "0"]).status, 1);
}

#[test]
fn sarif_has_a_result_for_each_race() {
    let run = check(COUNTER, &["--format", "sarif"]);
    assert_eq!(run.status, 1);
    let log: Value = serde_json::from_str(&run.output).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let races = report(COUNTER)["races"].as_array().unwrap().len();
    assert_eq!(results.len(), races);
    assert_eq!(
        results[0]["partialFingerprints"]["racelensId/v1"],
        id(COUNTER)
    );
}

#[test]
fn a_page_for_a_browser_has_every_race() {
    let run = check(COUNTER, &["--format", "html"]);
    assert_eq!(run.status, 1);
    assert!(run.output.starts_with("<!DOCTYPE html>"));
    assert!(run.output.contains(&format!("id=\"{}\"", id(COUNTER))));
}

#[test]
fn a_line_is_explained() {
    let program = Program::built(&[("a.c", COUNTER)]);
    let run = program.run(&["explain", "a.c:4"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    assert!(run.output.contains("write of `counter`"), "{}", run.output);
    assert!(run.output.contains(&id(COUNTER)), "{}", run.output);
    assert!(
        run.output.contains("function `worker` (a.c:3:"),
        "{}",
        run.output
    );
}

#[test]
fn exported_functions_race_only_where_that_is_asked_for() {
    let library = "int total;\nvoid add(int n) { total += n; }\n";
    assert_eq!(check(library, &[]).status, 0);
    assert_eq!(check(library, &["--entries", "exported"]).status, 1);
    let config = "[threads]\nexported = true\n";
    let program = Program::built(&[("a.c", library), ("racelens.toml", config)]);
    assert_eq!(program.run(&["check"]).status, 1);
    assert_eq!(program.run(&["check", "--entries", "threads"]).status, 0);
}

const TIMER: &str = "\
static int ticks;
void on_timer(void) { ticks++; }
void on_key(void) { ticks = 0; }
";

fn status_with(config: &str) -> Run {
    let program = Program::built(&[("a.c", TIMER), ("racelens.toml", config)]);
    program.run(&["check"])
}

#[test]
fn a_function_that_the_project_names_as_an_entry_runs_as_a_thread() {
    assert_eq!(check(TIMER, &[]).status, 0);
    let run = status_with("[threads]\nentries = [\"on_timer\", \"on_key\"]\n");
    assert_eq!((run.status, run.notes.as_str()), (1, ""));
    for thread in ["`on_timer`", "`on_key`"] {
        let text = format!("in thread {thread} (one of several), holding no lock");
        assert!(run.output.contains(&text), "{}", run.output);
    }
}

#[test]
fn entries_that_never_run_together_do_not_race() {
    let config = "[threads]\nentries = [\"on_timer\", \"on_key\"]\nnever-parallel = \
        [[\"on_timer\", \"on_key\"], [\"on_timer\", \"on_timer\"], [\"on_key\", \"on_key\"]]\n";
    let run = status_with(config);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
}

#[test]
fn an_entry_that_is_no_function_is_noted() {
    let run = status_with("[threads]\nentries = [\"on_tiemr\"]\n");
    assert_eq!(run.status, 0);
    assert!(run.notes.contains("`on_tiemr`"), "{}", run.notes);
}

#[test]
fn an_access_that_does_not_race_says_why() {
    let program = Program::built(&[(
        "a.c",
        "\
#include <pthread.h>
static pthread_mutex_t m;
static int guarded, early;
static void add(int n) {
    guarded += n;
}
static void *worker(void *argument) {
    pthread_mutex_lock(&m);
    add(early);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void) {
    pthread_t thread;
    early = 1;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&m);
    guarded = 0;
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    return guarded;
}
",
    )]);
    for (line, expected) in [
        (
            5,
            expect![[r#"
                access: write of `guarded`
                 --> a.c:5:5
                  |
                5 |     guarded += n;
                  |     ^^^^^^^ write, holding `m`
                  |
                  = note: `m` is held by every caller: a.c:9:5
                  = note: runs in thread `worker`, started at a.c:16:5
                  = note: no race with the write at a.c:18:5: both hold `m`
                  = note: no race with the read at a.c:21:12: no two threads get there at the same time

                function `add` (a.c:4:13)
                  runs in thread `worker`, started at a.c:16:5
                  returns with the locks that it was called with
            "#]],
        ),
        (
            15,
            expect![[r#"
                access: write of `early`
                  --> a.c:15:5
                   |
                15 |     early = 1;
                   |     ^^^^^ write, holding no lock
                   |
                   = note: runs in thread `main`
                   = note: no race with the read at a.c:9:9: no two threads get there at the same time

                function `main` (a.c:13:5)
                  runs in thread `main`
                  takes `m` (a.c:17:5)
                  may start thread `worker` at a.c:16:5
                  waits for thread `worker` at a.c:16:5
                  returns with the locks that it was called with
            "#]],
        ),
        (
            18,
            expect![[r#"
                access: write of `guarded`
                  --> a.c:18:5
                   |
                17 |     pthread_mutex_lock(&m);
                   |     ------------------ `m` is taken here
                18 |     guarded = 0;
                   |     ^^^^^^^ write, holding `m`
                   |
                   = note: runs in thread `main`
                   = note: no race with the write at a.c:5:5: both hold `m`
                   = note: no race with the read at a.c:21:12: no two threads get there at the same time

                function `main` (a.c:13:5)
                  runs in thread `main`
                  takes `m` (a.c:17:5)
                  may start thread `worker` at a.c:16:5
                  waits for thread `worker` at a.c:16:5
                  returns with the locks that it was called with
            "#]],
        ),
    ] {
        let place = format!("a.c:{line}");
        expected.assert_eq(&program.run(&["explain", &place]).output);
    }
}

#[test]
fn a_guard_is_counted_in_statements() {
    let source = "\
#include <pthread.h>
static pthread_mutex_t m;
static int hits;
static void *worker(void *argument) {
    pthread_mutex_lock(&m);
    hits++;
    hits = hits + 2;
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return hits;
}
";
    let run = check(source, &[]);
    let expected = "`hits` is guarded by `m` in 2 of 3 accesses";
    assert!(run.output.contains(expected), "{}", run.output);
}

#[test]
fn explain_names_the_signal_that_orders_two_accesses() {
    let program = Program::built(&[(
        "a.c",
        "\
#include <pthread.h>
#include <semaphore.h>
static sem_t finished;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int result, settings;
static void load(void) { settings = 3; }
static void *worker(void *arg) {
    pthread_once(&once, load);
    result = settings;
    sem_post(&finished);
    return arg;
}
int main(void) {
    pthread_t thread;
    sem_init(&finished, 0, 0);
    pthread_create(&thread, 0, worker, 0);
    pthread_once(&once, load);
    sem_wait(&finished);
    return result;
}
",
    )]);
    let said = |line: u32| {
        let output = program.run(&["explain", &format!("a.c:{line}")]).output;
        let reasons = output.lines().filter(|line| line.contains("no race"));
        let reasons: Vec<&str> = reasons.map(str::trim).collect();
        reasons.join("\n")
    };
    expect![[r#"
        = note: no race with the read at a.c:9:14: no two threads get there at the same time, or one runs only once, by `once`, before the other
        = note: no race with itself in another thread: only one thread gets there at a time, or it runs only once, by `once`"#]]
    .assert_eq(&said(6));
    expect!["= note: no race with the write at a.c:9:5: one waits for `finished`, which is set only after the other"]
        .assert_eq(&said(19));
}

/// A race with so many accesses, each in a function of its own, every second of them a write.
fn crowded(accesses: usize) -> String {
    let functions = (0..accesses).map(|it| {
        let set = if it % 2 == 1 { " = 1" } else { "" };
        format!("static int use{it:02}(void) {{\n    return hits{set};\n}}\n")
    });
    let calls = (0..accesses).map(|it| format!("    use{it:02}();\n"));
    format!(
        "#include <pthread.h>\nstatic int hits;\n{}static void *worker(void *argument) {{\n{}    return argument;\n}}\n\
         int main(void) {{\n    pthread_t threads[2];\n    for (int i = 0; i < 2; i++)\n        \
         pthread_create(&threads[i], 0, worker, 0);\n    return 0;\n}}\n",
        functions.collect::<String>(),
        calls.collect::<String>()
    )
}

#[test]
fn a_race_lists_some_of_its_accesses_and_counts_the_others() {
    let count = |source: &str| {
        let race = &report(source)["races"][0];
        let listed = race["accesses"].as_array().unwrap().len();
        (listed, race["more_accesses"].as_u64().unwrap())
    };
    assert_eq!(count(COUNTER), (2, 0));
    // A write that races with itself is there twice.
    assert_eq!(count(&crowded(13)), (14, 0));
    assert_eq!(count(&crowded(20)), (14, 7));
}

#[test]
fn a_race_that_is_asked_for_has_all_its_accesses_also_if_it_is_recalled() {
    let source = crowded(20);
    let program = Program::built(&[("a.c", &source)]);
    let cache = tempfile::tempdir().unwrap();
    let cached = |options: &[&str]| {
        let all = ["check", "--cache-dir", cache.path().to_str().unwrap()];
        let arguments: Vec<&str> = all.iter().chain(options).copied().collect();
        program.run(&arguments)
    };
    let id = id(&source);
    for _ in 0..2 {
        let listed = cached(&[]);
        assert!(
            listed
                .output
                .contains("19 other accesses have the same cause: "),
            "{}",
            listed.output
        );
        let run = cached(&["--explain", &id, "--format", "json"]);
        let report: Value = serde_json::from_str(&run.output).unwrap();
        let race = &report["races"][0];
        assert_eq!(race["accesses"].as_array().unwrap().len(), 21);
        assert_eq!(race["more_accesses"], 0);
    }
}
