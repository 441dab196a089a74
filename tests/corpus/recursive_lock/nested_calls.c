// A recursive mutex is taken again by an inner function; the inner release does not free it.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t log_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int lines, bytes;

static void log_bytes(int count)
{
    pthread_mutex_lock(&log_lock);
    bytes += count; //~ byte: no-race -- taken here, again or not; locks{log_lock}
    pthread_mutex_unlock(&log_lock);
}

static void log_line(int length)
{
    pthread_mutex_lock(&log_lock);
    log_bytes(length);
    lines++; //~ line: no-race -- the inner release leaves the outer hold; locks{log_lock}
    pthread_mutex_unlock(&log_lock);
}

static void *logger(void *argument)
{
    for (int i = 0; i < 50; i++) {
        log_line(i);
        log_bytes(1);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, logger, NULL);
    pthread_create(&two, NULL, logger, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return lines != 100;
}
