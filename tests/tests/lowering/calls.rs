//! Calls: direct, through pointers, without return, with structs.

use super::check_ir;
use expect_test::expect;

#[test]
fn a_call_of_a_noreturn_function_ends_the_path() {
    check_ir(
        r#"extern void die(void) __attribute__((noreturn)); int g; int f(int x) { if (x) { die(); g = 1; } return g; }"#,
        expect![[r#"
            fn f(x: int) int {
            b0:
              if x goto b1 else b2
            b1:
              call die()
              unreachable
            b2:
              %1 = load g
              return %1
            }
        "#]],
    );
}

#[test]
fn one_declaration_that_says_noreturn_is_enough() {
    check_ir(
        r#"void die(int) __attribute__((noreturn)); void die(int x) { for (;;) ; } int f(int x) { if (x) die(x); return 2; }"#,
        expect![[r#"
            fn f(x: int) int {
            b0:
              if x goto b1 else b2
            b1:
              call die(x)
              unreachable
            b2:
              return 2
            }
        "#]],
    );
}

#[test]
fn noreturn_may_be_said_inside_the_function() {
    check_ir(
        r#"int f(int x) { extern _Noreturn void stop(void); if (x) stop(); return 2; }"#,
        expect![[r#"
            fn f(x: int) int {
            b0:
              if x goto b1 else b2
            b1:
              call stop()
              unreachable
            b2:
              return 2
            }
        "#]],
    );
}

#[test]
fn function_pointers_in_structs_and_arrays() {
    check_ir(
        r#"struct ops { int (*run)(int); }; int (*table[2])(char); int f(struct ops *o, int i) { return o->run(i) + (*table[i])(i) + (*o->run)(1); }"#,
        expect![[r#"
            fn f(o: *struct ops, i: int) int {
            b0:
              %2 = load o->run
              %3 = call (*%2)(i)
              %4 = load table[i]
              %5 = convert i from int
              %6 = call (*%4)(%5)
              %7 = %3 + %6
              %8 = load o->run
              %9 = call (*%8)(1)
              %10 = %7 + %9
              return %10
            }
        "#]],
    );
}

#[test]
fn arguments_are_converted_or_promoted() {
    check_ir(
        r#"int v(const char *, ...); void t(char, double); int f(float x, short s) { t(s, x); return v("%d", s, x); }"#,
        expect![[r#"
            fn f(x: float, s: short) int {
            b0:
              %2 = convert s from short
              %3 = convert x from float
              call t(%2, %3)
              %4 = convert s from short
              %5 = convert x from float
              %6 = call v("%d", %4, %5)
              return %6
            }
        "#]],
    );
}

#[test]
fn old_style_definitions_name_their_parameters() {
    check_ir(
        r#"int f(a, b) int a; char *b; { return a + *b; }"#,
        expect![[r#"
            fn f(a: int, b: *char) int {
            b0:
              %2 = load *b
              %3 = convert %2 from char
              %4 = a + %3
              return %4
            }
        "#]],
    );
}

#[test]
fn struct_results_get_a_place_where_a_member_is_wanted() {
    check_ir(
        r#"struct s { int a, b; }; struct s make(void); int f(void) { return make().b; }"#,
        expect![[r#"
            fn f() int {
              var %1: struct s
            b0:
              %0 = call make()
              store %1 = %0
              %2 = load %1.b
              return %2
            }
        "#]],
    );
}

#[test]
fn nested_functions_are_called_like_others() {
    check_ir(
        r#"int f(void) { int inner(int a) { return a; } return inner(1); }"#,
        expect![[r#"
            fn f() int {
            b0:
              %0 = call inner(1)
              return %0
            }
        "#]],
    );
}
