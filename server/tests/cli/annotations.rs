//! Promises about locks that declarations make by attributes, and what is said where a program breaks them.

use crate::program::Program;
use crate::schema;
use expect_test::expect;
use serde_json::Value;

/// As users write it: gcc does not know these attributes, and Racelens preprocesses with the project's compiler.
const HEADER: &str = "\
#include <pthread.h>
#if defined(__clang__) || defined(__RACELENS__)
#define ANNOTATE(attribute) __attribute__((attribute))
#else
#define ANNOTATE(attribute)
#endif
struct conn {
    pthread_rwlock_t lock;
    int hits ANNOTATE(guarded_by(lock));
};
void conn_init(struct conn *c);
void bump(struct conn *c) ANNOTATE(exclusive_locks_required(c->lock));
int peek(struct conn *c) ANNOTATE(shared_locks_required(&c->lock));
void forced(struct conn *c) ANNOTATE(no_thread_safety_analysis);
void take(struct conn *c) ANNOTATE(acquire_capability(c->lock));
void drop(struct conn *c) ANNOTATE(release_capability(c->lock));
";

/// A program around this part of it, which several threads run.
fn program(body: &str) -> Program {
    let source = format!(
        "#include \"conn.h\"
void conn_init(struct conn *c) {{
    pthread_rwlock_init(&c->lock, 0);
    c->hits = 0;
}}
void bump(struct conn *c) {{ c->hits++; }}
int peek(struct conn *c) {{ return c->hits; }}
static void *worker(void *argument) {{
    struct conn *c = argument;
    {body}
    return argument;
}}
int main(void) {{
    struct conn c;
    pthread_t threads[2];
    conn_init(&c);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &c);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return c.hits;
}}
"
    );
    Program::built(&[("conn.h", HEADER), ("a.c", &source)])
}

/// The attribute and the line of every violation.
fn violations(body: &str) -> Vec<(String, u64, String)> {
    let run = program(body).run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.output).unwrap();
    assert_eq!(schema::errors(&schema::of_reports(), &report), [""; 0]);
    let violations = report["violations"].as_array().unwrap().iter();
    violations
        .map(|violation| {
            let word = |name: &str| violation[name].as_str().unwrap().to_owned();
            let line = violation["line"].as_u64().unwrap();
            (word("code"), line, word("message"))
        })
        .collect()
}

#[test]
fn promises_that_are_kept_are_silent() {
    for body in [
        "pthread_rwlock_wrlock(&c->lock); c->hits = 1; bump(c); peek(c); pthread_rwlock_unlock(&c->lock);",
        "pthread_rwlock_rdlock(&c->lock); peek(c); pthread_rwlock_unlock(&c->lock);",
        "take(c); bump(c); drop(c);",
    ] {
        assert_eq!(violations(body), [], "{body}");
    }
}

#[test]
fn every_way_to_break_one_is_named() {
    for (body, code, message) in [
        (
            "c->hits = 1;",
            "guarded_by",
            "`c->hits` is accessed without `c->lock`, which guards it",
        ),
        (
            "pthread_rwlock_rdlock(&c->lock); c->hits = 1; pthread_rwlock_unlock(&c->lock);",
            "guarded_by",
            "`c->hits` is written while `c->lock`, which guards it, is held for reading only",
        ),
        (
            "bump(c);",
            "requires_capability",
            "`bump` is called without `c->lock`, which it requires",
        ),
        (
            "pthread_rwlock_rdlock(&c->lock); bump(c); pthread_rwlock_unlock(&c->lock);",
            "requires_capability",
            "`bump` is called with `c->lock` held for reading only",
        ),
        (
            "take(c); drop(c); peek(c);",
            "requires_capability",
            "`peek` is called without `c->lock`, which it requires",
        ),
    ] {
        let expected = (code.to_owned(), 10, message.to_owned());
        assert_eq!(violations(body), [expected], "{body}");
    }
}

#[test]
fn a_function_that_does_not_do_what_it_says_is_named() {
    let program = Program::built(&[
        ("conn.h", HEADER),
        (
            "a.c",
            "#include \"conn.h\"
void take(struct conn *c) { (void)c; }
void drop(struct conn *c) { (void)c; }
void forced(struct conn *c) { c->hits = 0; }
int main(void) { return 0; }
",
        ),
    ]);
    program.check(&["check"], expect![[r#"
        warning[acquire_capability]: `take` promises to take `c->lock`, but does not always hold it in the end [f94667568c87]
         --> a.c:2:6
          |
        2 | void take(struct conn *c) { (void)c; }
          |      ^^^^

        warning[release_capability]: `drop` promises to release `c->lock`, but never does [1ed221109821]
         --> a.c:3:6
          |
        3 | void drop(struct conn *c) { (void)c; }
          |      ^^^^

        no data race found, 2 violated lock annotations
        1 translation unit, 4 functions, 1 thread, 0 shared locations, 0 accesses, N s
        exit status 1
    "#]]);
}

#[test]
fn a_library_s_callers_are_taken_to_hold_what_it_requires() {
    let library = "#include \"conn.h\"
void bump(struct conn *c) { c->hits++; }
void forced(struct conn *c) { c->hits = 0; }
";
    let program = Program::built(&[("conn.h", HEADER), ("a.c", library)]);
    let run = program.run(&["check", "--entries", "exported", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.output).unwrap();
    assert_eq!(report["violations"], Value::Array(Vec::new()));
    // What is exempt from the promises can race all the same, but two bumps cannot.
    for race in report["races"].as_array().unwrap() {
        let mut accesses = race["accesses"].as_array().unwrap().iter();
        assert!(
            accesses.any(|access| access["function"] == "forced"),
            "{race}"
        );
    }
}

#[test]
fn a_violation_is_explained_accepted_and_known_like_a_race() {
    let program = program("c->hits = 1;");
    let run = program.run(&["check", "--format", "json"]);
    assert_eq!(run.status, 1);
    let report: Value = serde_json::from_str(&run.output).unwrap();
    let violation = &report["violations"][0];
    let id = violation["id"].as_str().unwrap();
    let comment = violation["benign_comments"][0]["text"].as_str().unwrap();
    let explained = program.run(&["check", "--explain", id]);
    assert_eq!(explained.status, 1);
    assert!(
        explained.output.starts_with("warning[guarded_by]: "),
        "{}",
        explained.output
    );
    assert!(explained.output.contains(comment), "{}", explained.output);

    program.run(&["check", "--write-baseline", "known.json"]);
    let known = program.run(&["check", "--baseline", "known.json"]);
    assert_eq!(known.status, 0, "{}", known.output);

    let source = std::fs::read_to_string(program.path("a.c")).unwrap();
    let accepted = source.replace(
        "    c->hits = 1;",
        &format!("    {comment}\n    c->hits = 1;"),
    );
    program.write("a.c", accepted.as_bytes());
    let run = program.run(&["check"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""), "{}", run.output);
    let expected = "no data race found, 2 marked as benign\n";
    assert!(run.output.starts_with(expected), "{}", run.output);
}

#[test]
fn sarif_has_a_rule_for_each_attribute() {
    let run = program("c->hits = 1;").run(&["check", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&run.output).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let result = results
        .iter()
        .find(|result| result["ruleId"] == "guarded_by");
    let result = result.unwrap();
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "guarded_by");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 10);
}
