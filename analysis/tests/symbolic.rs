//! What symbolic execution knows about the arguments of calls, in small C programs.

mod common;

use common::{call_of, visit_program};
use expect_test::{Expect, expect};

/// The arguments of every call of `probe` and `lock`, as `function: values`.
fn check(text: &str, expected: Expect) {
    let mut lines = Vec::new();
    visit_program(
        text,
        &mut |body, state, _, statement| {
            if let Some(arguments) = call_of(statement, &["probe", "lock"]) {
                let values = arguments
                    .iter()
                    .map(|value| state.operand(value).to_string());
                let values: Vec<String> = values.collect();
                lines.push(format!("{}: {}", body.function.name, values.join(", ")));
            }
        },
        &mut |_, _| (),
    );
    expected.assert_eq(&lines.join("\n"));
}

const TYPES: &str = "void probe(); void lock(); void *malloc(unsigned long); void unknown();
struct mutex { int held; };
struct private { struct mutex lock; int count; struct private *next; };
struct device { struct private *private; int id; struct mutex lock; };
struct device global, *current; struct mutex locks[8]; int numbers[8];
";

#[test]
fn a_lock_behind_local_copies_is_named_by_the_formal() {
    check(
        &format!(
            "{TYPES} int open(struct device *d) {{ struct device *dev = d; struct private *ai = dev->private; lock(&ai->lock); return ai->count; }}"
        ),
        expect!["open: &$0->private->lock"],
    );
}

#[test]
fn globals_fields_and_elements() {
    check(
        &format!(
            "{TYPES} void f(int i) {{ probe(&global.lock, &current->lock, &locks[2], &locks[i], &locks[i + 1], &numbers[0], global.id); }}"
        ),
        expect![
            "f: &global.lock, &current->lock, &locks[2], &locks[$0], &locks[$0 + 1], &numbers[0], global.id"
        ],
    );
}

#[test]
fn a_pointer_and_its_first_element_are_the_same_place() {
    check(
        &format!(
            "{TYPES} void f(struct mutex *m, int i) {{ probe(m, &m[0], &*m, m + 1, &m[1], m + i); }}"
        ),
        expect!["f: $0, $0, $0, &$0[1], &$0[1], &$0[$1]"],
    );
}

#[test]
fn where_paths_meet_a_value_gets_a_name() {
    check(
        &format!(
            "{TYPES} void f(int c, struct device *a, struct device *b) {{ struct device *p; if (c) p = a; else p = b; probe(&p->lock); if (!c) p = 0; probe(p); }}"
        ),
        expect![[r#"
            f: &merge(3:%3)->lock
            f: merge(3:%3)"#]],
    );
}

#[test]
fn memory_that_was_written_is_read_back() {
    check(
        &format!(
            "{TYPES} void f(struct device *d, struct private *p) {{ d->private = p; probe(d->private, &d->private->lock); struct device copy = *d; probe(copy.private, copy.id); current = d; probe(current); }}
             void g(struct device *d) {{ struct device copy = *d; d->id = 3; probe(copy.private, copy.id, d->id); }}"
        ),
        expect![[r#"
            f: $1, &$1->lock
            f: value(0:5).private, value(0:5).id
            f: $0
            g: $0->private, $0->id, 3"#]],
    );
}

#[test]
fn a_call_is_seen_through_its_summary() {
    check(
        &format!(
            "{TYPES} static struct private *priv(struct device *d) {{ return d->private; }}
             static void set(struct private **slot, struct private *value) {{ *slot = value; }}
             static struct private *make(void) {{ return malloc(sizeof(struct private)); }}
             void take(struct private *p) {{ lock(&p->lock); }}
             void f(struct device *d) {{ struct private *p = priv(d); probe(&p->lock); struct private *local; set(&local, p); probe(local); probe(make()); set(&d->private, 0); probe(d->private); }}"
        ),
        expect![[r#"
            take: &$0->lock
            f: &$0->private->lock
            f: $0->private
            f: &heap(f:0:8.1)
            f: 0"#]],
    );
}

#[test]
fn walking_a_list_ends() {
    check(
        &format!(
            "{TYPES} void f(struct private *p) {{ while (p) {{ lock(&p->lock); p = p->next; }} }}
             void g(struct private *p) {{ while (p) p = p->next; probe(p); }}"
        ),
        expect![[r#"
            f: &merge(1:%0)->lock
            g: merge(1:%0)"#]],
    );
}

#[test]
fn an_unknown_function_may_change_what_it_gets() {
    check(
        &format!(
            "{TYPES} void f(struct device *d) {{ struct device *mine = d; struct device *given = d; unknown(&given); probe(mine, given); unknown(d); probe(d->private); }}"
        ),
        expect![[r#"
            f: $0, value(0:4)
            f: value(0:7)"#]],
    );
}

#[test]
fn a_member_leads_back_to_what_contains_it() {
    check(
        &format!(
            "{TYPES} void f(struct mutex *m) {{ struct device *d = (struct device *)((char *)m - __builtin_offsetof(struct device, lock)); probe(d, &d->private); }}"
        ),
        expect![[r#"f: &(*$0){-12}, &(*$0){-12}.private"#]],
    );
}

#[test]
fn recursion_ends() {
    check(
        &format!(
            "{TYPES} struct private *last(struct private *p) {{ return p->next ? last(p->next) : p; }} void f(struct private *p) {{ probe(last(p)); }}"
        ),
        expect!["f: value(0:0)"],
    );
}
