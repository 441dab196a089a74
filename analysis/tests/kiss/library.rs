//! What functions of the C library do with text, and what comes from outside.

use super::harness::{ASSERTIONS, Small, fails, raced};

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
