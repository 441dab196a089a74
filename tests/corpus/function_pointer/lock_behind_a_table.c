// The lock itself is taken through a table of functions, as a portable library does it.
#include <pthread.h>

struct log {
    pthread_mutex_t mutex;
    const struct locking *locking;
    int lines;
};

struct locking {
    void (*enter)(struct log *log);
    void (*leave)(struct log *log);
};

static void mutex_enter(struct log *log)
{
    pthread_mutex_lock(&log->mutex);
}

static void mutex_leave(struct log *log)
{
    pthread_mutex_unlock(&log->mutex);
}

static const struct locking threaded = { mutex_enter, mutex_leave };

static void write_line(struct log *log)
{
    log->locking->enter(log);
    log->lines++; //~ w: no-race -- the table locks; locks{log->mutex}
    log->locking->leave(log);
}

static void *writer(void *argument)
{
    for (int i = 0; i < 100; i++)
        write_line(argument);
    return NULL;
}

static struct log log_file = { PTHREAD_MUTEX_INITIALIZER, &threaded, 0 };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, &log_file);
    pthread_create(&two, NULL, writer, &log_file);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
