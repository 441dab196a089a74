//! Accesses that lead into several files, or through headers.

use crate::check::{check, check_files};
use expect_test::expect;

#[test]
fn a_macro_from_a_header_stands_where_it_is_used() {
    check_files(
        &[
            (
                "main.c",
                "#include \"x.h\"\nint f(void) {\n  SET(1); g = 2;\n  return inline_get() + g;\n}\n",
            ),
            (
                "x.h",
                "extern int g;\n#define SET(v) (g = (v))\nstatic int inline_get(void) { return g; }\n",
            ),
        ],
        expect![[r#"
            -- main.c
            #include "x.h"
            int f(void) {
              SET(1); g = 2;
              ^^^^^^ w g (in a macro)
                      ^ w g
              return inline_get() + g;
                                    ^ r g
            }
            -- x.h
            extern int g;
            #define SET(v) (g = (v))
            static int inline_get(void) { return g; }
                                                 ^ r g
        "#]],
    );
}

#[test]
fn a_macro_from_a_system_header_cuts_its_line() {
    check(
        "#include <stddef.h>\nint *p, *q; int g;\nvoid f(void) {\n  p = NULL; q = NULL; g = p == NULL ? g : 1; g = 3;\n}\n",
        expect![[r#"
            #include <stddef.h>
            int *p, *q; int g;
            void f(void) {
              p = NULL; q = NULL; g = p == NULL ? g : 1; g = 3;
              ^ w p
                        ^ w q
                                  ^ w g
                                      ^ r p
                                                  ^ r g
                                                         ^ w g
            }
        "#]],
    );
}

#[test]
fn an_include_in_the_middle_of_a_function_leads_into_the_header() {
    check_files(
        &[
            (
                "main.c",
                "int a, b;\nvoid f(void) {\n  a = 1;\n#include \"part.inc\"\n  b = 2;\n}\n",
            ),
            ("part.inc", "a = b;\nb = a;\n"),
        ],
        expect![[r#"
            -- main.c
            int a, b;
            void f(void) {
              a = 1;
              ^ w a
            #include "part.inc"
              b = 2;
              ^ w b
            }
            -- part.inc
            a = b;
            ^ w a
                ^ r b
            b = a;
            ^ w b
                ^ r a
        "#]],
    );
}

#[test]
fn x_macros_lead_to_the_list() {
    check_files(
        &[
            (
                "main.c",
                "int red, green;\nint f(void) {\n#define X(name) name = 0;\n#include \"list.def\"\n#undef X\n  int sum = 0;\n#define X(name) sum += name;\n#include \"list.def\"\n  return sum;\n}\n",
            ),
            ("list.def", "X(red)\nX(green)\n"),
        ],
        expect![[r#"
            -- list.def
            X(red)
              ^^^ r red
              ^^^ w red
            X(green)
              ^^^^^ r green
              ^^^^^ w green
        "#]],
    );
    check(
        "int red, green;\n#define LIST X(red) X(green)\n#define X(name) name = 0;\nvoid f(void) { LIST }\nvoid g(void) { X(red) X(green) }\n",
        expect![[r#"
            int red, green;
            #define LIST X(red) X(green)
            #define X(name) name = 0;
            void f(void) { LIST }
                           ^^^^ w green (in a macro)
                           ^^^^ w red (in a macro)
            void g(void) { X(red) X(green) }
                             ^^^ w red
                                    ^^^^^ w green
        "#]],
    );
}

#[test]
fn line_directives_lead_to_the_file_that_they_name() {
    check_files(
        &[
            (
                "main.c",
                "int g;\nvoid f(void) {\n#line 2 \"grammar.y\"\n  g = 1;\n#line 70 \"gone.y\"\n  g = 2;\n#line 8 \"main.c\"\n  g = 3;\n}\n",
            ),
            ("grammar.y", "%%\n    g = 1;\n"),
        ],
        expect![[r#"
            -- main.c
            int g;
            void f(void) {
            #line 2 "grammar.y"
              g = 1;
            #line 70 "gone.y"
              g = 2;
            #line 8 "main.c"
              g = 3;
              ^ w g
            }
            -- grammar.y
            %%
                g = 1;
                ^ w g
            gone.y:70:1: w g
        "#]],
    );
}
