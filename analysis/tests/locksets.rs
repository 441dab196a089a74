//! Relative locksets of small C programs.

mod common;

use common::{call_of, visit_program};
use expect_test::{Expect, expect};
use std::cell::RefCell;

/// The lockset in front of every call of `probe`, and every function's summary.
fn check(text: &str, expected: Expect) {
    let lines: RefCell<Vec<String>> = RefCell::default();
    visit_program(
        &format!("{TYPES}{text}"),
        &mut |body, _, lockset, statement| {
            if call_of(statement, &["probe"]).is_some() {
                let line = format!("{}: {lockset}", body.function.name);
                lines.borrow_mut().push(line);
            }
        },
        &mut |body, summary| {
            let line = format!("{} returns {summary}", body.function.name);
            lines.borrow_mut().push(line);
        },
    );
    expected.assert_eq(&lines.into_inner().join("\n"));
}

const TYPES: &str = "struct mutex { int held; };
void probe(void); void lock(struct mutex *m); void read_lock(struct mutex *m); void unlock(struct mutex *m); int try_lock(struct mutex *m); void unknown();
struct private { struct mutex lock; int count; };
struct device { struct mutex lock; struct private *private; struct mutex table[4]; };
struct mutex m, n, locks[8];
";

#[test]
fn a_lock_is_held_between_taking_and_releasing_it() {
    check(
        "void f(struct device *d) { lock(&d->lock); probe(); lock(&m); probe(); unlock(&m); probe(); unlock(&d->lock); probe(); }",
        expect![[r#"
            f: {+$0->lock}
            f: {+$0->lock, +m}
            f: {+$0->lock}
            f: {}
            f returns {}"#]],
    );
}

#[test]
fn a_lock_is_held_only_if_every_path_holds_it() {
    check(
        "void f(int c) { if (c) lock(&m); else { lock(&m); lock(&n); } probe(); }
         void g(int c) { lock(&m); if (c) unlock(&m); probe(); }
         void h(int c) { lock(&m); while (c--) { probe(); unlock(&m); lock(&m); } probe(); }",
        expect![[r#"
            f: {+m}
            f returns {+m}
            g: {}
            g returns {}
            h: {+m}
            h: {+m}
            h returns {+m}"#]],
    );
}

#[test]
fn wrappers_are_seen_through() {
    check(
        "void enter(struct device *d) { lock(&d->private->lock); }
         void leave(struct private *p) { unlock(&p->lock); }
         void f(struct device *d) { struct private *p = d->private; enter(d); probe(); leave(p); probe(); }",
        expect![[r#"
            enter returns {+$0->private->lock}
            leave returns {-$0->lock}
            f: {+$0->private->lock}
            f: {}
            f returns {}"#]],
    );
}

#[test]
fn a_caller_s_lock_that_is_released_for_a_while_is_lost_and_found() {
    check(
        "void relax(struct mutex *l) { unlock(l); probe(); lock(l); }
         void f(void) { lock(&m); relax(&m); probe(); unlock(&m); }",
        expect![[r#"
            relax: {-*$0}
            relax returns {+*$0}
            f: {+m}
            f returns {}"#]],
    );
}

#[test]
fn objects_have_their_own_locks() {
    check(
        "void f(struct device *a, struct device *b) { lock(&a->lock); lock(&b->lock); unlock(&b->lock); probe(); }
         void g(void) { lock(&m); lock(&n); unlock(&n); probe(); }
         void h(int i, int j) { lock(&locks[i]); probe(); lock(&locks[2]); unlock(&locks[3]); probe(); }",
        expect![[r#"
            f: {+$0->lock}
            f returns {+$0->lock}
            g: {+m}
            g returns {+m}
            h: {+locks[$0]}
            h: {+locks[2], -locks[3]}
            h returns {+locks[2], -locks[3]}"#]],
    );
}

#[test]
fn modes_and_counts() {
    check(
        "void f(int c) { if (c) read_lock(&m); else lock(&m); probe(); }
         void g(void) { lock(&m); lock(&m); probe(); unlock(&m); probe(); unlock(&m); probe(); }",
        expect![[r#"
            f: {+m shared}
            f returns {+m shared}
            g: {+m ×2}
            g: {+m}
            g: {}
            g returns {}"#]],
    );
}

#[test]
fn a_lock_without_a_name_is_not_held_and_may_be_any_when_released() {
    check(
        "struct mutex *pick(int c) { return c ? &m : &n; }
         void f(int c) { lock(pick(c)); probe(); }
         void g(int c) { lock(&m); lock(&locks[1]); unlock(pick(c)); probe(); }
         struct mutex *any(void);
         void h(void) { lock(&m); unlock(any()); probe(); }",
        expect![[r#"
            pick returns {}
            f: {}
            f returns {}
            g: {+locks[1], -n}
            g returns {+locks[1], -n}
            h: {-*value(0:2)}
            h returns {-any}"#]],
    );
}

#[test]
fn a_lock_in_memory_of_its_own_stays_with_its_function() {
    check(
        "void f(void) { struct mutex mine; lock(&mine); probe(); unlock(&mine); }
         void outer(void) { f(); probe(); }",
        expect![[r#"
            f: {+%0}
            f returns {}
            outer: {}
            outer returns {}"#]],
    );
}

#[test]
fn a_lock_that_was_tried_is_held_where_the_result_says_so() {
    check(
        "void f(void) { if (try_lock(&m) == 0) { probe(); unlock(&m); } probe(); }
         void g(void) { int failed = try_lock(&m); if (failed) { probe(); return; } probe(); unlock(&m); }
         int taken(struct mutex *l) { return try_lock(l) == 0; }
         int h(struct device *d) { if (!taken(&d->lock)) return 0; probe(); return 1; }
         void i(struct device *d) { if (h(d)) { probe(); unlock(&d->lock); } probe(); }",
        expect![[r#"
            f: {+m}
            f: {}
            f returns {}
            g: {}
            g: {+m}
            g returns {}
            taken returns {}
            h: {+$0->lock}
            h returns {}
            i: {+$0->lock}
            i: {}
            i returns {}"#]],
    );
}

#[test]
fn a_lock_handed_from_node_to_node_is_held_by_the_present_one() {
    check(
        "struct node { struct mutex lock; struct node *next; };
         void f(struct node *n) { lock(&n->lock); while (n->next) { struct node *next = n->next; probe(); lock(&next->lock); unlock(&n->lock); n = next; } probe(); unlock(&n->lock); }",
        expect![[r#"
            f: {+merge(1:%0)->lock}
            f: {+merge(1:%0)->lock}
            f returns {}"#]],
    );
}

#[test]
fn names_that_depend_on_each_other_stand_for_both_objects() {
    check(
        "void f(struct private *a, struct private *b) {
             struct private *first = a->count < b->count ? a : b;
             struct private *second = first == a ? b : a;
             lock(&first->lock); probe(); lock(&second->lock); probe();
         }
         void g(int c, struct private *a, struct private *b) {
             struct private *first = c ? a : b, *second = c ? b : a;
             lock(&first->lock); lock(&second->lock); probe();
         }
         void h(struct private *a, struct private *b) {
             if (a->count > b->count) { struct private *swap = a; a = b; b = swap; }
             lock(&a->lock); lock(&b->lock);
         }",
        expect![[r#"
            f: {+merge(3:%6)->lock}
            f: {+$0->lock, +$1->lock, +merge(3:%6)->lock, +merge(6:%9)->lock}
            f returns {+$0->lock, +$1->lock}
            g: {+merge(3:%4)->lock, +merge(6:%6)->lock}
            g returns {}
            h returns {+$0->lock, +$1->lock}"#]],
    );
}
