//! The examples of the papers.

use super::harness::{ASSERTIONS, Small, fails, raced};

/// The Bluetooth driver of KISS fig. 2. The corrected one, of its section 6, counts first and looks at the flag then.
fn bluetooth(increment: &str) -> String {
    format!(
        "struct extension {{ int pendingIo; int stoppingFlag; int stoppingEvent; }};
         static struct extension e; static int stopped;
         static int increment(void) {{ {increment} }}
         static void decrement(void) {{ int pending;
           __VERIFIER_atomic_begin(); e.pendingIo--; pending = e.pendingIo; __VERIFIER_atomic_end();
           if (pending == 0) {{ __VERIFIER_atomic_begin(); e.stoppingEvent = 1; __VERIFIER_atomic_end(); }} }}
         static void *stop(void *a) {{ {STOP} decrement();
           for (;;) {{ __VERIFIER_atomic_begin(); int happened = e.stoppingEvent; __VERIFIER_atomic_end(); if (happened) break; }}
           __VERIFIER_atomic_begin(); stopped = 1; __VERIFIER_atomic_end(); return a; }}
         static void add(void) {{ int status = increment();
           if (status == 0) {{ __VERIFIER_atomic_begin(); int is_stopped = stopped; __VERIFIER_atomic_end(); assert(!is_stopped); }}
           decrement(); }}
         int main(void) {{ pthread_t t; e.pendingIo = 1; pthread_create(&t, 0, stop, 0); add(); return 0; }}"
    )
}

const STOP: &str = "e.stoppingFlag = 1;";
const BROKEN: &str = "if (e.stoppingFlag) return -1;
    __VERIFIER_atomic_begin(); e.pendingIo++; __VERIFIER_atomic_end(); return 0;";
const CORRECTED: &str = "__VERIFIER_atomic_begin(); e.pendingIo++; __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin(); int stopping = e.stoppingFlag; __VERIFIER_atomic_end();
    return stopping ? -1 : 0;";

#[test]
fn the_bluetooth_driver_races_on_its_flag() {
    assert!(raced(&bluetooth(BROKEN)).contains("e.stoppingFlag"));
}

#[test]
fn the_bluetooth_driver_violates_its_assertion() {
    assert!(fails(&bluetooth(BROKEN)));
}

#[test]
fn the_corrected_bluetooth_driver_does_neither() {
    let atomic = "__VERIFIER_atomic_begin(); e.stoppingFlag = 1; __VERIFIER_atomic_end();";
    let corrected = bluetooth(CORRECTED).replace(STOP, atomic);
    assert!(raced(&corrected).is_empty());
    assert!(!fails(&corrected));
}

/// Shacham, Sagiv and Schuster, fig. 4: the counter is read under one lock and changed under another.
#[test]
fn the_running_example_of_shacham_is_witnessed() {
    let found = raced(
        "static pthread_mutex_t key, num, del; static int iterations, deleted, big[4] = { 1, 0, 1, 0 };
         static void *worker(void *a) { int start = *(int *)a;
           pthread_mutex_lock(&key); if (iterations % 5 == 0) deleted = deleted; pthread_mutex_unlock(&key);
           for (int i = start; i < start + 2; i++) { pthread_mutex_lock(&num);
             if (big[i]) { big[i] = 0; } pthread_mutex_unlock(&num); }
           pthread_mutex_lock(&del); ++iterations; pthread_mutex_unlock(&del); return 0; }
         int main(void) { pthread_t a, b; static int starts[2] = { 0, 2 };
           pthread_create(&a, 0, worker, &starts[0]); pthread_create(&b, 0, worker, &starts[1]);
           pthread_join(a, 0); pthread_join(b, 0); return 0; }",
    );
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["iterations"]);
}

/// CIRC fig. 1: whoever sets the state has the variable, without any lock.
const TEST_AND_SET: &str = "static int x, state;
     static void *thread(void *a) { for (int turn = 0; turn < 2; turn++) { int old;
       __VERIFIER_atomic_begin(); old = state; if (state == 0) state = 1; __VERIFIER_atomic_end();
       if (old == 0) { x++; __VERIFIER_atomic_begin(); state = 0; __VERIFIER_atomic_end(); } }
       return a; }
     int main(void) { pthread_t a, b;
       pthread_create(&a, 0, thread, 0); pthread_create(&b, 0, thread, 0);
       pthread_join(a, 0); pthread_join(b, 0); return 0; }";

#[test]
fn test_and_set_is_never_witnessed() {
    assert!(raced(TEST_AND_SET).is_empty());
    let broken = TEST_AND_SET.replace("if (old == 0)", "if (old >= 0)");
    assert!(raced(&broken).contains("x"));
}

#[test]
fn a_sequential_program_with_choices_is_searched_the_same_way() {
    let program = |limit: i32| {
        format!(
            "int main(void) {{ int a = __racelens_choose(4); int b = __racelens_choose(3);
               __racelens_assume(a != 3); if (a + b > {limit}) __racelens_fail(1); return 0; }}"
        )
    };
    assert!(fails(&program(3)));
    assert!(!fails(&program(4)));
    let found = Small::new(&program(3)).verify(&ASSERTIONS);
    assert_eq!(found.witnessed.len(), 1);
}
