//! Members, elements and what pointers lead to.

use super::check_ir;
use expect_test::expect;

#[test]
fn a_member_is_a_path_from_the_pointer() {
    check_ir(
        r#"struct p { int x, y; }; struct c { struct p at[3]; int hits; }; int f(struct c *c, int i) { return c->at[i].y + c->hits; }"#,
        expect![[r#"
            fn f(c: *struct c, i: int) int {
            b0:
              %2 = load c->at[i].y
              %3 = load c->hits
              %4 = %2 + %3
              return %4
            }
        "#]],
    );
}

#[test]
fn members_of_unnamed_members_go_through_them() {
    check_ir(
        r#"struct s { int a; union { int b; struct { short c, d; }; }; }; int f(struct s *s) { s->d = 1; return s->b; }"#,
        expect![[r#"
            fn f(s: *struct s) int {
            b0:
              store s-><1>.<1>.d = 1
              %1 = load s-><1>.b
              return %1
            }
        "#]],
    );
}

#[test]
fn a_pointer_to_an_array_counts_arrays_first() {
    check_ir(
        r#"int f(int (*p)[3]) { return (*p)[1] + p[1][2] + *p[2]; }"#,
        expect![[r#"
            fn f(p: *[3]int) int {
            b0:
              %1 = load p[0][1]
              %2 = load p[1][2]
              %3 = %1 + %2
              %4 = load p[2][0]
              %5 = %3 + %4
              return %5
            }
        "#]],
    );
}

#[test]
fn a_cast_pointer_is_counted_in_its_new_type() {
    check_ir(
        r#"int f(void *v, int i) { return ((int *)v)[i] + ((char *)v)[2]; }"#,
        expect![[r#"
            fn f(v: *void, i: int) int {
            b0:
              %2 = v
              %3 = load %2[i]
              %4 = v
              %5 = load %4[2]
              %6 = convert %5 from char
              %7 = %3 + %6
              return %7
            }
        "#]],
    );
}

#[test]
fn bit_fields_have_their_own_width() {
    check_ir(
        r#"struct s { unsigned a : 3; int b : 5; }; int f(struct s *s) { s->a = 9; s->b++; return s->a - 1 < 0; }"#,
        expect![[r#"
            fn f(s: *struct s) int {
            b0:
              store s->a = 1
              %1 = load s->b
              %2 = convert %1 from bits5
              %3 = %2 + 1
              %4 = convert %3 from int
              store s->b = %4
              %5 = load s->a
              %6 = convert %5 from ubits3
              %7 = %6 - 1
              %8 = %7 < 0
              return %8
            }
        "#]],
    );
}

#[test]
fn a_string_is_an_array() {
    check_ir(
        r#"int f(int i) { const char *s = "ab"; return "xyz"[i] + s[0] + sizeof "four"; }"#,
        expect![[r#"
            fn f(i: int) int {
              let s: *const char
            b0:
              s = "ab"
              %2 = load "xyz"[i]
              %3 = load *s
              %4 = convert %2 from char
              %5 = convert %3 from char
              %6 = %4 + %5
              %7 = convert %6 from int
              %8 = %7 + 5
              %9 = convert %8 from ulong
              return %9
            }
        "#]],
    );
}

#[test]
fn old_offsetof_is_a_number() {
    check_ir(
        r#"struct s { char c; int i; }; unsigned long f(void) { return (unsigned long)&((struct s *)0)->i; }"#,
        expect![[r#"
            fn f() ulong {
            b0:
              return 4
            }
        "#]],
    );
}

#[test]
fn a_comma_loses_qualifiers_and_arrays() {
    check_ir(
        r#"volatile int v; int a[3]; int f(void) { __typeof__((0, v)) x = sizeof (0, a); return x; }"#,
        expect![[r#"
            fn f() int {
              let x: int
            b0:
              x = 8
              return x
            }
        "#]],
    );
}
