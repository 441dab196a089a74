//! Initialised once and then read by all: `pthread_once`, release and acquire, double-checked locking.

use super::Idiom;

pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "initialised_once",
        flaws: &["used_first", "changed_afterwards", "second_control"],
        forms: &["in_a_getter"],
        members: "",
        text: r"
static pthread_once_t $once = PTHREAD_ONCE_INIT;
?second_control:static pthread_once_t $other = PTHREAD_ONCE_INIT;
static struct $data $table;

static void $initialise(void)
{
    <w $table>
    <a $table>
}

?in_a_getter:static struct $data *$get(void)
?in_a_getter:{
?in_a_getter:    pthread_once(&$once, $initialise);
?in_a_getter:    return &$table;
?in_a_getter:}
?in_a_getter:
static void *$worker(void *argument)
{
?used_first:    <r $table>
?second_control:    if (argument != NULL)
?second_control:        pthread_once(&$other, $initialise);
?in_a_getter:    struct $data *table = $get();
?in_a_getter:    <r *table>
!in_a_getter:    pthread_once(&$once, $initialise);
!in_a_getter:    <r $table>
?changed_afterwards:    <w $table>
    return argument;
}

static void $run(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, $worker, NULL);
    pthread_create(&two, NULL, $worker, &$table);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}
",
    },
    Idiom {
        name: "flag_released",
        flaws: &["relaxed_store", "relaxed_load", "set_first"],
        forms: &["builtins", "tested_once"],
        members: "",
        text: r"
!builtins:static atomic_int $ready;
?builtins:static int $ready;
static struct $data $shared;

static void *$writer(void *argument)
{
!set_first:    <w $shared>
!relaxed_store:!builtins:    atomic_store_explicit(&$ready, 1, memory_order_release);
?relaxed_store:!builtins:    atomic_store_explicit(&$ready, 1, memory_order_relaxed);
!relaxed_store:?builtins:    __atomic_store_n(&$ready, 1, __ATOMIC_RELEASE);
?relaxed_store:?builtins:    __atomic_store_n(&$ready, 1, __ATOMIC_RELAXED);
?set_first:    <w $shared>
    return argument;
}

static void *$reader(void *argument)
{
?tested_once:    usleep(100);
?tested_once:!relaxed_load:!builtins:    if (atomic_load_explicit(&$ready, memory_order_acquire)) {
?tested_once:?relaxed_load:!builtins:    if (atomic_load_explicit(&$ready, memory_order_relaxed)) {
?tested_once:!relaxed_load:?builtins:    if (__atomic_load_n(&$ready, __ATOMIC_ACQUIRE)) {
?tested_once:?relaxed_load:?builtins:    if (__atomic_load_n(&$ready, __ATOMIC_RELAXED)) {
!tested_once:!relaxed_load:!builtins:    while (!atomic_load_explicit(&$ready, memory_order_acquire))
!tested_once:?relaxed_load:!builtins:    while (!atomic_load_explicit(&$ready, memory_order_relaxed))
!tested_once:!relaxed_load:?builtins:    while (!__atomic_load_n(&$ready, __ATOMIC_ACQUIRE))
!tested_once:?relaxed_load:?builtins:    while (!__atomic_load_n(&$ready, __ATOMIC_RELAXED))
?tested_once:        <r $shared>
?tested_once:    }
!tested_once:        usleep(10);
!tested_once:    <r $shared>
    return argument;
}

static void $run(void)
{
    pthread_t threads[2], writer;
    pthread_create(&writer, NULL, $writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, $reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writer, NULL);
    <a $shared>
}
",
    },
    Idiom {
        name: "atomic_flag",
        flaws: &["set_first", "test_left_out", "plain_flag"],
        forms: &["set_by_the_starter"],
        members: "",
        text: r"
!plain_flag:static atomic_int $ready;
?plain_flag:static volatile int $ready;
static struct $data $shared;

static void *$writer(void *argument)
{
!set_first:    <w $shared>
    $ready = 1;
?set_first:    <w $shared>
    return argument;
}

static void *$reader(void *argument)
{
!test_left_out:    while (!$ready)
!test_left_out:        usleep(10);
    <b $shared>
    return argument;
}

static void $run(void)
{
    pthread_t reader;
!set_by_the_starter:    pthread_t writer;
    pthread_create(&reader, NULL, $reader, NULL);
?set_by_the_starter:    $writer(NULL);
!set_by_the_starter:    pthread_create(&writer, NULL, $writer, NULL);
    pthread_join(reader, NULL);
!set_by_the_starter:    pthread_join(writer, NULL);
}
",
    },
    Idiom {
        name: "pointer_released",
        flaws: &["relaxed_store", "relaxed_load", "filled_later"],
        forms: &["builtins", "waits"],
        members: "",
        text: r"
!builtins:static _Atomic(struct $data *) $published;
?builtins:static struct $data *$published;

static void *$writer(void *argument)
{
    struct $data *fresh = calloc(1, sizeof *fresh);
!filled_later:    <w *fresh>
!relaxed_store:!builtins:    atomic_store_explicit(&$published, fresh, memory_order_release);
?relaxed_store:!builtins:    atomic_store_explicit(&$published, fresh, memory_order_relaxed);
!relaxed_store:?builtins:    __atomic_store_n(&$published, fresh, __ATOMIC_RELEASE);
?relaxed_store:?builtins:    __atomic_store_n(&$published, fresh, __ATOMIC_RELAXED);
?filled_later:    <w *fresh>
    return argument;
}

static struct $data *$find(void)
{
!relaxed_load:!builtins:    return atomic_load_explicit(&$published, memory_order_acquire);
?relaxed_load:!builtins:    return atomic_load_explicit(&$published, memory_order_relaxed);
!relaxed_load:?builtins:    return __atomic_load_n(&$published, __ATOMIC_ACQUIRE);
?relaxed_load:?builtins:    return __atomic_load_n(&$published, __ATOMIC_RELAXED);
}

static void *$reader(void *argument)
{
    usleep(50);
    struct $data *found = $find();
?waits:    while (found == NULL) {
?waits:        usleep(10);
?waits:        found = $find();
?waits:    }
!waits:    if (found != NULL) {
!waits:        <r *found>
!waits:    }
?waits:    <r *found>
    return argument;
}

static void $run(void)
{
    pthread_t threads[2], writer;
    pthread_create(&writer, NULL, $writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, $reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writer, NULL);
}
",
    },
    Idiom {
        name: "double_checked_pointer",
        flaws: &["relaxed_store", "relaxed_load", "filled_later"],
        forms: &["builtins"],
        members: "",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
!builtins:static _Atomic(struct $data *) $instance;
?builtins:static struct $data *$instance;

static struct $data *$get(void)
{
!relaxed_load:!builtins:    struct $data *found = atomic_load_explicit(&$instance, memory_order_acquire);
?relaxed_load:!builtins:    struct $data *found = atomic_load_explicit(&$instance, memory_order_relaxed);
!relaxed_load:?builtins:    struct $data *found = __atomic_load_n(&$instance, __ATOMIC_ACQUIRE);
?relaxed_load:?builtins:    struct $data *found = __atomic_load_n(&$instance, __ATOMIC_RELAXED);
    if (found == NULL) {
        pthread_mutex_lock(&$lock);
!builtins:        found = atomic_load_explicit(&$instance, memory_order_relaxed);
?builtins:        found = $instance;
        if (found == NULL) {
            found = calloc(1, sizeof *found);
!filled_later:            <w *found>
!relaxed_store:!builtins:            atomic_store_explicit(&$instance, found, memory_order_release);
?relaxed_store:!builtins:            atomic_store_explicit(&$instance, found, memory_order_relaxed);
!relaxed_store:?builtins:            __atomic_store_n(&$instance, found, __ATOMIC_RELEASE);
?relaxed_store:?builtins:            __atomic_store_n(&$instance, found, __ATOMIC_RELAXED);
?filled_later:            <w *found>
        }
        pthread_mutex_unlock(&$lock);
    }
    return found;
}

static void *$worker(void *argument)
{
    for (int i = 0; i < 2; i++) {
        struct $data *object = $get();
        <r *object>
        usleep(50);
    }
    return argument;
}

static void $run(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, $worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "double_checked_flag",
        flaws: &["relaxed_store", "relaxed_load", "set_first", "plain_flag"],
        forms: &["set_in_a_helper"],
        members: "",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
!plain_flag:static atomic_int $done;
?plain_flag:static int $done;
static struct $data $table;

?set_in_a_helper:static void $fill(void)
?set_in_a_helper:{
?set_in_a_helper:    <w $table>
?set_in_a_helper:    <a $table>
?set_in_a_helper:}
?set_in_a_helper:
static void $prepare(void)
{
?plain_flag:    if ($done)
!plain_flag:!relaxed_load:    if (atomic_load_explicit(&$done, memory_order_acquire))
!plain_flag:?relaxed_load:    if (atomic_load_explicit(&$done, memory_order_relaxed))
        return;
    pthread_mutex_lock(&$lock);
?plain_flag:    if (!$done) {
!plain_flag:    if (!atomic_load_explicit(&$done, memory_order_relaxed)) {
!set_first:!set_in_a_helper:        <w $table>
!set_first:?set_in_a_helper:        $fill();
?plain_flag:        $done = 1;
!plain_flag:!relaxed_store:        atomic_store_explicit(&$done, 1, memory_order_release);
!plain_flag:?relaxed_store:        atomic_store_explicit(&$done, 1, memory_order_relaxed);
?set_first:!set_in_a_helper:        <w $table>
?set_first:?set_in_a_helper:        $fill();
    }
    pthread_mutex_unlock(&$lock);
}

static void *$worker(void *argument)
{
    for (int i = 0; i < 2; i++) {
        $prepare();
        <r $table>
        usleep(50);
    }
    return argument;
}

static void $run(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, $worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
];
