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

/// A function that a library calls for itself, in a tree.
const TREE: &str = "
struct node { struct table *children; };
static struct table *table;
static void visit(void *key, void *value, void *unused)
{
    total++;
    g_hash_table_foreach(((struct node *)value)->children, visit, 0);
}
static void walk(void)
{
    /* before */
    g_hash_table_foreach(table, visit, &table);
    /* behind */
}
static void *one(void *unused) { walk(); return unused; }
static void *two(void *unused) { walk(); return unused; }
static void *three(void *unused) { walk(); return unused; }
int main(void)
{
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, two, 0);
    pthread_create(&thread, 0, three, 0);
    return 0;
}
";

#[test]
fn a_function_that_is_called_back_by_itself_keeps_its_threads() {
    assert!(race_count(TREE) > 0);
    assert_edits(
        TREE,
        &[
            ("/* before */", "pthread_mutex_lock(&lock);"),
            ("/* behind */", "pthread_mutex_unlock(&lock);"),
        ],
    );
}

/// A comparison that sorts parts of what is compared.
const LISTS: &str = "
struct list { struct list *parts; unsigned long count; };
static struct list list;
static void walk(struct list *list);
static int compare(const void *one, const void *two)
{
    total++;
    walk((struct list *)one);
    return 0;
}
static void walk(struct list *list)
{
    if (list->count) qsort(list->parts, list->count, sizeof *list, compare);
}
static void *one(void *unused) { walk(&list); return unused; }
static void *two(void *unused) { walk(&list); /* edit */ return unused; }
int main(void)
{
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, two, 0);
    return 0;
}
";

#[test]
fn a_thread_that_has_left_a_circle_of_callbacks_does_not_stay_by_itself() {
    assert!(race_count(LISTS) > 0);
    assert_edits(LISTS, &[("walk(&list); /* edit */", "")]);
    assert_edits(
        LISTS,
        &[("walk(&list); /* edit */", "if (other) walk(&list);")],
    );
}

/// A callback that comes and goes with what a pointer may be.
const CHOSEN: &str = "
static int compare(const void *one, const void *two) { total++; return 0; }
static int compare_parts(const void *one, const void *two);
static int (*chosen)(const void *, const void *) = compare;
static int numbers[4];
static void walk(void)
{
    qsort(numbers, 4, sizeof *numbers, chosen);
}
static int compare_parts(const void *one, const void *two) { other++; walk(); return 0; }
static void choose(void) { /* edit */ }
static void *one(void *unused) { walk(); return unused; }
static void *two(void *unused) { choose(); walk(); return unused; }
int main(void)
{
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, two, 0);
    return 0;
}
";

#[test]
fn what_a_library_calls_back_may_change_by_an_edit_elsewhere() {
    assert!(race_count(CHOSEN) > 0);
    assert_edit(CHOSEN, "chosen = compare_parts;");
}

/// A library calls what lies in an object of the program, which gets to itself so.
const TIMER: &str = "
struct k_timer { void (*expiry_fn)(struct k_timer *); void (*stop_fn)(struct k_timer *); int state; };
void k_timer_stop(struct k_timer *);
static struct k_timer timer;
static void stopped(struct k_timer *stopped_timer)
{
    total++;
    timer.stop_fn = stopped;
    if (stopped_timer->state) k_timer_stop(&timer);
}
static void stop(void)
{
    timer.stop_fn = stopped;
    /* before */
    k_timer_stop(&timer);
    /* behind */
}
static void *one(void *unused) { stop(); return unused; }
static void *two(void *unused) { stop(); return unused; }
int main(void)
{
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, two, 0);
    return 0;
}
";

#[test]
fn what_a_library_finds_in_an_object_and_calls_keeps_its_threads() {
    assert!(race_count(TIMER) > 0);
    assert_edits(
        TIMER,
        &[
            ("/* before */", "pthread_mutex_lock(&lock);"),
            ("/* behind */", "pthread_mutex_unlock(&lock);"),
        ],
    );
    assert_edits(TIMER, &[("{ stop(); return", "{ return")]);
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

/// A function that does not call itself yet.
const LONE: &str = "
static void begin(int more) { if (more) { /* edit */ total++; } }
int main(void)
{
    for (int i = 0; i < 3; i++) begin(0);
    begin(1);
    return 0;
}
";

#[test]
fn a_function_that_begins_to_call_itself_is_entered_more_than_once() {
    assert_edit(LONE, "begin(0);");
}

/// A function that calls what another one has chosen.
const TABLE: &str = "
static void *work(void *unused) { total++; return unused; }
static void start(void) { pthread_create(&thread, 0, work, 0); }
static void nothing(int more) { }
static void begin(int more);
static void (*table[2])(int) = { nothing };
static void begin(int more)
{
    start();
    table[0] = nothing;
    table[0](0);
}
void choose(void) { /* edit */ }
int main(void)
{
    begin(1);
    for (;;) {}
}
";

#[test]
fn a_function_that_may_call_itself_after_an_edit_elsewhere_may_start_more_threads() {
    assert_edit(TABLE, "table[1] = begin;");
}
