// The lock is taken through a table of functions; the table for programs without threads is set.
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

static void no_enter(struct log *log)
{
    (void)log;
}

static void no_leave(struct log *log)
{
    (void)log;
}

static const struct locking unthreaded = { no_enter, no_leave };

static void write_line(struct log *log)
{
    log->locking->enter(log);
    log->lines++; //~ w: race(self); locks{}
    log->locking->leave(log);
}

static void *writer(void *argument)
{
    for (int i = 0; i < 100; i++)
        write_line(argument);
    return NULL;
}

static struct log log_file = { PTHREAD_MUTEX_INITIALIZER, &unthreaded, 0 };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, &log_file);
    pthread_create(&two, NULL, writer, &log_file);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
