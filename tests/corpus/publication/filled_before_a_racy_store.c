// Each thread makes its own notes known without a lock: the variable races, but filling in one's own note does not.
#include <pthread.h>
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
        note->number = i;     //~ number: no-race -- each thread fills in its own note; locks{}
        note->weight = 2 * i; //~ weight: no-race -- each thread fills in its own note; locks{}
        latest = note;        //~ store: race(self); locks{}
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
