//! One thread waits for another: condition variables, semaphores, barriers.

use super::Idiom;

pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "flag_with_a_condition",
        flaws: &[
            "announced_first",
            "wait_left_out",
            "polled_without_the_lock",
        ],
        forms: &["written_under_the_lock", "announced_by_the_starter"],
        members: "",
        text: r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t $changed = PTHREAD_COND_INITIALIZER;
static int $ready;
static struct $data $shared;

static void *$writer(void *argument)
{
!announced_first:!written_under_the_lock:    <w $shared>
    pthread_mutex_lock(&$lock);
!announced_first:?written_under_the_lock:    <w $shared>
    $ready = 1;
    pthread_cond_broadcast(&$changed);
    pthread_mutex_unlock(&$lock);
?announced_first:    <w $shared>
    return argument;
}

static void *$reader(void *argument)
{
?polled_without_the_lock:    while (!$ready)
?polled_without_the_lock:        usleep(10);
!polled_without_the_lock:    pthread_mutex_lock(&$lock);
!polled_without_the_lock:!wait_left_out:    while (!$ready)
!polled_without_the_lock:!wait_left_out:        pthread_cond_wait(&$changed, &$lock);
!polled_without_the_lock:    pthread_mutex_unlock(&$lock);
    <r $shared>
    return argument;
}

static void $run(void)
{
    pthread_t threads[2];
!announced_by_the_starter:    pthread_t writer;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, $reader, NULL);
!announced_by_the_starter:    pthread_create(&writer, NULL, $writer, NULL);
?announced_by_the_starter:    $writer(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
!announced_by_the_starter:    pthread_join(writer, NULL);
    <a $shared>
}
",
    },
    Idiom {
        name: "semaphore_as_a_signal",
        flaws: &["posted_first", "wait_left_out", "starts_set"],
        forms: &["posted_by_the_starter", "awaited_by_the_starter"],
        members: "",
        text: r"
static sem_t $done;
static struct $data $shared;

static void *$writer(void *argument)
{
?starts_set:    usleep(100);
!posted_first:    <w $shared>
    sem_post(&$done);
?posted_first:    <w $shared>
    return argument;
}

static void *$reader(void *argument)
{
!wait_left_out:    sem_wait(&$done);
    <b $shared>
    return argument;
}

static void $run(void)
{
    pthread_t one;
!posted_by_the_starter:!awaited_by_the_starter:    pthread_t two;
!starts_set:    sem_init(&$done, 0, 0);
?starts_set:    sem_init(&$done, 0, 1);
?posted_by_the_starter:    pthread_create(&one, NULL, $reader, NULL);
?posted_by_the_starter:    $writer(NULL);
!posted_by_the_starter:    pthread_create(&one, NULL, $writer, NULL);
!posted_by_the_starter:?awaited_by_the_starter:    $reader(NULL);
!posted_by_the_starter:!awaited_by_the_starter:    pthread_create(&two, NULL, $reader, NULL);
    pthread_join(one, NULL);
!posted_by_the_starter:!awaited_by_the_starter:    pthread_join(two, NULL);
}
",
    },
    Idiom {
        name: "semaphores_in_turns",
        flaws: &["too_many_turns", "given_back_early"],
        forms: &[],
        members: "",
        text: r"
static sem_t $full, $empty;
static struct $data $shared;

static void *$producer(void *argument)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&$empty);
?too_many_turns:        usleep(20);
        <w $shared>
        sem_post(&$full);
    }
    return argument;
}

static void *$consumer(void *argument)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&$full);
?too_many_turns:        usleep(30);
?given_back_early:        sem_post(&$empty);
        <a $shared>
!given_back_early:        sem_post(&$empty);
    }
    return argument;
}

static void $run(void)
{
    pthread_t producer, consumer;
    sem_init(&$full, 0, 0);
!too_many_turns:    sem_init(&$empty, 0, 1);
?too_many_turns:    sem_init(&$empty, 0, 3);
    pthread_create(&producer, NULL, $producer, NULL);
    pthread_create(&consumer, NULL, $consumer, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
}
",
    },
    Idiom {
        name: "barrier_before_reading",
        flaws: &["written_behind", "read_in_front"],
        forms: &["starter_writes"],
        members: "",
        text: r"
static pthread_barrier_t $barrier;
static struct $data $shared;

static void *$writer(void *argument)
{
!written_behind:    <w $shared>
    pthread_barrier_wait(&$barrier);
?written_behind:    <w $shared>
    return argument;
}

static void *$reader(void *argument)
{
?read_in_front:    <r $shared>
    pthread_barrier_wait(&$barrier);
    <r $shared>
    return argument;
}

static void $run(void)
{
    pthread_t threads[2];
!starter_writes:    pthread_t writer;
    pthread_barrier_init(&$barrier, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, $reader, NULL);
!starter_writes:    pthread_create(&writer, NULL, $writer, NULL);
?starter_writes:    $writer(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
!starter_writes:    pthread_join(writer, NULL);
    <a $shared>
}
",
    },
    Idiom {
        name: "barrier_between_slots",
        flaws: &["barrier_left_out"],
        forms: &["argument_by_address"],
        members: "",
        text: r"
static pthread_barrier_t $barrier;
static struct $data $cells[3];

static void *$worker(void *argument)
{
!argument_by_address:    int id = (int)(intptr_t)argument;
?argument_by_address:    int id = *(int *)argument;
    <w $cells[id]>
!barrier_left_out:    pthread_barrier_wait(&$barrier);
    <r $cells[(id + 1) % 3]>
    return NULL;
}

static void $run(void)
{
    pthread_t threads[3];
?argument_by_address:    static int ids[3];
    pthread_barrier_init(&$barrier, NULL, 3);
?argument_by_address:    for (int i = 0; i < 3; i++) {
?argument_by_address:        ids[i] = i;
?argument_by_address:        pthread_create(&threads[i], NULL, $worker, &ids[i]);
?argument_by_address:    }
!argument_by_address:    for (intptr_t i = 0; i < 3; i++)
!argument_by_address:        pthread_create(&threads[i], NULL, $worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "barriers_in_a_loop",
        flaws: &["second_left_out", "first_left_out"],
        forms: &["one_writer"],
        members: "",
        text: r"
static pthread_barrier_t $barrier;
!one_writer:static struct $data $cells[3];
?one_writer:static struct $data $cell;

?one_writer:static void *$writer(void *argument)
?one_writer:{
?one_writer:    for (int i = 0; i < 3; i++) {
?one_writer:?second_left_out:        usleep(50);
?one_writer:        <w $cell>
?one_writer:!first_left_out:        pthread_barrier_wait(&$barrier);
?one_writer:!second_left_out:        pthread_barrier_wait(&$barrier);
?one_writer:    }
?one_writer:    return argument;
?one_writer:}
?one_writer:
static void *$worker(void *argument)
{
!one_writer:    int id = (int)(intptr_t)argument;
    for (int i = 0; i < 3; i++) {
!one_writer:?second_left_out:        usleep(50 * id);
!one_writer:        <w $cells[id]>
!first_left_out:        pthread_barrier_wait(&$barrier);
?one_writer:        <r $cell>
!one_writer:        <r $cells[(id + 1) % 3]>
!second_left_out:        pthread_barrier_wait(&$barrier);
    }
    return argument;
}

static void $run(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&$barrier, NULL, 3);
?one_writer:    pthread_create(&threads[0], NULL, $writer, NULL);
?one_writer:    for (intptr_t i = 1; i < 3; i++)
!one_writer:    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, $worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
];
