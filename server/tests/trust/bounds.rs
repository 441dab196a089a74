//! Programs that go beyond what the analysis keeps: memory stays in bounds, and each bound that is hit is said.

use crate::program::{Run, check, finish, racelens};
use crate::temporary_folder::TemporaryFolder;

const HEAD: &str = "#include <pthread.h>\nint shared;\n";

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn folder_of(program: &str) -> TemporaryFolder {
    TemporaryFolder::new(&[("a.c", &format!("{HEAD}{program}"))])
}

/// The bound is said, once.
fn says(program: &str, words: &str) -> Run {
    let run = check(&folder_of(program), &[]);
    let said = run.errors.matches(words).count();
    assert_eq!(said, 1, "{words}: {}{}", run.errors, run.output);
    run
}

/// The bound is not said.
fn is_silent(program: &str, words: &str) {
    let run = check(&folder_of(program), &[]);
    assert!(!run.errors.contains(words), "{}", run.errors);
}

/// The most memory that a check takes, in megabytes.
fn megabytes(program: &str) -> f64 {
    let folder = folder_of(program);
    let mut command = racelens(&folder);
    command.arg("stats");
    let run = finish(command);
    let text = run.output.split("memory: ").nth(1);
    let number = text.and_then(|text| text.split_whitespace().next());
    let number = number.unwrap_or_else(|| panic!("{}{}", run.errors, run.output));
    number.parse().unwrap()
}

/// Kinds of threads that are started one after the other.
fn threads(count: usize) -> String {
    let entries = lines(count, |at| {
        format!("static void *t{at}(void *p) {{ shared++; return p; }}\n")
    });
    let starts = lines(count, |at| {
        format!("pthread_t h{at}; pthread_create(&h{at}, 0, t{at}, 0);\n")
    });
    let joins = lines(count, |at| format!("pthread_join(h{at}, 0);\n"));
    format!("{entries}int main(void) {{\n{starts}{joins}return shared; }}\n")
}

/// Two threads that take so many locks, and then change what is shared.
fn locks(count: usize) -> String {
    let variables = lines(count, |at| format!("pthread_mutex_t m{at};\n"));
    let taken = lines(count, |at| format!("pthread_mutex_lock(&m{at});\n"));
    let released = lines(count, |at| format!("pthread_mutex_unlock(&m{at});\n"));
    format!(
        "{variables}static void *t(void *p) {{\n{taken}shared++;\n{released}return p; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); return 0; }}\n"
    )
}

#[test]
fn many_kinds_of_threads() {
    let words = "`main` starts threads at more than 256 places";
    let run = says(&threads(300), words);
    assert!(run.output.contains("race on `shared`"), "{}", run.output);
    is_silent(&threads(200), words);
}

#[test]
fn memory_does_not_grow_with_the_square_of_the_threads() {
    // Without a bound these took 680 MB.
    let most = megabytes(&threads(1_200));
    assert!(most < 250.0, "{most} MB");
}

#[test]
fn many_locks_at_once() {
    let words = "`t` holds or releases 256 locks or more at once";
    let run = says(&locks(300), words);
    // Those that are still known to be held protect it.
    assert!(!run.output.contains("race on `shared`"), "{}", run.output);
    is_silent(&locks(200), words);
}

#[test]
fn memory_does_not_grow_with_the_square_of_the_locks() {
    // Without a bound these took 560 MB.
    let most = megabytes(&locks(3_000));
    assert!(most < 300.0, "{most} MB");
}

#[test]
fn many_accesses_by_many_ways() {
    let program = |ways: usize| {
        let accesses = lines(250, |_| "shared++;\n".to_owned());
        let locks = lines(ways, |at| format!("pthread_mutex_t m{at};\n"));
        let calls = lines(ways, |at| {
            format!("pthread_mutex_lock(&m{at}); f(); pthread_mutex_unlock(&m{at});\n")
        });
        format!(
            "{locks}static void f(void) {{ {accesses} }}\n\
             static void *t(void *p) {{ {calls} return p; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); return 0; }}\n"
        )
    };
    // Ways that make no difference to an access do not count.
    let run = says(
        &program(20),
        "`shared` is accessed more than 4000 times, counted once for each way to get there",
    );
    assert!(run.output.contains("race on `shared`"), "{}", run.output);
    is_silent(&program(2), "is accessed more than");
}

#[test]
fn many_situations_and_pairs() {
    let program = |count: usize| {
        let variables = lines(count, |at| format!("pthread_mutex_t m{at};\n"));
        let accesses = lines(count, |at| {
            format!("pthread_mutex_lock(&m{at}); shared = {at}; pthread_mutex_unlock(&m{at});\n")
        });
        format!(
            "{variables}static void *t(void *p) {{\n{accesses}return p; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); return 0; }}\n"
        )
    };
    let run = says(
        &program(450),
        "`shared` is accessed in more than 400 situations",
    );
    assert!(
        run.errors
            .contains("`shared` races in more than 400 pairs of accesses"),
        "{}",
        run.errors
    );
    is_silent(&program(10), "more than 400");
}

#[test]
fn calls_of_many_functions_and_functions_that_call_each_other() {
    let program = |count: usize| {
        let declarations = lines(count, |at| format!("static void f{at}(int);\n"));
        let functions = lines(count, |at| {
            let next = (at + 1) % count;
            format!("static void f{at}(int x) {{ shared++; if (x) f{next}(x - 1); }}\n")
        });
        let names = lines(count, |at| format!("f{at}, "));
        format!(
            "{declarations}{functions}void (*table[])(int) = {{ {names} }};\n\
             static void *t(void *p) {{ table[shared](1); return p; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); shared++; return 0; }}\n"
        )
    };
    let run = says(
        &program(20),
        "a call in `t` may reach more than 8 functions",
    );
    let words = "`f0` belongs to more than 4 functions that call each other";
    assert!(run.errors.contains(words), "{}", run.errors);
    is_silent(&program(3), "more than");
}
