// Two pools, each started and joined by functions of its own in loops; main adds up when both are gone.
#include <pthread.h>

#define WORKERS 3

static pthread_t readers[WORKERS], writers[WORKERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long read_count, written_count;

static void *reader(void *argument)
{
    pthread_mutex_lock(&lock);
    read_count++; //~ read: no-race -- the lock, and joined before main reads; locks{lock}
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *writer(void *argument)
{
    pthread_mutex_lock(&lock);
    written_count++; //~ written: no-race -- the lock, and joined before main reads; locks{lock}
    pthread_mutex_unlock(&lock);
    return argument;
}

static int start_readers(void)
{
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&readers[i], NULL, reader, NULL) != 0)
            return -1;
    return 0;
}

static int start_writers(void)
{
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&writers[i], NULL, writer, NULL) != 0)
            return -1;
    return 0;
}

static int start_all(void)
{
    if (start_readers() != 0)
        return -1;
    return start_writers();
}

static void join_readers(void)
{
    for (int i = 0; i < WORKERS; i++)
        pthread_join(readers[i], NULL);
}

static void join_writers(void)
{
    for (int i = 0; i < WORKERS; i++)
        pthread_join(writers[i], NULL);
}

static void join_all(void)
{
    join_readers();
    join_writers();
}

int main(void)
{
    if (start_all() != 0)
        return 1;
    join_all();
    return read_count + written_count != 2 * WORKERS; //~ sum: no-race -- all threads have been joined; locks{}
}
