//! What functions of the C library do with text, and what comes from outside.

use super::harness::{ASSERTIONS, Small, fails, raced};
use racelens_analysis::kiss::search::Bounds;

const DECLARATIONS: &str = "
    typedef unsigned long size_t;
    int printf(const char *, ...); int puts(const char *);
    int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
    int asprintf(char **, const char *, ...);
    size_t strlen(const char *); int strncmp(const char *, const char *, size_t);
    int strcasecmp(const char *, const char *); int memcmp(const void *, const void *, size_t);
    char *strchr(const char *, int); char *strrchr(const char *, int); char *strstr(const char *, const char *);
    size_t strspn(const char *, const char *); size_t strcspn(const char *, const char *);
    void *memchr(const void *, int, size_t);
    char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t);
    char *strcat(char *, const char *); char *strncat(char *, const char *, size_t); char *strdup(const char *);
    char *strtok_r(char *, const char *, char **); char *strsep(char **, const char *);
    int atoi(const char *); long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int);
    int isdigit(int); int toupper(int); long read(int, void *, size_t); char *fgets(char *, int, void *);
    int *__errno_location(void); const unsigned short **__ctype_b_loc(void);
    long time(long *); double difftime(long, long);";

/// The condition holds after the setup, and what denies it fails.
fn holds(setup: &str, condition: &str) {
    let program = |condition: &str| {
        format!("{DECLARATIONS} int main(void) {{ {setup} assert({condition}); return 0; }}")
    };
    assert!(!fails(&program(condition)), "{setup} {condition}");
    assert!(
        fails(&program(&format!("!({condition})"))),
        "{setup} !({condition})"
    );
}

#[test]
fn formats_are_printed_byte_for_byte() {
    holds(
        "char b[16]; int n = snprintf(b, sizeof b, \"key-%ld\", 7L);",
        "n == 5 && strcmp(b, \"key-7\") == 0",
    );
    holds(
        "char b[4]; int n = snprintf(b, sizeof b, \"%d\", 12345);",
        "n == 5 && strcmp(b, \"123\") == 0",
    );
    holds(
        "char b[40]; sprintf(b, \"%05d|%-4s|%x|%c|%%|%.2f\", -12, \"ab\", 255u, 'z', 1.5);",
        "strcmp(b, \"-0012|ab  |ff|z|%|1.50\") == 0",
    );
    holds(
        "char *p; int n = asprintf(&p, \"%s!\", \"hi\");",
        "n == 3 && strcmp(p, \"hi!\") == 0",
    );
    holds("char b[4] = \"abc\"; snprintf(b, 0, \"x\");", "b[0] == 'a'");
}

#[test]
fn strings_are_measured_searched_copied_and_cut() {
    holds(
        "const char *s = \"hello\";",
        "strlen(s) == 5 && strchr(s, 'l') == s + 2 && strrchr(s, 'l') == s + 3",
    );
    holds(
        "const char *s = \"hello\";",
        "strchr(s, 'x') == 0 && strchr(s, 0) == s + 5 && strstr(s, \"lo\") == s + 3",
    );
    holds(
        "const char *s = \"hello\";",
        "strncmp(s, \"help\", 3) == 0 && strncmp(s, \"help\", 4) < 0",
    );
    holds(
        "const char *s = \"Hello\";",
        "strcasecmp(s, \"hELLO\") == 0 && memcmp(s, \"Help\", 4) < 0",
    );
    holds(
        "const char *s = \"aab,c\";",
        "strspn(s, \"a\") == 2 && strcspn(s, \",\") == 3 && memchr(s, 'c', 4) == 0",
    );
    holds(
        "char b[8]; strcpy(b, \"ab\"); strcat(b, \"cd\"); strncat(b, \"efg\", 2);",
        "strcmp(b, \"abcdef\") == 0",
    );
    holds(
        "char b[4]; strncpy(b, \"a\", 4);",
        "b[0] == 'a' && b[1] == 0 && b[3] == 0",
    );
    holds(
        "char *p = strdup(\"abc\"); p[0] = 'x';",
        "strcmp(p, \"xbc\") == 0",
    );
    holds(
        "char b[] = \" a b\"; char *rest; char *one = strtok_r(b, \" \", &rest); char *two = strtok_r(0, \" \", &rest);",
        "strcmp(one, \"a\") == 0 && strcmp(two, \"b\") == 0 && strtok_r(0, \" \", &rest) == 0",
    );
    holds(
        "char b[] = \"a,,b\"; char *p = b; strsep(&p, \",\");",
        "*strsep(&p, \",\") == 0 && *p == 'b'",
    );
}

#[test]
fn numbers_and_characters_are_read() {
    holds(
        "char *end; long n = strtol(\" -12x\", &end, 10);",
        "n == -12 && *end == 'x' && atoi(\"77\") == 77",
    );
    holds(
        "char *end;",
        "strtol(\"0x1f\", &end, 0) == 31 && strtol(\"077\", 0, 0) == 63 && strtoul(\"-1\", 0, 10) + 1 == 0",
    );
    holds(
        "int c = '7';",
        "isdigit(c) && !isdigit('a') && toupper('q') == 'Q'",
    );
    holds(
        "const unsigned short *t = *__ctype_b_loc();",
        "(t['a'] & 0x400) && !(t['1'] & 0x400) && (t['\\t'] & 0x2000)",
    );
    holds("*__errno_location() = 5;", "*__errno_location() == 5");
}

/// What an unknown value is printed to is unknown, but only there.
#[test]
fn what_is_printed_of_an_unknown_value_ends_where_the_directive_ends() {
    holds(
        "double d = difftime(1, 0); char b[400] = \"\"; snprintf(b, sizeof b, \"ab%fcd\", d);",
        "b[0] == 'a' && b[1] == 'b'",
    );
    let program = format!(
        "{DECLARATIONS} int main(void) {{ char b[400]; snprintf(b, 400, \"%f\", difftime(1, 0)); assert(b[3] != 'x'); return 0; }}"
    );
    let outcome = Small::new(&program).verify(&ASSERTIONS).outcome;
    assert!(outcome.witnesses.is_empty() && !outcome.limits.is_empty());
    holds(
        "double d = difftime(1, 0); int n = 3; printf(\"%f %d\\n\", d, n); puts(\"x\");",
        "n == 3",
    );
}

#[test]
fn bytes_from_outside_may_be_any() {
    let reads = |condition: &str| {
        format!(
            "{DECLARATIONS} int main(void) {{ char b[8] = \"\"; long n = read(0, b, 8); assert({condition}); return 0; }}"
        )
    };
    assert!(fails(&reads("n >= 0")));
    assert!(fails(&reads("n < 8")));
    assert!(fails(&reads("n < 1 || b[0] != 1")));
    assert!(!is_witnessed(&reads("n <= 8")));
    // What was not read stays as it was.
    assert!(!is_witnessed(&reads("n != 0 || b[0] == 0")));
    let line = |condition: &str| {
        format!(
            "{DECLARATIONS} int main(void) {{ char b[8] = \"\"; char *l = fgets(b, 8, 0); assert({condition}); return 0; }}"
        )
    };
    assert!(fails(&line("l")));
    assert!(fails(&line("!l || strlen(l) != 1")));
    assert!(!is_witnessed(&line("!l || strlen(l) < 8 && strlen(l) > 0")));
}

/// Nobody else notices anything of such a loop, so that it has no end by itself.
#[test]
fn a_loop_that_reads_for_ever_is_a_long_way_and_many_states() {
    let program = |condition: &str| {
        format!(
            "int getchar(void); int main(void) {{ int read = 0; while (getchar() != 'x') read++; assert({condition}); return 0; }}"
        )
    };
    let bounds = Bounds {
        path_steps: 100,
        states: 5_000,
        ..Bounds::default()
    };
    let found = Small::new(&program("read >= 0")).verify_deep(&ASSERTIONS, bounds);
    assert!(found.witnessed.is_empty());
    assert!(found.outcome.too_long || found.outcome.states >= bounds.states);
    assert!(
        found.outcome.states <= 2 * bounds.states,
        "{}",
        found.outcome.states
    );
    let found = Small::new(&program("read < 3")).verify_deep(&ASSERTIONS, bounds);
    assert!(!found.witnessed.is_empty());
}

fn is_witnessed(program: &str) -> bool {
    !Small::new(program).verify(&ASSERTIONS).witnessed.is_empty()
}

/// Only the bytes that are certainly written, or read, take part in a race.
#[test]
fn races_are_on_the_bytes_that_are_used() {
    let program = |printed: &str, other: &str| {
        format!(
            "{DECLARATIONS} static char text[16]; static int seen;
             static void *writer(void *a) {{ snprintf(text, sizeof text, \"%s\", {printed}); return a; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, writer, 0); seen = {other}; return 0; }}"
        )
    };
    assert!(!raced(&program("\"abc\"", "text[3]")).is_empty());
    assert!(raced(&program("\"abc\"", "text[4]")).is_empty());
    assert!(!raced(&program("\"abc\"", "puts(text)")).is_empty());
    assert!(raced(&program("\"abc\"", "puts(text + 8)")).is_empty());
}

const SORTING: &str = "
    void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
    void *bsearch(const void *, const void *, unsigned long, unsigned long, int (*)(const void *, const void *));
    static int calls;
    static int by_value(const void *l, const void *r) { calls++; return *(const int *)l - *(const int *)r; }";

#[test]
fn arrays_are_sorted_and_searched_by_calling_back() {
    let program = |condition: &str| {
        format!(
            "{SORTING} int main(void) {{ int v[6] = {{ 5, 1, 4, 1, 3, 9 }}; int key = 4, none = 2;
               qsort(v, 6, sizeof v[0], by_value);
               int *found = bsearch(&key, v, 6, sizeof v[0], by_value);
               int *missing = bsearch(&none, v, 6, sizeof v[0], by_value);
               qsort(v, 0, sizeof v[0], by_value); qsort(v, 1, sizeof v[0], by_value);
               int before = calls; missing = missing ? missing : bsearch(&none, v, 0, sizeof v[0], by_value);
               assert({condition}); return 0; }}"
        )
    };
    for right in [
        "v[0] == 1 && v[1] == 1 && v[2] == 3 && v[3] == 4 && v[4] == 5 && v[5] == 9",
        "found == &v[3] && missing == 0",
        "before == calls && calls > 5",
    ] {
        assert!(!fails(&program(right)), "{right}");
        assert!(fails(&program(&format!("!({right})"))), "{right}");
    }
}

#[test]
fn a_function_that_is_called_back_races_like_any_other() {
    let program = |lock: &str, unlock: &str| {
        let sorting = SORTING.replace("calls++;", &format!("{lock} calls++; {unlock}"));
        format!(
            "static pthread_mutex_t m; {sorting}
             static void *sort(void *a) {{ int v[2] = {{ 2, 1 }}; qsort(v, 2, sizeof v[0], by_value); return a; }}
             int main(void) {{ pthread_t s, t; pthread_create(&s, 0, sort, 0); pthread_create(&t, 0, sort, 0);
               pthread_join(s, 0); pthread_join(t, 0); return 0; }}"
        )
    };
    assert!(raced(&program("", "")).contains("calls"));
    let locked = program("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);");
    assert!(raced(&locked).is_empty());
}

#[test]
fn handlers_are_not_run_and_this_is_said() {
    let program = |between: &str| {
        format!(
            "typedef void (*handler)(int); handler signal(int, handler); int raise(int); int atexit(void (*)(void));
             static int x; static void note(int number) {{ x = number; }} static void last(void) {{ x = 0; }}
             static void *thread(void *a) {{ x = 1; return a; }}
             int main(void) {{ pthread_t t; atexit(last); if (signal(2, note) != 0) return 1; {between}
               pthread_create(&t, 0, thread, 0); x = 2; pthread_join(t, 0); return 0; }}"
        )
    };
    let found = Small::new(&program("")).verify(&super::harness::ANY_RACE);
    assert!(!found.witnessed.is_empty());
    let ignored: Vec<String> = found.witnessed[0]
        .trace
        .ignored
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        ignored,
        [
            "handlers that `atexit` sets are never called",
            "handlers that `signal` sets are never called"
        ]
    );
    assert!(!found.outcome.complete);
    // This handler would have to run.
    let found = Small::new(&program("raise(2);")).verify(&super::harness::ANY_RACE);
    assert!(found.witnessed.is_empty());
    assert!(!found.outcome.limits.is_empty());
}
