//! Where pointers go, and who else gets at what they point to.

use crate::harness::{check, constraints_of};
use expect_test::expect;
use racelens_analysis::points_to::PointsTo;

#[test]
fn the_solution_can_be_shared_between_threads() {
    fn is_shareable<T: Send + Sync>() {}
    is_shareable::<PointsTo>();
}

#[test]
fn equal_bodies_have_equal_constraints_wherever_they_stand() {
    let text = "int *f(int **p) { *p = &x; return *p; }";
    let moved = format!("\n\n/* comment */ int unrelated;\n{text}");
    let constraints = |text: &str| constraints_of(text).remove(0).1;
    assert_eq!(constraints(text), constraints(&moved));
    assert_ne!(
        constraints(text),
        constraints("int *f(int **p) { *p = &y; return *p; }")
    );
}

#[test]
fn pointers_of_different_variables_stay_apart() {
    check(
        "void f(void) { int *p = &x, *q = &y, *r = p; probe(p); probe(q); probe(r); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: A = {x} shared"#]],
    );
}

#[test]
fn an_assignment_unites_what_both_point_to() {
    check(
        "void f(int c) { int *p = &x, *q = &y; if (c) p = q; probe(p); probe(q); probe(&z); }",
        expect![[r#"
            f: A = {x, y} shared
            f: A = {x, y} shared
            f: B = {z} shared"#]],
    );
}

#[test]
fn what_a_thread_gets_is_shared() {
    check(
        "struct job { int n; int *result; };
         void *work(void *argument) { struct job *job = argument; probe(job); probe(job->result); return 0; }
         void f(void) { pthread_t t; int private, result; struct job job; job.result = &result; pthread_create(&t, 0, work, &job);
             probe(&job); probe(&private); probe(&result); probe(&x); probe(&tls); }",
        expect![[r#"
            work: A = {f.3} shared
            work: B = {f.2} shared
            f: A = {f.3} shared
            f: C = {f.1}
            f: B = {f.2} shared
            f: D = {x} shared
            f: E = {tls}"#]],
    );
}

#[test]
fn what_an_unknown_function_gets_is_shared() {
    check(
        "void f(void) { int *p = malloc(4), *q = malloc(4); int *r; unknown(&p); probe(p); probe(q); probe(r); }",
        expect![[r#"
            f: A = {new} shared
            f: B = {new}
            f: nothing"#]],
    );
}

#[test]
fn linked_lists_are_one_class() {
    check(
        "struct node { struct node *next; int *data; };
         struct node *push(struct node *head, int *data) { struct node *n = malloc(sizeof *n); n->next = head; n->data = data; return n; }
         void f(void) { struct node *n = push(0, &x); n = push(n, &y); probe(n); probe(n->next); probe(n->next->next->data); }",
        expect![[r#"
            f: A = {new}
            f: A = {new}
            f: B = {x, y} shared"#]],
    );
}

#[test]
fn pointers_to_pointers_are_followed() {
    check(
        "void set(int **where, int *what) { *where = what; }
         void f(void) { int *p, *q = &z; set(&p, &x); probe(p); probe(q); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {z} shared"#]],
    );
}

#[test]
fn integers_carry_pointers() {
    check(
        "void f(void) { unsigned long n = (unsigned long)&x; n |= 1; int *p = (int *)(n & ~1ul); probe(p);
             unsigned long a = 3, b = a; long c = b; probe((void *)c); }",
        expect![[r#"
            f: A = {x} shared
            f: nothing"#]],
    );
}

#[test]
fn atomic_operations_move_pointers() {
    check(
        "int *slot; int *_Atomic other;
         void f(void) { __atomic_store_n(&slot, &x, 5); int *p = __atomic_load_n(&slot, 5); probe(p); int *old = __atomic_exchange_n(&gp, &y, 5); probe(old); probe(gp);
             other = &z; probe(other); int *want = 0; __atomic_compare_exchange_n(&gq, &want, &z, 0, 5, 5); probe(gq); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: B = {y} shared
            f: C = {z} shared
            f: C = {z} shared"#]],
    );
}
