//! `racelens verify` as a user runs it.

use crate::program::Program;

fn counter(locks: bool) -> Program {
    let (lock, unlock) = match locks {
        true => ("pthread_mutex_lock(&m); ", " pthread_mutex_unlock(&m);"),
        false => ("", ""),
    };
    let text = format!(
        "\
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static void *worker(void *argument) {{
    {lock}hits++;{unlock}
    return argument;
}}
int main(void) {{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    {lock}hits++;{unlock}
    pthread_join(thread, 0);
    assert(hits == 2);
    return 0;
}}
"
    );
    Program::built(&[("counter.c", &text)])
}

#[test]
fn a_race_is_shown_with_a_column_for_each_thread() {
    let run = counter(false).run(&["verify", "counter.c:6", "counter.c"]);
    assert_eq!(run.status, 1, "{}", run.notes);
    assert!(
        run.output.contains("witnessed: race on hits"),
        "{}",
        run.output
    );
    assert!(run.output.contains("0: main"), "{}", run.output);
    assert!(run.output.contains("1: worker"), "{}", run.output);
    assert!(
        run.output.contains("counter.c:11  starts thread 1"),
        "{}",
        run.output
    );
}

#[test]
fn a_lost_update_violates_the_assertion() {
    let run = counter(false).run(&["verify", "--asserts", "--format", "json", "counter.c"]);
    assert_eq!(run.status, 1, "{}", run.notes);
    assert!(
        run.output.contains("\"verdict\": \"witnessed\""),
        "{}",
        run.output
    );
    let run = counter(true).run(&["verify", "--asserts", "counter.c"]);
    assert_eq!(run.status, 0, "{}", run.notes);
    assert!(run.output.contains("every interleaving"), "{}", run.output);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let program = counter(true);
    let run = program.run(&["verify", "counter.c:6", "counter.c"]);
    assert_eq!(run.status, 2);
    assert!(run.notes.contains("takes part in no race"), "{}", run.notes);
    let run = program.run(&["verify"]);
    assert_eq!(run.status, 2);
    assert!(run.notes.contains("nothing is asked"), "{}", run.notes);
    let run = program.run(&["verify", "--asserts", "--entry", "nobody", "counter.c"]);
    assert_eq!(run.status, 2);
    assert!(run.notes.contains("--entry"), "{}", run.notes);
}
