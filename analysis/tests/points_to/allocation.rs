//! Which allocations are told apart.

use crate::harness::check;
use expect_test::expect;

#[test]
fn allocations_are_told_apart_by_site() {
    check(
        "void f(void) { int *p = malloc(4), *q = malloc(4); probe(p); probe(q); p = realloc(p, 8); probe(p); }",
        expect![[r#"
            f: A = {new}
            f: B = {new}
            f: A = {new}"#]],
    );
}

#[test]
fn callers_of_an_allocation_function_have_objects_of_their_own() {
    check(
        "static void *checked(void *p) { if (!p) abort(); return p; }
         void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
         void *xcalloc(size_t n) { void *p = xmalloc(n); memset(p, 0, n); return p; }
         void *xchecked(size_t n) { return checked(malloc(n)); }
         void *counted(size_t n) { size_t *p = malloc(n + sizeof n); if (!p) return 0; *p = n; return p + 1; }
         void f(void) { int *p = xcalloc(4), *q = xcalloc(4), *r = xchecked(4), *s = xchecked(4), *t = counted(4), *u = counted(4);
             probe(p); probe(q); probe(r); probe(s); probe(t); probe(u); }",
        expect![[r#"
            f: A = {new}
            f: B = {new}
            f: C = {new}
            f: C = {new}
            f: D = {new}
            f: E = {new}"#]],
    );
}

#[test]
fn a_function_that_keeps_what_it_allocates_is_no_allocation_function() {
    check(
        "struct node { struct node *next; int *data; } *all;
         struct node *create(int *data) { struct node *n = malloc(sizeof *n); n->data = data; return n; }
         struct node *registered(void) { struct node *n = malloc(sizeof *n); n->next = all; all = n; return n; }
         void f(void) { struct node *a = create(&x), *b = registered(); probe(a->data); probe(b); probe(all); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {new} shared
            f: B = {new} shared"#]],
    );
}

#[test]
fn reallocation_keeps_contents_and_callers_apart() {
    check(
        "void *zrealloc(void *p, size_t n) { if (!p) return malloc(n); p = realloc(p, n); if (!p) abort(); return p; }
         void *outer(void *p, size_t n) { return zrealloc(p, n * 2); }
         void zfree(void *p) { if (p) free(p); }
         void f(void) { int **a = malloc(8), **b = malloc(8); *a = &x; *b = &y; a = outer(a, 16); b = outer(b, 16); probe(*a); probe(*b); probe(a); zfree(a); zfree(b); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: C = {new} to A"#]],
    );
}

#[test]
fn what_is_reallocated_and_kept_elsewhere_is_followed() {
    check(
        "int **kept; void grow(int **p) { kept = realloc(p, 16); }
         void f(void) { int **a = malloc(8); *a = &x; grow(a); probe(*kept); }",
        expect!["f: A = {x} shared"],
    );
}
