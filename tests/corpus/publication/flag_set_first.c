// The flag is set before the report is written.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

static int report;
static atomic_bool published;

static void *writer(void *argument)
{
    published = true;
    report = 120; //~ w: race(r); locks{}
    return argument;
}

static void *reader(void *argument)
{
    while (!published)
        continue;
    usleep(1000);
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
    return 0;
}
