//! Accesses in one file: plain ones, macros, and lines that are not simply lines.

use crate::check::{check, check_files};
use expect_test::expect;

#[test]
fn plain_accesses_have_their_own_columns() {
    check(
        "int a, b;\nstruct s { int n; } *p;\nvoid f(struct s *q) {\n  a = b + a; b = q->n;\n  p->n += (a);\n  a++;\n}\n",
        expect![[r#"
            int a, b;
            struct s { int n; } *p;
            void f(struct s *q) {
              a = b + a; b = q->n;
              ^ w a
                  ^ r b
                      ^ r a
                         ^ w b
                             ^^^^ r q->n
              p->n += (a);
              ^ r p
              ^^^^ r %5->n
              ^^^^ w %5->n
                       ^ r a
              a++;
              ^ r a
              ^ w a
            }
        "#]],
    );
}

#[test]
fn two_accesses_of_the_same_name_on_one_line_are_told_apart() {
    check(
        "int x;\nint f(void) { x = 1; x = x + x; return x; }\n",
        expect![[r#"
            int x;
            int f(void) { x = 1; x = x + x; return x; }
                          ^ w x
                                 ^ w x
                                     ^ r x
                                         ^ r x
                                                   ^ r x
        "#]],
    );
}

#[test]
fn an_object_like_macro_stands_for_its_accesses() {
    check(
        "int x, y;\n#define X x\n#define BOTH (x + y)\nint f(void) {\n  X = 1;\n  return y + BOTH * y;\n}\n",
        expect![[r#"
            int x, y;
            #define X x
            #define BOTH (x + y)
            int f(void) {
              X = 1;
              ^ w x (in a macro)
              return y + BOTH * y;
                     ^ r y
                         ^^^^ r x (in a macro)
                         ^^^^ r y (in a macro)
                                ^ r y
            }
        "#]],
    );
}

#[test]
fn a_function_like_macro_is_marked_and_its_argument_is_not() {
    check(
        "struct s { int n; int m; } *p; int g;\n#define BUMP(o) ((o)->n++)\n#define ID(e) e\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint f(void) {\n  BUMP(p); g = 1;\n  ID(g) = ID(p->m) + g;\n  return MAX(g, p->n);\n}\n",
        expect![[r#"
            struct s { int n; int m; } *p; int g;
            #define BUMP(o) ((o)->n++)
            #define ID(e) e
            #define MAX(a, b) ((a) > (b) ? (a) : (b))
            int f(void) {
              BUMP(p); g = 1;
              ^^^^^^^ r %0->n (in a macro)
              ^^^^^^^ w %0->n (in a macro)
                   ^ r p
                       ^ w g
              ID(g) = ID(p->m) + g;
                 ^ w g
                         ^ r p
                         ^^^^ r %3->m
                                 ^ r g
              return MAX(g, p->n);
                         ^ r g
                         ^ r g
                            ^ r p
                            ^ r p
                            ^^^^ r %12->n
                            ^^^^ r %8->n
            }
        "#]],
    );
}

/// The `h` of OUTER's own body is taken for its argument: the text of macros is not known, only what
/// became of them.
#[test]
fn nested_macros_stand_where_the_outermost_is_used() {
    check(
        "int g, h;\n#define INNER(e) (g + (e))\n#define OUTER(e) (INNER(e) * h)\n#define ID(e) (e)\nint f(void) {\n  g = OUTER(h) + h;\n  return ID(INNER(h)) + ID(ID(g));\n}\n",
        expect![[r#"
            int g, h;
            #define INNER(e) (g + (e))
            #define OUTER(e) (INNER(e) * h)
            #define ID(e) (e)
            int f(void) {
              g = OUTER(h) + h;
              ^ w g
                  ^^^^^^^^ r g (in a macro)
                        ^ r h
                        ^ r h
                             ^ r h
              return ID(INNER(h)) + ID(ID(g));
                     ^^^^^^^^^^^^ r g (in a macro)
                              ^ r h
                                          ^ r g
            }
        "#]],
    );
}

#[test]
fn an_invocation_may_go_over_several_lines() {
    check(
        "int g, h;\n#define ADD(a, b) ((a) + (b))\n#define ID(e) e\nint f(void) {\n  h = ADD(g,\n          h) + g; h = 2;\n  ID\n  (g) = ADD(\n    1, /* one */\n    h\n  );\n  return g;\n}\n",
        expect![[r#"
            int g, h;
            #define ADD(a, b) ((a) + (b))
            #define ID(e) e
            int f(void) {
              h = ADD(g,
              ^ w h
                      ^ r g
                      h) + g; h = 2;
                      ^ r h
                           ^ r g
                              ^ w h
              ID
              (g) = ADD(
               ^ w g
                1, /* one */
                h
                ^ r h
              );
              return g;
                     ^ r g
            }
        "#]],
    );
}

#[test]
fn equal_invocations_on_one_line_are_told_apart() {
    check(
        "struct s { int n; } a, b;\n#define INC(o) do { (o).n = (o).n + 1; } while (0)\nvoid f(void) {\n  INC(a); INC(b);\n}\n",
        expect![[r#"
            struct s { int n; } a, b;
            #define INC(o) do { (o).n = (o).n + 1; } while (0)
            void f(void) {
              INC(a); INC(b);
              ^^^^^^ r a.n (in a macro)
              ^^^^^^ w a.n (in a macro)
                      ^^^^^^ r b.n (in a macro)
                      ^^^^^^ w b.n (in a macro)
            }
        "#]],
    );
}

#[test]
fn tabs_and_utf8_count_as_the_source_has_them() {
    check(
        "int x, größe;\nvoid f(void) {\n\tx\t= 1;\n\t\tx = /* grün → 色 */ größe + x;\n  const char *s = \"äöü\"; x = s[0] + x;\n}\n",
        expect![[r#"
            int x, größe;
            void f(void) {
            →x→= 1;
             ^ w x
            →→x = /* grün → 色 */ größe + x;
              ^ w x
                                 ^^^^^ r gr_xc3_xb6_xc3_x9fe
                                         ^ r x
              const char *s = "äöü"; x = s[0] + x;
                                     ^ w x
                                         ^^^^ r *s
                                                ^ r x
            }
        "#]],
    );
}

#[test]
fn carriage_returns_and_continued_lines_do_no_harm() {
    check(
        "int x, y;\r\n#define SUM(a, b) \\\r\n  ((a) + (b))\r\nvoid f(void) {\r\n  x = y + \\\r\n    x;\r\n  y = SUM(x, \\\r\n     y); x = 1;\r\n}\r\n",
        expect![[r#"
            int x, y;␍
            #define SUM(a, b) \␍
              ((a) + (b))␍
            void f(void) {␍
              x = y + \␍
              ^ w x
                  ^ r y
                x;␍
                ^ r x
              y = SUM(x, \␍
              ^ w y
                      ^ r x
                 y); x = 1;␍
                 ^ r y
                     ^ w x
            }␍
        "#]],
    );
}

#[test]
fn a_comment_that_began_above_is_not_taken_for_code() {
    check(
        "int x, y;\nvoid f(void) { /* x = y;\n  x = y */ x = y; // x = y\n}\n",
        expect![[r#"
            int x, y;
            void f(void) { /* x = y;
              x = y */ x = y; // x = y
                       ^ w x
                           ^ r y
            }
        "#]],
    );
}

#[test]
fn a_byte_order_mark_does_not_shift_the_first_line() {
    check_files(
        &[("main.c", "\u{feff}int x; void f(void) { x = 1; }\n")],
        expect![[r#"
            int x; void f(void) { x = 1; }
                                  ^ w x
        "#]],
    );
}

#[test]
fn initialisers_lead_to_their_values() {
    check(
        "int x;\nstruct s { int *p; int n; } table[] = {\n  { &x, 1 },\n  { .n = 2 },\n};\n#define INIT { 0, 3 }\nstruct s one = INIT;\n",
        expect![[r#"
            int x;
            struct s { int *p; int n; } table[] = {
              { &x, 1 },
                ^^ w table[0].p
                    ^ w table[0].n
              { .n = 2 },
              ^^^^^^^^^^ w table[1]
                ^^^^^^ w table[1].n
            };
            #define INIT { 0, 3 }
            struct s one = INIT;
                           ^^^^ w one.n (in a macro)
                           ^^^^ w one.p (in a macro)
        "#]],
    );
}
