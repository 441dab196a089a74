//! Edits after which a function's accesses are nearly what they were: which of them belong to one statement, which look alike, and what a lock is to
//! them decide on the pairs of a race and on what is said about it.

use racelens_analysis::host::AnalysisHost;
use racelens_tests::incremental::{apply, check, described};

const DECLARATIONS: &str = r#"
typedef struct { int state; } pthread_mutex_t;
typedef unsigned long pthread_t;
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int memcmp(const void *, const void *, unsigned long);
void *memchr(const void *, int, unsigned long);
struct object { pthread_mutex_t lock; int x; struct object *next; };
static struct object a, b, *head = &a;
static struct object *last(void)
{
    struct object *p = head;
    while (p->next)
        p = p->next;
    return p;
}
"#;

const MAIN: &str = r#"
int main(void)
{
    pthread_t one, two;
    a.next = &b;
    /* in main */
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    return 0;
}
"#;

/// Makes one version of a program out of the one before, again and again, and compares each with what is found from scratch.
fn assert_as_afresh(versions: &[String]) {
    let mut host = AnalysisHost::default();
    let text = |version: &String| format!("{DECLARATIONS}{version}");
    apply(&mut host, &text(&versions[0]));
    let mut before = check(&host.analysis(), None);
    assert!(!before.program.races.is_empty());
    let there_and_back = versions[1..].iter().chain(versions.iter().rev());
    for version in there_and_back {
        apply(&mut host, &text(version));
        let again = check(&host.analysis(), Some(&before));
        let fresh = check(&host.analysis(), None);
        assert_eq!(described(&again), described(&fresh), "{version}");
        before = again;
    }
}

fn writes(count: usize) -> String {
    "p->x = 1; ".repeat(count)
}

#[test]
fn accesses_of_one_statement_become_accesses_of_two() {
    let worker = |compares: &str| {
        format!(
            "static void *worker(void *u) {{ struct object *p = last(), *q = head; p->x = 2; {compares} return u; }}{MAIN}"
        )
    };
    assert_as_afresh(&[
        worker("memcmp(p, q, sizeof *p);"),
        worker("memchr(p, 0, sizeof *p); memchr(q, 0, sizeof *q);"),
    ]);
}

#[test]
fn half_of_the_accesses_have_another_name() {
    let worker = |between: &str| {
        let seven = writes(7);
        format!(
            "static void *worker(void *u) {{ struct object *p = last(); {seven}{between}{seven} return u; }}{MAIN}"
        )
    };
    assert_as_afresh(&[worker(""), worker("p = last();")]);
}

#[test]
fn a_function_that_has_only_moved_has_the_name_that_another_one_had() {
    let functions = |in_f: &str, in_g: &str| {
        let seven = writes(7);
        format!(
            "static void f(void) {{ {in_f} struct object *p = last(); {seven} }}\n\
             static void g(void) {{ struct object *p = last(); {seven} {in_g} }}\n\
             static void *worker(void *u) {{ f(); g(); return u; }}{MAIN}"
        )
    };
    let local = "int t = 0; t++;";
    assert_as_afresh(&[
        functions("", ""),
        functions("", local),
        functions(local, local),
    ]);
}

#[test]
fn a_lock_is_named_in_another_first_context() {
    let program = |calls: &str| {
        let main = MAIN.replace("/* in main */", calls);
        format!(
            "static void f(struct object *p, int flag) {{ pthread_mutex_lock(&a.lock); if (flag) p->x++; pthread_mutex_unlock(&a.lock); }}\n\
             static void g(void) {{ struct object *q = last(); pthread_mutex_lock(&q->lock); q->x++; pthread_mutex_unlock(&q->lock); }}\n\
             static void h(void) {{ last()->x++; }}\n\
             static void *worker(void *u) {{ f(&a, 1); g(); h(); return u; }}{main}"
        )
    };
    assert_as_afresh(&[
        program("f(&a, 0); f(&b, 0);"),
        program("f(&b, 0); f(&a, 0);"),
    ]);
}
