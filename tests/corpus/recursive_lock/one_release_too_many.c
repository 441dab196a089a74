// An error path releases the recursive mutex twice, so that the outer function goes on without it.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t log_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int lines, failures;

static int log_bytes(int count)
{
    pthread_mutex_lock(&log_lock);
    if (count % 2 == 1) {
        failures++; //~ fail: no-race -- still held; locks{log_lock}
        pthread_mutex_unlock(&log_lock);
        pthread_mutex_unlock(&log_lock);
        return -1;
    }
    pthread_mutex_unlock(&log_lock);
    return 0;
}

static void log_line(int length)
{
    pthread_mutex_lock(&log_lock);
    if (log_bytes(length) < 0) {
        lines--; //~ undo: race(self, done); locks{}
        return;
    }
    lines++; //~ done: locks{log_lock}
    pthread_mutex_unlock(&log_lock);
}

static void *logger(void *argument)
{
    for (int i = 0; i < 100; i++)
        log_line(i);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, logger, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
