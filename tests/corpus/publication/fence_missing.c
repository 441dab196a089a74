// The writer has its fence, the reader has none.
// not-runnable: ThreadSanitizer does not know fences.
#include <pthread.h>
#include <stdatomic.h>

static int report;
static atomic_int published;

static void *writer(void *argument)
{
    report = 120; //~ w: race(r); locks{}
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&published, 1, memory_order_relaxed);
    return argument;
}

static void *reader(void *argument)
{
    while (!atomic_load_explicit(&published, memory_order_relaxed))
        continue;
    *(int *)argument = report; //~ r: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum != 120;
}
