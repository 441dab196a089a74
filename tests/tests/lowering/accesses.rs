//! How memory is reached: plainly, volatile, atomically, by a thread of its own.

use super::check_ir;
use expect_test::expect;
use racelens_analysis::ir::Base;
use racelens_tests::front_end::FrontEnd;

#[test]
fn volatile_accesses_say_so() {
    check_ir(
        r#"volatile int flag; int f(void) { flag = 1; while (!flag) ; return flag; }"#,
        expect![[r#"
            fn f() int {
            b0:
              store.volatile flag = 1
              goto b1
            b1:
              %0 = load.volatile flag
              if %0 goto b2 else b3
            b2:
              %1 = load.volatile flag
              return %1
            b3:
              goto b1
            }
        "#]],
    );
}

#[test]
fn atomic_objects_are_loaded_stored_and_updated_in_one_step() {
    check_ir(
        r#"_Atomic int n; int f(void) { n = 1; n += 2; n++; return n--; }"#,
        expect![[r#"
            fn f() int {
            b0:
              store.atomic n = 1
              %0 = update n += 2
              %1 = %0 + 2
              %2 = update n += 1
              %3 = %2 + 1
              %4 = update n += -1
              %5 = %4 + -1
              return %4
            }
        "#]],
    );
}

#[test]
fn an_atomic_pointer_moves_by_elements() {
    check_ir(
        r#"int a[4]; int *_Atomic p = a; int *f(void) { p++; return p -= 2; }"#,
        expect![[r#"
            fn f() *int {
            b0:
              %0 = update p += 1
              %1 = %0 + 1 * 4
              %2 = update p -= 2
              %3 = %2 + -2 * 4
              return %3
            }
        "#]],
    );
}

#[test]
fn thread_local_variables_are_reached_like_others() {
    check_ir(
        r#"_Thread_local int mine; int f(void) { extern __thread int other; static __thread int own; return mine + other + own; }"#,
        expect![[r#"
            fn f() int {
            b0:
              %0 = load mine
              %1 = load other
              %2 = %0 + %1
              %3 = load own
              %4 = %2 + %3
              return %4
            }
        "#]],
    );
}

#[test]
fn a_static_local_is_set_before_the_program_runs() {
    check_ir(
        r#"int f(void) { static int n = sizeof(int) == 4 ? 3 : 4, on = 1 && 2; return n++ + on; }"#,
        expect![[r#"
            fn f() int {
              static store n = 3
              static store on = 1
            b0:
              %0 = load n
              %1 = %0 + 1
              store n = %1
              %2 = load on
              %3 = %0 + %2
              return %3
            }
        "#]],
    );
}

#[test]
fn structs_are_copied_as_a_whole() {
    check_ir(
        r#"struct s { int a[4]; }; struct s g; void f(struct s *p) { struct s local = *p; g = local; *p = g; }"#,
        expect![[r#"
            fn f(p: *struct s) void {
              var local: struct s
            b0:
              %2 = load *p
              store local = %2
              %3 = load local
              store g = %3
              %4 = load g
              store *p = %4
              return
            }
        "#]],
    );
}

#[test]
fn updates_read_and_write() {
    check_ir(
        r#"int g; struct c { int hits; } c; void f(int n, int *p) { g += n; c.hits++; --*p; p[n] <<= 2; }"#,
        expect![[r#"
            fn f(n: int, p: *int) void {
            b0:
              %2 = load g
              %3 = %2 + n
              store g = %3
              %4 = load c.hits
              %5 = %4 + 1
              store c.hits = %5
              %6 = load *p
              %7 = %6 + -1
              store *p = %7
              %8 = load p[n]
              %9 = %8 << 2
              store p[n] = %9
              return
            }
        "#]],
    );
}

#[test]
fn thread_local_variables_are_marked() {
    let text = "_Thread_local int mine; int f(void) { extern __thread int other; static __thread int own; return mine + other + own; }";
    let lowered = FrontEnd::read(text).body("f");
    let mut names = Vec::new();
    for (_, statement) in lowered.body.statements() {
        if let Some((_, place, _)) = statement.access()
            && let Base::Global(global) = place.base
            && global.thread_local
        {
            names.push(global.name.as_str());
        }
    }
    assert_eq!(names, ["mine", "other", "own"]);
}
