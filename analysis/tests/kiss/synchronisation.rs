//! What keeps threads apart keeps their accesses apart, and nothing else does.

use super::harness::{ANY_RACE, Small, fails, raced};

/// Two threads that run `body`, each with its own number in `me`, after `setup` in `main`.
fn two_threads(globals: &str, setup: &str, body: &str) -> String {
    format!(
        "{globals} static int x, y;
         static void *thread(void *a) {{ long me = (long)a; {body} return a; }}
         int main(void) {{ pthread_t s, t; {setup}
           pthread_create(&s, 0, thread, (void *)0); pthread_create(&t, 0, thread, (void *)1);
           pthread_join(s, 0); pthread_join(t, 0); x = x; return 0; }}"
    )
}

fn is_raced(globals: &str, setup: &str, body: &str) -> bool {
    raced(&two_threads(globals, setup, body)).contains("x")
}

#[test]
fn a_mutex_keeps_threads_apart() {
    let mutex = "static pthread_mutex_t m, n;";
    let lock = |first: &str, second: &str| {
        format!("pthread_mutex_lock({first}); x++; pthread_mutex_unlock({second}); y = y;")
    };
    assert!(!is_raced(mutex, "", &lock("&m", "&m")));
    assert!(is_raced(mutex, "", &lock("me ? &m : &n", "me ? &m : &n")));
    assert!(is_raced(mutex, "", "x++;"));
}

#[test]
fn readers_keep_writers_out_but_not_each_other() {
    let rwlock = "static pthread_rwlock_t l;";
    let with =
        |mode: &str| format!("pthread_rwlock_{mode}lock(&l); x++; pthread_rwlock_unlock(&l);");
    assert!(!is_raced(rwlock, "", &with("wr")));
    assert!(is_raced(rwlock, "", &with("rd")));
    let mixed = "if (me) { pthread_rwlock_rdlock(&l); y = x; } else { pthread_rwlock_wrlock(&l); x = 1; } pthread_rwlock_unlock(&l);";
    assert!(!is_raced(rwlock, "", mixed));
}

#[test]
fn a_lock_that_was_tried_in_vain_is_not_held() {
    let mutex = "static pthread_mutex_t m;";
    let right = "if (pthread_mutex_trylock(&m) == 0) { x++; pthread_mutex_unlock(&m); }";
    let wrong =
        "if (pthread_mutex_trylock(&m) != 0) { x++; } else { x++; pthread_mutex_unlock(&m); }";
    assert!(!is_raced(mutex, "", right));
    assert!(is_raced(mutex, "", wrong));
}

#[test]
fn a_lock_that_the_thread_has_is_had_again_only_if_it_is_recursive() {
    let again = |kind: &str| {
        is_raced(
            "static mtx_t m;",
            &format!("mtx_init(&m, {kind});"),
            "mtx_lock(&m); if (mtx_trylock(&m) == 0) mtx_unlock(&m); else mtx_unlock(&m); x++;",
        )
    };
    let once = |kind: &str| {
        is_raced(
            "static mtx_t m;",
            &format!("mtx_init(&m, {kind});"),
            "mtx_lock(&m); if (mtx_trylock(&m) == 0) { x++; mtx_unlock(&m); } mtx_unlock(&m);",
        )
    };
    // Plain, recursive, timed, and both.
    assert_eq!(["0", "1", "2", "3"].map(again), [true, false, true, false]);
    assert_eq!(["0", "1", "2", "3"].map(once), [false; 4]);
}

#[test]
fn a_semaphore_lets_in_as_many_as_it_counts() {
    let semaphore = "static sem_t s;";
    let body = "sem_wait(&s); x++; sem_post(&s);";
    // The name `s` of the semaphore is that of the file, not of the thread in main.
    let setup = |count: u32| format!("sem_init(&gate, 0, {count});");
    let semaphore = semaphore.replace("s;", "gate;");
    let body = body.replace("&s", "&gate");
    assert!(!is_raced(&semaphore, &setup(1), &body));
    assert!(is_raced(&semaphore, &setup(2), &body));
}

#[test]
fn a_condition_variable_gives_up_the_lock_and_needs_a_signal() {
    let globals = "static pthread_mutex_t m; static pthread_cond_t c; static int ready;";
    let wait = |ready: &str| {
        format!(
            "if (me) {{ pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m);
               pthread_mutex_unlock(&m); x = 2; }}
             else {{ x = 1; pthread_mutex_lock(&m); {ready} pthread_cond_signal(&c); pthread_mutex_unlock(&m); }}"
        )
    };
    assert!(!is_raced(globals, "", &wait("ready = 1;")));
    assert!(is_raced(globals, "ready = 1;", &wait("")));
}

#[test]
fn a_barrier_separates_phases() {
    let globals = "static pthread_barrier_t b;";
    let setup = "pthread_barrier_init(&b, 0, 2);";
    let body = "if (me) x = 1; pthread_barrier_wait(&b); if (!me) x = 2;";
    assert!(!is_raced(globals, setup, body));
    let broken = "if (me) x = 1; else pthread_barrier_wait(&b); if (!me) x = 2; else pthread_barrier_wait(&b);";
    assert!(is_raced(globals, "pthread_barrier_init(&b, 0, 1);", broken));
}

/// A writer and a reader of a sequence lock, with what the reader does in its section and behind it.
fn sequence_lock(write: &str, read: &str, behind: &str) -> String {
    let globals = "typedef struct { unsigned sequence; } seqlock_t; static seqlock_t l;
        unsigned read_seqbegin(const seqlock_t *); unsigned read_seqretry(const seqlock_t *, unsigned);
        void write_seqlock(seqlock_t *); void write_sequnlock(seqlock_t *);";
    let body = format!(
        "if (me) {{ {write} }} else {{ unsigned start; int a, b;
           do {{ start = read_seqbegin(&l); {read} }} while (read_seqretry(&l, start)); {behind} }}"
    );
    two_threads(globals, "", &body)
}

#[test]
fn readers_of_a_sequence_lock_try_again_and_race_with_nobody_who_has_it() {
    let write = "write_seqlock(&l); x++; y++; write_sequnlock(&l);";
    let both = "a = x; b = y;";
    assert!(raced(&sequence_lock(write, both, "")).is_empty());
    // What was read together belongs together, since the last try had no writer in it.
    assert!(!fails(&sequence_lock(write, both, "assert(a == b);")));
    assert!(fails(&sequence_lock(write, both, "assert(a == 0);")));
    // Without trying again it need not.
    let once = sequence_lock(write, both, "assert(a == b);");
    assert!(fails(&once.replace(
        "while (read_seqretry(&l, start))",
        "while (read_seqretry(&l, start) * 0)"
    )));
}

#[test]
fn a_sequence_lock_helps_only_readers_in_their_section() {
    let write = "write_seqlock(&l); x++; write_sequnlock(&l);";
    assert!(raced(&sequence_lock(write, "a = 0;", "y = x;")).contains("x"));
    assert!(raced(&sequence_lock(write, "x = 5;", "")).contains("x"));
    assert!(raced(&sequence_lock("x++;", "a = x;", "")).contains("x"));
}

#[test]
fn assembly_may_be_a_lock_and_fences_are_none() {
    let lock = "static int l;
        static void lock(void) { __asm__ volatile(\"1: lock; btsl $0, %0; jc 1b\" : \"+m\"(l) : : \"memory\"); }
        static void unlock(void) { __asm__ volatile(\"movl $0, %0\" : \"=m\"(l) : : \"memory\"); }";
    assert!(!is_raced(lock, "", "lock(); x++; unlock();"));
    for text in ["", "mfence", "rep; nop\\n\\t"] {
        let fence = format!("__asm__ volatile(\"{text}\" : : : \"memory\"); x++;");
        assert!(is_raced("", "", &fence), "{text}");
    }
    let cycles = "unsigned low; __asm__ volatile(\"rdtsc\" : \"=a\"(low) : : \"edx\"); x++;";
    assert!(is_raced("", "", cycles));
}

#[test]
fn once_runs_once_and_everybody_waits_for_it() {
    let globals = "static pthread_once_t o; static int runs; static int x; static void init(void) { x = 1; runs++; }";
    let text = two_threads(globals, "", "pthread_once(&o, init); y = me ? x : 0;");
    let text = text
        .replace("static int x, y;", "static int y;")
        .replace("x = x;", "assert(runs == 1);");
    assert!(!raced(&text).contains("x"));
    assert!(!fails(&text));
}

#[test]
fn reading_before_the_join_races() {
    let program = |first: &str, second: &str| {
        format!(
            "static int x; static void *thread(void *a) {{ x = 1; return a; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, thread, 0); {first} {second} return 0; }}"
        )
    };
    let (join, read) = ("pthread_join(t, 0);", "int seen = x; if (seen) return 1;");
    assert!(raced(&program(join, read)).is_empty());
    assert!(raced(&program(read, join)).contains("x"));
}

#[test]
fn only_one_of_two_writers_is_joined() {
    let found = raced(
        "pthread_mutex_t m; int best;
         void *search(void *a) { int seed = *(int *)a;
           for (int i = 0; i < 3; i++) { pthread_mutex_lock(&m);
             if (seed * i % 97 > best) best = seed * i % 97; pthread_mutex_unlock(&m); }
           return 0; }
         int main(void) { int seeds[2] = { 13, 29 }; pthread_t a, b;
           pthread_create(&a, 0, search, &seeds[0]); pthread_join(a, 0); best = 0;
           pthread_create(&b, 0, search, &seeds[1]); int found = best; pthread_join(b, 0);
           return found > best; }",
    );
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["best"]);
}

#[test]
fn what_depends_on_a_computed_string_is_not_guessed() {
    let text = two_threads("", "", "if (strcmp(\"a\", \"a\") != 0) x++;");
    assert!(!raced(&text).contains("x"));
}

#[test]
fn a_value_from_elsewhere_is_an_assumption_of_the_trace() {
    let text = two_threads("", "", "if (somewhere_else() == 7) x++;");
    let found = Small::new(&text).verify(&ANY_RACE);
    let with_race = found
        .witnessed
        .iter()
        .find(|found| !found.trace.assumptions.is_empty());
    let assumed = &with_race.expect("the race is witnessed").trace.assumptions;
    assert!(
        assumed.iter().all(|assumption| assumption.value == Some(7)),
        "{assumed:?}"
    );
}

#[test]
fn memory_that_is_gone_ends_the_path() {
    let text = two_threads("", "", "int *p = malloc(4); *p = 1; free(p); if (*p) x++;");
    let found = Small::new(&text).verify(&ANY_RACE);
    assert!(found.witnessed.is_empty());
    assert!(!found.outcome.faults.is_empty());
    assert!(!found.outcome.complete);
}
