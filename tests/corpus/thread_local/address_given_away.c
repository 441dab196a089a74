// A thread-local variable is private only as long as nobody hands out its address.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static __thread int progress;
static int *_Atomic watched;

static void *worker(void *argument)
{
    (void)argument;
    atomic_store(&watched, &progress);
    for (int i = 0; i < 100; i++)
        progress = i; //~ w: race(r); locks{}
    while (atomic_load(&watched) != NULL)
        continue;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int last = 0;
    pthread_create(&thread, NULL, worker, NULL);
    int *theirs;
    while ((theirs = atomic_load(&watched)) == NULL)
        continue;
    for (int i = 0; i < 100; i++)
        last = *theirs; //~ r: locks{}
    atomic_store(&watched, NULL);
    pthread_join(thread, NULL);
    return last < 0;
}
