// The object is published properly, but its maker goes on writing to it.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct report {
    int lines, errors;
};

static struct report storage;
static struct report *_Atomic current;

static void *writer(void *argument)
{
    storage.lines = 120; //~ before: no-race -- before the release store; locks{}
    atomic_store_explicit(&current, &storage, memory_order_release);
    storage.errors = 3; //~ after: race(errors); locks{}
    return argument;
}

static void *reader(void *argument)
{
    struct report *report;
    while ((report = atomic_load_explicit(&current, memory_order_acquire)) == NULL)
        continue;
    *(int *)argument = report->lines;   //~ lines: no-race -- after the acquire load; locks{}
    *(int *)argument += report->errors; //~ errors: locks{}
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
    return 0;
}
