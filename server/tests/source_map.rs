//! Every access of the representation leads back to where the user wrote it.
//!
//! An expectation is the source itself, with a line of carets below each line for each access that
//! was found in it: `r` a read, `w` a write, `u` an atomic update, and the memory that is accessed.
//! `(in a macro)` marks an access that the body of a macro makes; it stands where the macro is used.

use expect_test::{Expect, expect};
use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use racelens_analysis::host::Location;
use racelens_analysis::ir::AccessKind;
use std::fmt::Write;
use std::path::Path;

fn check(source: &str, expected: Expect) {
    check_files(&[("main.c", source)], expected);
}

/// The expectation shows all files in which there is an access, in the order that is given.
fn check_files(files: &[(&str, &str)], expected: Expect) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for (name, content) in files {
        std::fs::write(root.join(name), content).unwrap();
    }
    let options = LoadOptions {
        paths: vec![root.join("main.c")],
        current_directory: Some(root.clone()),
        ..LoadOptions::default()
    };
    let workspace = Workspace::load(&options, Some(1)).unwrap();
    let accesses = accesses(&workspace);
    let mut shown = String::new();
    let mut shown_accesses = 0;
    for (name, content) in files {
        let path = root.join(name);
        let own: Vec<&(Location, String)> = accesses
            .iter()
            .filter(|(location, _)| Path::new(location.file.as_str()) == path)
            .collect();
        shown_accesses += own.len();
        if own.is_empty() {
            continue;
        }
        if files.len() > 1 {
            writeln!(shown, "-- {name}").unwrap();
        }
        shown.push_str(&annotated(content, &own));
    }
    let elsewhere = accesses.len() - shown_accesses;
    if elsewhere > 0 {
        for (location, what) in &accesses {
            let file = Path::new(location.file.as_str());
            if !files.iter().any(|(name, _)| root.join(name) == file) {
                let file = file.file_name().unwrap().to_string_lossy();
                let (line, column) = (location.line, location.column);
                writeln!(shown, "{file}:{line}:{column}: {what}").unwrap();
            }
        }
    }
    expected.assert_eq(&shown);
}

/// All accesses to memory that other functions can see, by place.
fn accesses(workspace: &Workspace) -> Vec<(Location, String)> {
    let analysis = workspace.analysis();
    let mut accesses = Vec::new();
    for function in analysis.functions() {
        let Some(lowered) = &analysis.lowered(function).body else {
            panic!("{} does not parse", function.name(analysis.database()));
        };
        for (id, statement) in lowered.body.statements() {
            let Some((kind, place, _)) = statement.access() else {
                continue;
            };
            if place.is_local() {
                continue;
            }
            let span = lowered.source_map.statement(id);
            let location = workspace.location(&analysis, function, span).unwrap();
            let kind = match kind {
                AccessKind::Read => "r",
                AccessKind::Write => "w",
                AccessKind::Update => "u",
            };
            let origin = if location.in_macro {
                " (in a macro)"
            } else {
                ""
            };
            let place = lowered.body.pretty().place(place);
            accesses.push((location, format!("{kind} {place}{origin}")));
        }
    }
    accesses.sort();
    accesses
}

/// The text with carets. Tabs are shown as `→`, carriage returns as `␍`, each one column wide.
fn annotated(content: &str, accesses: &[&(Location, String)]) -> String {
    // A byte order mark is no part of the text for an editor either.
    let content = content.trim_start_matches('\u{feff}');
    let mut shown = String::new();
    let visible = |text: &str| text.replace('\t', "→").replace('\r', "␍");
    for (index, line) in content.split('\n').enumerate() {
        if line.is_empty() && index + 1 == content.split('\n').count() {
            break;
        }
        writeln!(shown, "{}", visible(line)).unwrap();
        for (location, what) in accesses {
            if location.line as usize != index + 1 {
                continue;
            }
            let start = location.column as usize - 1;
            let (end, open) = if location.end_line == location.line {
                (location.end_column as usize - 1, "")
            } else {
                (line.trim_end().len(), "…")
            };
            let space = " ".repeat(line[..start].chars().count());
            let carets = "^".repeat(line[start..end].chars().count());
            writeln!(shown, "{space}{carets}{open} {what}").unwrap();
        }
    }
    shown
}

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
                ^^ w table[1].n
            };
            #define INIT { 0, 3 }
            struct s one = INIT;
                           ^^^^ w one.n (in a macro)
                           ^^^^ w one.p (in a macro)
        "#]],
    );
}
