//! Values of C's widths, memory and pointers, one thread.

use super::harness::fails;

fn holds(setup: &str, condition: &str) {
    let program = |condition: &str| {
        format!(
            "struct pair {{ char first; int second; }};
            static int twice(int n) {{ return 2 * n; }}
            union both {{ unsigned number; unsigned char bytes[4]; }};
            int main(void) {{ {setup} assert({condition}); return 0; }}"
        )
    };
    assert!(!fails(&program(condition)), "{setup} {condition}");
    assert!(
        fails(&program(&format!("!({condition})"))),
        "{setup} !{condition}"
    );
}

#[test]
fn numbers_have_their_widths_and_signs() {
    holds("unsigned char c = 255; c++;", "c == 0");
    holds("signed char c = 127; c++;", "c == -128");
    holds("unsigned u = 0; u--;", "u == 4294967295u");
    holds(
        "int i = -7;",
        "i / 2 == -3 && i % 2 == -1 && (i >> 1) == -4",
    );
    holds("unsigned u = 1u << 31;", "(u >> 31) == 1 && u > 0");
    holds("int i = -1; unsigned u = 1;", "i > u");
    holds("long l = 1L << 40;", "(int)l == 0 && l / 1024 == 1L << 30");
    holds("_Bool b = 256;", "b == 1");
    holds("double d = 7; ", "(int)(d / 2) == 3");
}

#[test]
fn memory_holds_structs_arrays_and_pointers() {
    holds(
        "struct pair p = { 1, 2 }, q = p; q.second++;",
        "p.second == 2 && q.second == 3 && q.first == 1",
    );
    holds(
        "int a[3] = { 1, 2, 3 }; int *p = a + 1;",
        "p[1] == 3 && p[-1] == 1 && p - a == 1",
    );
    holds(
        "union both u; u.number = 0x01020304;",
        "u.bytes[0] == 4 && u.bytes[3] == 1",
    );
    holds(
        "int *p = malloc(8); p[1] = 5; int **q = &p;",
        "(*q)[1] == 5",
    );
    holds("int (*f)(int) = twice;", "f(4) == 8");
    holds(
        "char s[] = \"abc\";",
        "s[1] == 'b' && s[3] == 0 && sizeof s == 4",
    );
    holds("static int n = 3; n += 1;", "n == 4");
}
