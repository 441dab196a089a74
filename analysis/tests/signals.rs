//! What small C functions do to signals, as their callers see it.

use expect_test::{Expect, expect};
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use std::sync::Arc;
use ustr::Ustr;

/// The summary of every function that touches signals, one line for each kind of result.
fn check(text: &str, expected: Expect) {
    let mut host = AnalysisHost::default();
    let unit = UnitChange {
        path: Ustr::from("test.c"),
        text: Some(Arc::from(format!("{DECLARATIONS}{text}"))),
        data_model: DataModel::LP64,
    };
    host.apply(Change { units: vec![unit] });
    let checked = host.analysis().check(Models::builtin(), Options::default());
    let program = &checked.program;
    let mut lines = Vec::new();
    for function in program.functions.ids() {
        let name = program.functions.body(function).function.name;
        let summary = &program.summaries.get(function).signals;
        let mut outcomes: Vec<String> = summary
            .outcomes
            .possible()
            .map(ToString::to_string)
            .collect();
        outcomes.dedup();
        if !summary.is_idle() {
            lines.push(format!("{name}: {}", outcomes.join(" or ")));
        }
    }
    expected.assert_eq(&lines.join("\n"));
}

const DECLARATIONS: &str = "
typedef struct { int count; } sem_t; typedef struct { int held; } pthread_mutex_t; typedef struct { int c; } pthread_cond_t;
typedef struct { int round; } pthread_barrier_t; typedef int pthread_once_t;
int sem_init(sem_t *s, int shared, unsigned value); int sem_wait(sem_t *s); int sem_trywait(sem_t *s); int sem_post(sem_t *s);
int pthread_mutex_lock(pthread_mutex_t *m); int pthread_mutex_unlock(pthread_mutex_t *m);
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m); int pthread_barrier_wait(pthread_barrier_t *b);
int pthread_once(pthread_once_t *control, void (*routine)(void));
struct box { sem_t full; };
sem_t go, done; pthread_mutex_t m; pthread_cond_t c; pthread_barrier_t b; pthread_once_t control;
int flag; _Atomic int ready;
";

#[test]
fn what_is_posted_and_waited_for_is_told_in_terms_of_the_arguments() {
    check(
        "void give(struct box *box) { sem_post(&box->full); }
         void take(struct box *box) { sem_wait(&box->full); }
         void both(void) { static struct box box; give(&box); take(&box); }",
        expect![[r#"
            give: {after $0->full (own), posted $0->full}
            take: {after $0->full (waited)}
            both: {after box.full (own), posted box.full}"#]],
    );
}

#[test]
fn a_wait_counts_if_every_path_waits_and_a_post_if_any_does() {
    check(
        "void f(int x) { if (x) sem_wait(&go); else sem_wait(&done); sem_wait(&go); }
         void g(int x) { if (x) sem_post(&go); }
         void h(int x) { while (x--) sem_wait(&done); }",
        expect![[r#"
            f: {after go (waited)}
            g: {posted go}"#]],
    );
}

#[test]
fn trying_to_wait_counts_only_where_it_succeeded() {
    check(
        "int f(void) { return sem_trywait(&go); }
         int g(void) { if (f() == 0) return 1; return 0; }
         void h(void) { sem_trywait(&go); }",
        expect![[r#"
            f: {} or {after go (waited)} or {}
            g: {} or {after go (waited)}"#]],
    );
}

#[test]
fn a_variable_is_passed_where_it_was_seen_set() {
    check(
        "void set(void) { ready = 1; }
         int is_ready(void) { return ready; }
         void await(void) { while (!is_ready()) continue; }
         void ask(void) { if (is_ready()) return; }",
        expect![[r#"
            set: {after ready (own), posted ready}
            is_ready: {after ready (acquired)} or {before ready (under those at entry)} or {after ready (acquired)}
            await: {after ready (acquired)}"#]],
    );
}

#[test]
fn a_plain_variable_counts_with_the_locks_that_it_was_looked_at_under() {
    check(
        "void set(void) { pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m); }
         void await(void) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); }
         void await_locked(void) { while (!flag) pthread_cond_wait(&c, &m); }
         void outside(void) { pthread_mutex_lock(&m); await_locked(); pthread_mutex_unlock(&m); }",
        expect![[r#"
            set: {after flag (own), posted flag}
            await: {after flag (under m or those at entry)}
            await_locked: {after flag (under those at entry)}
            outside: {after flag (under m or those at entry)}"#]],
    );
}

#[test]
fn a_variable_that_was_found_unset_may_be_set_when_the_lock_was_free() {
    check(
        "void set(void) { pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m); }
         int look(void) { return flag; }
         void kept(void) { pthread_mutex_lock(&m); if (!flag) return; for (;;) continue; }
         void lost(void) { pthread_mutex_lock(&m); if (!flag) { pthread_mutex_unlock(&m); return; } for (;;) continue; }
         void slept(void) { pthread_mutex_lock(&m); if (!flag) { pthread_cond_wait(&c, &m); return; } for (;;) continue; }",
        expect![[r#"
            set: {after flag (own), posted flag}
            look: {after flag (under those at entry)} or {before flag (under those at entry)} or {after flag (under those at entry)}
            kept: {before flag (under m or those at entry)}
            slept: {}"#]],
    );
}

#[test]
fn barriers_are_counted_and_loops_leave_the_rest() {
    check(
        "void meet(void) { pthread_barrier_wait(&b); }
         void twice(void) { meet(); meet(); }
         void perhaps(int x) { if (x) meet(); }
         void turns(int x) { while (x--) twice(); }
         void odd(int x) { meet(); turns(x); }",
        expect![[r#"
            meet: {b passed 1}
            twice: {b passed 2}
            perhaps: {b passed 0 to 1}
            turns: {b passed 0 and more, 0 modulo 2}
            odd: {b passed 1 and more, 1 modulo 2}"#]],
    );
}

#[test]
fn a_routine_that_runs_once_has_run_behind_the_call() {
    check(
        "void fill(void) { flag = 2; }
         void use(void) { pthread_once(&control, fill); }",
        expect!["use: {after control (once)}"],
    );
}
