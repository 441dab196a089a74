//! Objects that one thread owns: not yet published, or taken out of what is shared.

use super::Idiom;

pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "filled_before_it_is_published",
        flaws: &[
            "published_too_early",
            "changed_later",
            "read_without_the_lock",
        ],
        forms: &["made_by_a_function"],
        members: "struct $data *next;",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data *$head;

static void $fill(struct $data *fresh)
{
    <w *fresh>
    <a *fresh>
}

?made_by_a_function:static struct $data *$make(void)
?made_by_a_function:{
?made_by_a_function:    struct $data *fresh = calloc(1, sizeof *fresh);
?made_by_a_function:!published_too_early:    $fill(fresh);
?made_by_a_function:    return fresh;
?made_by_a_function:}
?made_by_a_function:
static void *$producer(void *argument)
{
!made_by_a_function:    struct $data *fresh = calloc(1, sizeof *fresh);
!made_by_a_function:!published_too_early:    $fill(fresh);
?made_by_a_function:    struct $data *fresh = $make();
    pthread_mutex_lock(&$lock);
    fresh->next = $head;
    $head = fresh;
    pthread_mutex_unlock(&$lock);
?published_too_early:    $fill(fresh);
?changed_later:    <b *fresh>
    return argument;
}

static void *$reader(void *argument)
{
    usleep(50);
!read_without_the_lock:    pthread_mutex_lock(&$lock);
    for (struct $data *item = $head; item != NULL; item = item->next) {
        <r *item>
    }
!read_without_the_lock:    pthread_mutex_unlock(&$lock);
    return argument;
}

static void $run(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, $producer, NULL);
        pthread_create(&threads[i + 2], NULL, $reader, NULL);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "taken_out_of_a_list",
        flaws: &["still_in_the_list", "taken_without_the_lock"],
        forms: &["filled_at_first"],
        members: "struct $data *next;",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data *$head;

static void $add(void)
{
    struct $data *fresh = calloc(1, sizeof *fresh);
    <a *fresh>
    pthread_mutex_lock(&$lock);
    fresh->next = $head;
    $head = fresh;
    pthread_mutex_unlock(&$lock);
}

static struct $data *$take(void)
{
!taken_without_the_lock:    pthread_mutex_lock(&$lock);
    struct $data *item = $head;
!still_in_the_list:    if (item != NULL)
!still_in_the_list:        $head = item->next;
!taken_without_the_lock:    pthread_mutex_unlock(&$lock);
    return item;
}

static void *$consumer(void *argument)
{
    for (int i = 0; i < 3; i++) {
        struct $data *item = $take();
        if (item == NULL)
            break;
        <w *item>
        <r *item>
!still_in_the_list:!taken_without_the_lock:        free(item);
    }
    return argument;
}

!filled_at_first:static void *$producer(void *argument)
!filled_at_first:{
!filled_at_first:    for (int i = 0; i < 3; i++)
!filled_at_first:        $add();
!filled_at_first:    return argument;
!filled_at_first:}
!filled_at_first:
static void $run(void)
{
    pthread_t threads[2];
?filled_at_first:    for (int i = 0; i < 4; i++)
?filled_at_first:        $add();
!filled_at_first:    pthread_t producer;
!filled_at_first:    pthread_create(&producer, NULL, $producer, NULL);
!filled_at_first:    usleep(50);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, $consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
!filled_at_first:    pthread_join(producer, NULL);
}
",
    },
    Idiom {
        name: "taken_from_the_front",
        flaws: &["filled_too_late", "not_moved_on", "moved_on_later"],
        forms: &["tested_first"],
        members: "struct $data *next;",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data *$first, *$last;

static void *$producer(void *argument)
{
    for (int i = 0; i < 4; i++) {
        struct $data *fresh = calloc(1, sizeof *fresh);
!filled_too_late:        <w *fresh>
        pthread_mutex_lock(&$lock);
        if ($last == NULL)
            $first = fresh;
        else
            $last->next = fresh;
        $last = fresh;
        pthread_mutex_unlock(&$lock);
?filled_too_late:        <w *fresh>
    }
    return argument;
}

static void *$consumer(void *argument)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&$lock);
?tested_first:        if ($first == NULL) {
?tested_first:            pthread_mutex_unlock(&$lock);
?tested_first:            usleep(10);
?tested_first:            continue;
?tested_first:        }
        struct $data *item = $first;
!tested_first:        if (item == NULL) {
!tested_first:            pthread_mutex_unlock(&$lock);
!tested_first:            usleep(10);
!tested_first:            continue;
!tested_first:        }
?moved_on_later:        pthread_mutex_unlock(&$lock);
?moved_on_later:        <a *item>
?moved_on_later:        pthread_mutex_lock(&$lock);
?moved_on_later:        if ($first != NULL)
!not_moved_on:            $first = $first->next;
        if ($first == NULL)
            $last = NULL;
        pthread_mutex_unlock(&$lock);
!moved_on_later:        <a *item>
        usleep(10);
    }
    return argument;
}

static void $run(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, $producer, NULL);
        pthread_create(&threads[i + 2], NULL, $consumer, NULL);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "handed_over_in_a_queue",
        flaws: &["touched_after_the_push", "left_in_the_queue"],
        forms: &["two_of_each"],
        members: "struct $data *next;",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t $filled = PTHREAD_COND_INITIALIZER;
static struct $data *$queue;

static void $push(struct $data *item)
{
    pthread_mutex_lock(&$lock);
    item->next = $queue;
    $queue = item;
    pthread_cond_signal(&$filled);
    pthread_mutex_unlock(&$lock);
}

static struct $data *$pop(void)
{
    pthread_mutex_lock(&$lock);
    while ($queue == NULL)
        pthread_cond_wait(&$filled, &$lock);
    struct $data *item = $queue;
!left_in_the_queue:    $queue = item->next;
    pthread_mutex_unlock(&$lock);
    return item;
}

static void *$producer(void *argument)
{
    for (int i = 0; i < 3; i++) {
        struct $data *fresh = calloc(1, sizeof *fresh);
        <w *fresh>
        $push(fresh);
?touched_after_the_push:        <a *fresh>
    }
    return argument;
}

static void *$consumer(void *argument)
{
    for (int i = 0; i < 3; i++) {
        struct $data *item = $pop();
        <r *item>
        <w *item>
?left_in_the_queue:        usleep(50);
!touched_after_the_push:!left_in_the_queue:        free(item);
    }
    return argument;
}

static void $run(void)
{
!two_of_each:    pthread_t producer, consumer;
!two_of_each:    pthread_create(&producer, NULL, $producer, NULL);
!two_of_each:    pthread_create(&consumer, NULL, $consumer, NULL);
!two_of_each:?left_in_the_queue:    pthread_t second;
!two_of_each:?left_in_the_queue:    pthread_create(&second, NULL, $consumer, NULL);
!two_of_each:?left_in_the_queue:    pthread_join(second, NULL);
!two_of_each:    pthread_join(producer, NULL);
!two_of_each:    pthread_join(consumer, NULL);
?two_of_each:    pthread_t threads[4];
?two_of_each:    for (int i = 0; i < 2; i++) {
?two_of_each:        pthread_create(&threads[i], NULL, $producer, NULL);
?two_of_each:        pthread_create(&threads[i + 2], NULL, $consumer, NULL);
?two_of_each:    }
?two_of_each:    for (int i = 0; i < 4; i++)
?two_of_each:        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "handed_over_and_back",
        flaws: &["touched_after_the_reply", "reply_not_awaited"],
        forms: &[],
        members: "",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t $changed = PTHREAD_COND_INITIALIZER;
static struct $data *$request, *$reply;

static void *$server(void *argument)
{
    pthread_mutex_lock(&$lock);
    while ($request == NULL)
        pthread_cond_wait(&$changed, &$lock);
    struct $data *item = $request;
    $request = NULL;
    pthread_mutex_unlock(&$lock);
    <w *item>
    pthread_mutex_lock(&$lock);
    $reply = item;
    pthread_cond_broadcast(&$changed);
    pthread_mutex_unlock(&$lock);
?touched_after_the_reply:    <w *item>
    return argument;
}

static void $run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, $server, NULL);
    struct $data *object = calloc(1, sizeof *object);
    <a *object>
    pthread_mutex_lock(&$lock);
    $request = object;
    pthread_cond_broadcast(&$changed);
    pthread_mutex_unlock(&$lock);
?reply_not_awaited:    usleep(200);
?reply_not_awaited:    <b *object>
    pthread_mutex_lock(&$lock);
    while ($reply == NULL)
        pthread_cond_wait(&$changed, &$lock);
    object = $reply;
    $reply = NULL;
    pthread_mutex_unlock(&$lock);
    <b *object>
    pthread_join(thread, NULL);
    free(object);
}
",
    },
    Idiom {
        name: "replaced_under_the_lock",
        flaws: &["kept_after_the_unlock"],
        forms: &[],
        members: "",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data *$current;

static void *$replacer(void *argument)
{
    for (int i = 0; i < 3; i++) {
        struct $data *fresh = calloc(1, sizeof *fresh);
        <w *fresh>
        pthread_mutex_lock(&$lock);
        struct $data *old = $current;
        $current = fresh;
        pthread_mutex_unlock(&$lock);
        if (old != NULL) {
            <a *old>
!kept_after_the_unlock:            free(old);
        }
        usleep(20);
    }
    return argument;
}

static void *$reader(void *argument)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&$lock);
        struct $data *now = $current;
?kept_after_the_unlock:        pthread_mutex_unlock(&$lock);
        if (now != NULL) {
            <b *now>
        }
!kept_after_the_unlock:        pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}

static void $run(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, $replacer, NULL);
    pthread_create(&threads[1], NULL, $replacer, NULL);
    pthread_create(&threads[2], NULL, $reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
];
