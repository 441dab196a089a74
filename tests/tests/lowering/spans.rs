//! The text that each access stands for: exactly the lvalue that the user wrote.

use expect_test::{Expect, expect};
use racelens_analysis::frontend::lex::lex;
use racelens_analysis::frontend::normalise::{Attributes, Part, normalise};
use racelens_analysis::ir::{AccessKind, Place, Span};
use racelens_tests::front_end::FrontEnd;

/// Lists the accesses of the function `f`, which must be the last item of the text.
fn check_spans(text: &str, expected: Expect) {
    let lowered = FrontEnd::read(text).body("f");
    let start = text
        .rfind("void f(")
        .unwrap_or_else(|| panic!("no `void f(` in {text}"));
    let source = &text[start..];
    let normalised = normalise(source, &lex(source), Part::Function, Attributes::Meaningful);
    let written = |span: Span| {
        let (start, end) = normalised
            .origin(span.start, span.end)
            .unwrap_or_else(|| panic!("no origin of {span:?}"));
        source[start as usize..end as usize].to_owned()
    };
    let mut shown = Vec::new();
    for (id, statement) in lowered.body.statements() {
        let Some((kind, place, _)) = statement.access() else {
            continue;
        };
        let kind = match kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Update => "update",
        };
        let is_own = Place::is_local(place);
        if !is_own {
            shown.push(format!(
                "{kind} {}",
                written(lowered.source_map.statement(id))
            ));
        }
    }
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn an_update_stands_for_its_target() {
    check_spans(
        "struct c { int hits; struct c *next; }; void f(struct c *c, int n) { c->hits += n; c->next->hits++; --c->hits; c -> hits = n; }",
        expect![[r#"
            read c->hits
            write c->hits
            read c->next
            read c->next->hits
            write c->next->hits
            read c->hits
            write c->hits
            write c -> hits"#]],
    );
}

#[test]
fn elements_and_pointers() {
    check_spans(
        "int a[9], *q; void f(int *p, int i) { a[i] = *p; *p++ = a[i + 1]; *q = p[i]; q[2] -= a[a[0]]; *(p + i) = 0; }",
        expect![[r#"
            read *p
            write a[i]
            read a[i + 1]
            write *p++
            read q
            read p[i]
            write *q
            read q
            read a[0]
            read a[a[0]]
            read q[2]
            write q[2]
            write *(p + i)"#]],
    );
}

#[test]
fn struct_copies_and_initialisers() {
    check_spans(
        "struct s { int a, b; }; struct s g; void f(struct s *p, struct s *q) { *p = *q; g = p[1]; struct s l = g; q->a = (*p).b; }",
        expect![[r#"
            read *q
            write *p
            read p[1]
            write g
            read g
            read (*p).b
            write q->a"#]],
    );
}

#[test]
fn arguments_and_conditions() {
    check_spans(
        "int g, h; struct s { int n; } s; int call(int, int); void f(struct s *p) { call(g, p->n + s.n); if (g && !h) return; while (s.n) ; switch (p->n) { case 1: ; } }",
        expect![[r#"
            read g
            read p->n
            read s.n
            read g
            read h
            read s.n
            read p->n"#]],
    );
}

#[test]
fn atomic_and_volatile_accesses() {
    check_spans(
        "_Atomic int n; volatile int v; void f(void) { n++; n += v; v = n; }",
        expect![[r#"
            update n
            read v
            update n
            read n
            write v"#]],
    );
}
