//! Edits around functions that are called back by a library, through a pointer, or by themselves: what is found with the contexts of
//! before equals what is found from scratch. With debug assertions the contexts themselves are compared as well.

use racelens_tests::incremental::{assert_as_if_afresh, fresh};

/// `FROM` stands for what is edited.
const HEADER: &str = "
typedef unsigned long pthread_t;
typedef struct { int state; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
struct table;
void g_hash_table_foreach(struct table *, void (*)(void *, void *, void *), void *);
static pthread_mutex_t lock;
static pthread_t thread;
static int total, other;
";

/// Goes to the edited program and back, in a place that the comment `/* edit */` marks.
fn assert_edit(program: &str, edit: &str) {
    assert_edits(program, &[("/* edit */", edit)]);
}

/// The same for an edit of several places.
fn assert_edits(program: &str, edits: &[(&str, &str)]) {
    let program = HEADER.to_owned() + program;
    let edited = { edits.iter() }.fold(program.clone(), |text, (from, to)| text.replace(from, to));
    assert_ne!(edited, program);
    assert_as_if_afresh(&[&program, &edited, &program]);
}

fn race_count(program: &str) -> usize {
    fresh(&(HEADER.to_owned() + program)).program.races.len()
}

/// A function is called with fewer arguments than it takes.
const MISCALLED: &str = "
static void count(int unused) { total++; /* edit */ }
static void call(void)
{
    void (*pointer)() = (void (*)())count;
    pthread_mutex_lock(&lock);
    pointer();
    other++;
    pthread_mutex_unlock(&lock);
}
static void *one(void *unused) { call(); return unused; }
int main(void)
{
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, one, 0);
    return 0;
}
";

#[test]
fn a_function_that_is_called_with_too_few_arguments_is_called_all_the_same() {
    for edit in ["pthread_mutex_unlock(&lock);", "other++;", "total--;"] {
        assert_edit(MISCALLED, edit);
    }
    let edited = MISCALLED.replace("/* edit */", "pthread_mutex_unlock(&lock);");
    assert!(race_count(&edited) > race_count(MISCALLED));
}

/// The same where the pointer may be another function that takes as many as are given.
const MISCALLED_OR_NOT: &str = "
static void count(int unused) { total++; /* edit */ }
static void count_more(void) { total += 2; }
static void call(void (*either)())
{
    void (*pointer)() = (void (*)())count;
    pthread_mutex_lock(&lock);
    pointer();
    pointer = either;
    other++;
    pthread_mutex_unlock(&lock);
}
static void *one(void *unused)
{
    call((void (*)())count);
    call(count_more);
    return unused;
}
int main(void)
{
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, one, 0);
    return 0;
}
";

#[test]
fn a_function_that_a_call_cannot_be_one_of_is_not_called() {
    assert_edit(MISCALLED_OR_NOT, "pthread_mutex_unlock(&lock);");
}
