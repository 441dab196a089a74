/* Forces an interleaving: a thread that comes to a marked place waits until it is its turn.
 *
 * This file must be compiled without -fsanitize=thread. What it does must not order the threads in the eyes of
 * ThreadSanitizer: it uses relaxed operations, and asks the kernel for nothing but sleep. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "racelens_replay.h"

struct racelens_item {
    int thread;
    int site;
    unsigned visit;
    const char *what;
};

#include "racelens_schedule.h"

#define THREADS 64
/* How long a step may take before its thread counts as blocked. */
#define STEP_MILLISECONDS 30
/* How long a thread waits for its turn before the order is given up. */
#define PATIENCE_MILLISECONDS 4000

#define GET(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define SET(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)
#define ADD(place, value) __atomic_add_fetch(&(place), (value), __ATOMIC_RELAXED)

static __thread int racelens_self;
static int racelens_threads;
static unsigned racelens_visits[THREADS][RACELENS_SITES];
/* How often a thread has come to a marked place, or has ended. */
static unsigned racelens_progress[THREADS];
/* So many items have begun, and where the thread of the last one was then. */
static int racelens_begun;
static unsigned racelens_progress_then;
static long racelens_begun_at;
static int racelens_arrived;
static int racelens_gave_up;

static long now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000L + time.tv_nsec / 1000000L;
}

static void doze(void)
{
    struct timespec time = { 0, 200000 };
    syscall(SYS_nanosleep, &time, (void *)0);
}

static void say(const char *before, int thread, const char *what)
{
    char line[300], digits[12];
    size_t used = 0, count = 0;
    const char *parts[5] = { "racelens: ", before, 0, " ", what };

    do
        digits[count++] = (char)('0' + thread % 10);
    while ((thread /= 10) > 0);
    for (int part = 0; part < 5; part++) {
        if (part == 2)
            for (size_t i = count; i > 0 && used < sizeof line - 1; i--)
                line[used++] = digits[i - 1];
        else
            for (const char *at = parts[part]; *at && used < sizeof line - 1; at++)
                line[used++] = *at;
    }
    line[used++] = '\n';
    syscall(SYS_write, 2, line, used);
}

/* Whether the thread of the item before has done what it was let go for, or cannot. */
static int before_is_done(int item)
{
    if (item == 0)
        return 1;
    const struct racelens_item *before = &racelens_items[item - 1];
    if (before->thread == racelens_self)
        return 1;
    return GET(racelens_progress[before->thread]) != GET(racelens_progress_then)
        || now() - GET(racelens_begun_at) > STEP_MILLISECONDS;
}

static void wait_for_turn(int item)
{
    long since = now();
    while (!GET(racelens_gave_up) && !(GET(racelens_begun) >= item && before_is_done(item))) {
        if (now() - since > PATIENCE_MILLISECONDS) {
            SET(racelens_gave_up, 1);
            const struct racelens_item *missing = &racelens_items[GET(racelens_begun)];
            say("the order is given up, because this does not happen: thread ", missing->thread, missing->what);
        }
        doze();
    }
}

/* A thread that has no further part in the interleaving waits until the end has come. */
static void hold_unless_wanted(void)
{
    long since = now();
    for (int item = GET(racelens_begun); item < RACELENS_STEPS + RACELENS_ENDS; item++)
        if (racelens_items[item].thread == racelens_self)
            return;
    while (!GET(racelens_gave_up) && GET(racelens_arrived) < RACELENS_ENDS && now() - since < PATIENCE_MILLISECONDS)
        doze();
}

void racelens_step(int site)
{
    int self = racelens_self;
    if (self >= THREADS || site >= RACELENS_SITES || GET(racelens_gave_up))
        return;
    unsigned visit = ADD(racelens_visits[self][site], 1);
    ADD(racelens_progress[self], 1);
    for (int item = GET(racelens_begun) < RACELENS_STEPS ? GET(racelens_begun) : RACELENS_STEPS; item < RACELENS_STEPS + RACELENS_ENDS;
         item++) {
        const struct racelens_item *mine = &racelens_items[item];
        if (mine->thread != self || mine->site != site || mine->visit != visit)
            continue;
        int is_end = item >= RACELENS_STEPS;
        wait_for_turn(is_end ? RACELENS_STEPS : item);
        if (GET(racelens_gave_up))
            return;
        say("thread ", self, mine->what);
        if (is_end) {
            /* Both are there. One goes on a moment earlier, because ThreadSanitizer may overlook accesses that are made at
             * the very same time. */
            const char *first = getenv("RACELENS_FIRST");
            int is_second = item - RACELENS_STEPS != (first && *first == '1');
            long since = now();
            ADD(racelens_arrived, 1);
            while (GET(racelens_arrived) < RACELENS_ENDS && now() - since < PATIENCE_MILLISECONDS)
                doze();
            for (int moment = 0; is_second && moment < 25; moment++)
                doze();
            return;
        }
        SET(racelens_progress_then, GET(racelens_progress[self]));
        SET(racelens_begun_at, now());
        SET(racelens_begun, item + 1);
        return;
    }
    hold_unless_wanted();
}

struct start {
    void *(*entry)(void *);
    void *argument;
    int number;
};

static void *begin(void *argument)
{
    struct start *start = argument;
    void *result;
    racelens_self = start->number;
    hold_unless_wanted();
    result = start->entry(start->argument);
    if (racelens_self < THREADS)
        ADD(racelens_progress[racelens_self], 1);
    return result;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Threads are numbered in the order in which they are started. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        abort();
    start->entry = entry;
    start->argument = argument;
    start->number = ADD(racelens_threads, 1);
    return __real_pthread_create(thread, attributes, begin, start);
}
