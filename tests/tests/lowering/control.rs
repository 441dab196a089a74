//! Branches, loops, jumps and expressions that hold them.

use super::check_ir;
use expect_test::expect;

#[test]
fn switch_labels_are_converted_and_may_be_ranges() {
    check_ir(
        r#"int g; void f(unsigned x) { switch (x) { case 1 ... 3: g = 1; case -1: g = 2; break; default: g = 3; } }"#,
        expect![[r#"
            fn f(x: uint) void {
            b0:
              switch x {1..=3: b1, 4294967295: b2, default: b3}
            b1:
              store g = 1
              goto b2
            b2:
              store g = 2
              goto b4
            b3:
              store g = 3
              goto b4
            b4:
              return
            }
        "#]],
    );
}

#[test]
fn computed_goto_leads_to_every_label_with_an_address() {
    check_ir(
        r#"int g; void f(int i) { static void *to[] = { &&a, &&b }; goto *to[i]; a: g = 1; b: g = 2; }"#,
        expect![[r#"
            fn f(i: int) void {
              static %1 = &&b1
              static store to[0] = %1
              static %2 = &&b2
              static store to[1] = %2
            b0:
              %3 = load to[i]
              goto *%3 [b1, b2]
            b1:
              store g = 1
              goto b2
            b2:
              store g = 2
              return
            }
        "#]],
    );
}

#[test]
fn a_conditional_without_a_middle_evaluates_its_condition_once() {
    check_ir(
        r#"int g; int f(int n) { return g++ ?: n; }"#,
        expect![[r#"
        fn f(n: int) int {
        b0:
          %1 = load g
          %2 = %1 + 1
          store g = %2
          if %1 goto b1 else b2
        b1:
          %3 = %1
          goto b3
        b2:
          %3 = n
          goto b3
        b3:
          return %3
        }
    "#]],
    );
}

#[test]
fn short_circuits_are_branches() {
    check_ir(
        r#"int a, b; int f(void) { return a && (b || !a); }"#,
        expect![[r#"
            fn f() int {
            b0:
              %1 = load a
              if %1 goto b1 else b4
            b1:
              %2 = load b
              if %2 goto b3 else b2
            b2:
              %3 = load a
              if %3 goto b4 else b3
            b3:
              %0 = 1
              goto b5
            b4:
              %0 = 0
              goto b5
            b5:
              return %0
            }
        "#]],
    );
}

#[test]
fn statement_expressions_have_the_value_of_their_last_statement() {
    check_ir(
        r#"int g; int f(int n) { return ({ int t = g; t > n ? t : n; }) + 1; }"#,
        expect![[r#"
            fn f(n: int) int {
              let t: int
            b0:
              %2 = load g
              t = %2
              %3 = t > n
              if %3 goto b1 else b2
            b1:
              %4 = t
              goto b3
            b2:
              %4 = n
              goto b3
            b3:
              %5 = %4 + 1
              return %5
            }
        "#]],
    );
}

#[test]
fn assembly_reads_and_writes_its_operands() {
    check_ir(
        r#"int g; void f(int *p, int v) { asm volatile("xchg" : "+m"(*p), "=r"(g) : "r"(v) : "memory"); }"#,
        expect![[r#"
            fn f(p: *int, v: int) void {
            b0:
              %2 = load *p
              asm (memory)
              store *p = ?
              store g = ?
              return
            }
        "#]],
    );
}

#[test]
fn the_length_of_a_variable_array_is_read() {
    check_ir(
        r#"int n; int f(void) { int a[n]; a[0] = 1; return a[0]; }"#,
        expect![[r#"
            fn f() int {
              var a: [?]int
            b0:
              %0 = load n
              store a[0] = 1
              %2 = load a[0]
              return %2
            }
        "#]],
    );
}

#[test]
fn loops_with_break_and_continue() {
    check_ir(
        r#"int g; void f(int n) { for (int i = 0; i < n; i++) { if (i == 2) continue; if (g) break; g = i; } }"#,
        expect![[r#"
            fn f(n: int) void {
              let i: int
            b0:
              i = 0
              goto b1
            b1:
              %2 = i < n
              if %2 goto b2 else b8
            b2:
              %3 = i == 2
              if %3 goto b3 else b4
            b3:
              goto b7
            b4:
              %4 = load g
              if %4 goto b5 else b6
            b5:
              goto b8
            b6:
              store g = i
              goto b7
            b7:
              %5 = i
              %6 = %5 + 1
              i = %6
              goto b1
            b8:
              return
            }
        "#]],
    );
}
