//! Variables whose cleanup function runs when their scope is left: lock guards.

use super::check_ir;
use expect_test::expect;

#[test]
fn a_guard_is_released_on_return() {
    check_ir(
        r#"void unlock(int *); int g; int f(int x) { int l __attribute__((cleanup(unlock))) = 1; if (x) return g; g = 2; return 3; }"#,
        expect![[r#"
            fn f(x: int) int {
              var l: int
            b0:
              store l = 1
              if x goto b1 else b2
            b1:
              %2 = load g
              %3 = &l
              call unlock(%3)
              return %2
            b2:
              store g = 2
              %4 = &l
              call unlock(%4)
              return 3
            }
        "#]],
    );
}

#[test]
fn a_guard_is_released_on_break_and_continue() {
    check_ir(
        r#"void unlock(int *); int g; void f(void) { for (;;) { int l __attribute__((cleanup(unlock))) = 1; if (g == 1) break; if (g == 2) continue; g = 3; } g = 4; }"#,
        expect![[r#"
            fn f() void {
              var l: int
            b0:
              goto b1
            b1:
              store l = 1
              %1 = load g
              %2 = %1 == 1
              if %2 goto b2 else b3
            b2:
              %3 = &l
              call unlock(%3)
              store g = 4
              return
            b3:
              %4 = load g
              %5 = %4 == 2
              if %5 goto b4 else b5
            b4:
              %6 = &l
              call unlock(%6)
              goto b6
            b5:
              store g = 3
              %7 = &l
              call unlock(%7)
              goto b6
            b6:
              goto b1
            }
        "#]],
    );
}

#[test]
fn a_guard_is_released_when_goto_leaves_its_scope() {
    check_ir(
        r#"void unlock(int *); int g; void f(int x) { { int l __attribute__((cleanup(unlock))) = 1; if (x) goto out; again: g = 1; if (g) goto again; } out: g = 2; }"#,
        expect![[r#"
            fn f(x: int) void {
              var l: int
            b0:
              store l = 1
              if x goto b1 else b2
            b1:
              %4 = &l
              call unlock(%4)
              goto b6
            b2:
              goto b3
            b3:
              store g = 1
              %2 = load g
              if %2 goto b4 else b5
            b4:
              goto b3
            b5:
              %3 = &l
              call unlock(%3)
              goto b6
            b6:
              store g = 2
              return
            }
        "#]],
    );
}

#[test]
fn guards_are_released_last_first() {
    check_ir(
        r#"void a(int *); void b(int *); void f(void) { __attribute__((cleanup(a))) int x = 1; __attribute__((cleanup(b))) int y = 2; }"#,
        expect![[r#"
            fn f() void {
              var x: int
              var y: int
            b0:
              store x = 1
              store y = 2
              %2 = &y
              call b(%2)
              %3 = &x
              call a(%3)
              return
            }
        "#]],
    );
}

#[test]
fn a_guard_in_the_head_of_a_loop() {
    check_ir(
        r#"void unlock(int *); int g; void f(void) { for (int l __attribute__((cleanup(unlock))) = 1, once = 1; once; once = 0) g = 1; }"#,
        expect![[r#"
            fn f() void {
              var l: int
              let once: int
            b0:
              store l = 1
              once = 1
              goto b1
            b1:
              if once goto b2 else b3
            b2:
              store g = 1
              once = 0
              goto b1
            b3:
              %2 = &l
              call unlock(%2)
              return
            }
        "#]],
    );
}

#[test]
fn a_jump_in_what_is_only_typed_leaves_no_trace() {
    check_ir(
        r#"void unlock(int *); int f(int x) { int l __attribute__((cleanup(unlock))) = 1; __typeof__(({ static int s = 3; if (x) goto out; 1; })) y = 2; if (x) goto out; y = 3; out: return y; }"#,
        expect![[r#"
            fn f(x: int) int {
              var l: int
              let y: int
            b0:
              store l = 1
              y = 2
              if x goto b1 else b2
            b1:
              goto b3
            b2:
              y = 3
              goto b3
            b3:
              %3 = &l
              call unlock(%3)
              return y
            }
        "#]],
    );
}
