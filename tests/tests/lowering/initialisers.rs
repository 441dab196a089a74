//! Initialisers, with designators, ranges and without braces.

use super::check_ir;
use expect_test::expect;

#[test]
fn what_is_left_out_is_zero() {
    check_ir(
        r#"struct s { int a, b; char c[4]; }; void g(struct s *); void f(void) { struct s s = { 1 }; g(&s); }"#,
        expect![[r#"
            fn f() void {
              var s: struct s
            b0:
              store s = 0
              store s.a = 1
              %1 = &s
              call g(%1)
              return
            }
        "#]],
    );
}

#[test]
fn a_full_list_needs_no_zeros() {
    check_ir(
        r#"struct s { int a, b; }; void g(struct s *); void f(int x) { struct s s = { x, 2 }; g(&s); }"#,
        expect![[r#"
            fn f(x: int) void {
              var s: struct s
            b0:
              store s.a = x
              store s.b = 2
              %2 = &s
              call g(%2)
              return
            }
        "#]],
    );
}

#[test]
fn designators_move_on_from_where_they_lead() {
    check_ir(
        r#"struct p { int x, y; }; struct s { struct p a, b; int c; }; void g(struct s *); void f(void) { struct s s = { .a.y = 1, 2, .c = 3 }; g(&s); }"#,
        expect![[r#"
            fn f() void {
              var s: struct s
            b0:
              store s = 0
              store s.a.y = 1
              store s.b.x = 2
              store s.c = 3
              %1 = &s
              call g(%1)
              return
            }
        "#]],
    );
}

#[test]
fn braces_may_be_left_out() {
    check_ir(
        r#"struct p { int x, y; }; struct s { struct p a; int c; }; void g(struct s *); void f(void) { struct s s[] = { 1, 2, 3, 4 }; g(s); }"#,
        expect![[r#"
            fn f() void {
              var s: [2]struct s
            b0:
              store s = 0
              store s[0].a.x = 1
              store s[0].a.y = 2
              store s[0].c = 3
              store s[1].a.x = 4
              %1 = &s[0]
              call g(%1)
              return
            }
        "#]],
    );
}

#[test]
fn a_range_computes_its_value_once() {
    check_ir(
        r#"int next(void); void g(int *); void f(void) { int a[4] = { [1 ... 2] = next() }; g(a); }"#,
        expect![[r#"
            fn f() void {
              var a: [4]int
            b0:
              store a = 0
              %1 = call next()
              store a[1] = %1
              store a[2] = %1
              %2 = &a[0]
              call g(%2)
              return
            }
        "#]],
    );
}

#[test]
fn compound_literals_are_variables_without_names() {
    check_ir(
        r#"struct s { int a, b; }; void g(struct s *); void f(int x) { g(&(struct s){ .b = x }); }"#,
        expect![[r#"
            fn f(x: int) void {
              var %1: struct s
            b0:
              store %1 = 0
              store %1.b = x
              %2 = &%1
              call g(%2)
              return
            }
        "#]],
    );
}

#[test]
fn strings_fill_arrays() {
    check_ir(
        r#"void g(char *); void f(void) { char a[] = "ab", b[4] = { "c" }; g(a); g(b); }"#,
        expect![[r#"
            fn f() void {
              var a: [3]char
              var b: [4]char
            b0:
              store a = "ab"
              store b = "c"
              %2 = &a[0]
              call g(%2)
              %3 = &b[0]
              call g(%3)
              return
            }
        "#]],
    );
}
