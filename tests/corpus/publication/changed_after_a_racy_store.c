// Each thread makes its own notes known without a lock, and then changes the latest one, which may be another's.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct note {
    int number, weight;
};

static struct note *latest;

static void *writer(void *argument)
{
    for (int i = 0; i < 100; i++) {
        struct note *note = malloc(sizeof *note);
        if (note == NULL)
            return NULL;
        note->number = i;     //~ number: race(change); locks{}
        note->weight = 2 * i; //~ weight: no-race -- nobody else looks at it; locks{}
        latest = note;        //~ store: race(self, change); locks{}
        sched_yield();
        latest->number++; //~ change: race(self); locks{}
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return latest == NULL;
}
