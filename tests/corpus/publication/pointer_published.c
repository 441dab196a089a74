// A pointer that is not null says that what it points to is filled in.
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
    storage.lines = 120; //~ lines: no-race -- before the release store; locks{}
    storage.errors = 3;  //~ errors: no-race -- before the release store; locks{}
    atomic_store_explicit(&current, &storage, memory_order_release);
    return argument;
}

static void *reader(void *argument)
{
    struct report *report;
    while ((report = atomic_load_explicit(&current, memory_order_acquire)) == NULL)
        continue;
    *(int *)argument = report->lines + report->errors; //~ r: no-race -- after the acquire load; locks{}
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
