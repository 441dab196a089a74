// What is written behind the release fence is not published by the store that follows.
// not-runnable: ThreadSanitizer does not know fences.
#include <pthread.h>
#include <stdatomic.h>

static int first, second;
static atomic_int published;

static void *writer(void *argument)
{
    first = 120; //~ first: no-race -- before the release fence; locks{}
    atomic_thread_fence(memory_order_release);
    second = 3; //~ second: race(r); locks{}
    atomic_store_explicit(&published, 1, memory_order_relaxed);
    return argument;
}

static void *reader(void *argument)
{
    while (!atomic_load_explicit(&published, memory_order_relaxed))
        continue;
    atomic_thread_fence(memory_order_acquire);
    *(int *)argument = first + second; //~ r: locks{}
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
    return sum != 123;
}
