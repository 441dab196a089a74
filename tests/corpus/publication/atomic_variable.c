// Plain operators on an atomic variable are sequentially consistent, and so publish.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static int report;
static atomic_bool published;

static void *writer(void *argument)
{
    report = 120; //~ w: no-race -- before the flag is set; locks{}
    published = true;
    return argument;
}

static void *reader(void *argument)
{
    while (!published)
        continue;
    *(int *)argument = report; //~ r: no-race -- after the flag was seen; locks{}
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
