//! Members of records, casts between records, unions, `container_of`.

use crate::harness::check;
use expect_test::expect;

#[test]
fn members_of_an_object_are_told_apart() {
    check(
        "struct s { int *a, *b; int n; } s;
         void f(struct s *p) { s.a = &x; s.b = &y; probe(s.a); probe(s.b); probe(&s); probe(&s.n); p = &s; probe(p->b); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: C = {s} shared
            f: D = {s} shared
            f: B = {y} shared"#]],
    );
}

#[test]
fn container_of_leads_to_the_containing_object() {
    check(
        "struct list { struct list *next; };
         struct item { int n; struct list link; int *p; }; struct other { long a, b; struct list link; };
         struct item item; struct other other; struct list *head;
         void add(struct list *l) { l->next = head; head = l; }
         void f(void) { add(&item.link); add(&other.link); item.p = &x; }
         struct item *of(struct list *l) { return (struct item *)((char *)l - __builtin_offsetof(struct item, link)); }
         void g(void) { struct item *i = of(head); probe(i); probe(i->p); probe(&i->n); probe(&other.a); probe(head); }",
        expect![[r#"
            g: A = {item} shared
            g: B = {x} shared
            g: C = {item} shared
            g: D = {other} shared
            g: E = {item, other} shared"#]],
    );
}

#[test]
fn a_derived_record_begins_with_its_base() {
    check(
        "struct base { int (*run)(struct base *); int *data; }; struct derived { struct base base; int *more; };
         int go(struct base *b) { struct derived *d = (struct derived *)b; probe(d->more); probe(b->data); probe(d->base.data); return 0; }
         struct derived object;
         void f(void) { object.base.run = go; object.base.data = &x; object.more = &y; }
         void g(void) { struct base *b = &object.base; b->run(b); }",
        expect![[r#"
            go: A = {y} shared
            go: B = {x} shared
            go: B = {x} shared
            g calls {go}"#]],
    );
}

#[test]
fn an_upward_cast_sees_the_same_members() {
    check(
        "struct base { int kind; int *data; }; struct derived { struct base base; int *more; };
         void use(struct base *b) { probe(b->data); }
         void f(struct derived *d) { d->base.data = &x; d->more = &y; use((struct base *)d); probe(d->more); }",
        expect![[r#"
            use: A = {x} shared
            f: B = {y} shared"#]],
    );
}

#[test]
fn records_that_begin_alike_share_what_they_have_in_common() {
    check(
        "struct one { int type; int *data; int *a; }; struct two { int type; int *data; long b; int *c; };
         void f(void *v) { ((struct one *)v)->data = &x; ((struct one *)v)->a = &y; probe(((struct two *)v)->data); probe(((struct two *)v)->c); }",
        expect![[r#"
            f: A = {x} shared
            f: nothing"#]],
    );
}

#[test]
fn a_visible_cast_lays_members_over_each_other() {
    check(
        "struct one { int *a; int *b; int *c; }; struct two { int *p; int *q; int *r; };
         void f(struct one *o) { o->a = &x; o->b = &y; struct two *t = (struct two *)o; probe(t->p); probe(t->q); probe(t->r); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: nothing"#]],
    );
}

#[test]
fn members_of_a_union_are_one() {
    check(
        "union u { int *p; long n; int *q; }; struct s { int *other; union u u; } s;
         void f(void) { s.u.p = &x; s.other = &y; probe(s.u.q); probe(s.other); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared"#]],
    );
}

#[test]
fn a_copy_of_a_record_keeps_the_objects_apart() {
    check(
        "struct s { int *a, *b; };
         void f(void) { struct s one, two; one.a = &x; one.b = &y; two = one; probe(two.a); probe(two.b); probe(&one); probe(&two); }
         void g(void) { struct s one, two; one.a = &z; memcpy(&two, &one, sizeof one); probe(two.a); }
         struct s make(void) { struct s s = { &x, 0 }; return s; } void take(struct s s) { probe(s.a); } void h(void) { take(make()); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: C = {f.0}
            f: D = {f.1}
            g: E = {z} shared
            take: A = {x} shared"#]],
    );
}

#[test]
fn a_cast_to_a_number_of_bytes_finds_the_member() {
    check(
        "struct s { int *a; int *b; };
         void f(struct s *s) { s->a = &x; s->b = &y; probe(*(int **)((char *)s + 8)); probe(*(int **)s); probe(s->a); }",
        expect![[r#"
            f: A = {y} shared
            f: B = {x} shared
            f: B = {x} shared"#]],
    );
}

#[test]
fn members_of_records_in_a_union_are_told_apart_by_byte() {
    check(
        "struct one { int *a; int *b; }; struct two { int *p; int *q; }; union u { struct one one; struct two two; int *plain; } u;
         void f(void) { u.one.a = &x; u.one.b = &y; probe(u.two.p); probe(u.two.q); probe(u.plain); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: A = {x} shared"#]],
    );
}

#[test]
fn a_move_to_an_unknown_byte_reaches_every_member_of_the_record() {
    check(
        "struct s { int *a; int *b; }; struct other { int *c; } other;
         void f(struct s *s, int n) { s->a = &x; s->b = &y; other.c = &z; probe(*(int **)((char *)s + n)); probe(s->a); probe(other.c); }
         struct s *g(struct s *s, int n) { s->a = &x; s->b = &z; struct s *t = (struct s *)((char *)s + n); probe(t->a); probe(t->b); return t; }",
        expect![[r#"
            f: A = {x, y} shared
            f: A = {x, y} shared
            f: B = {z} shared
            g: A = {x, y} shared
            g: B = {z} shared"#]],
    );
}
