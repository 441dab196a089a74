// A user looks at the object once more when it has given up its reference; the last owner clears it for the next use.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct object {
    atomic_int references;
    int payload;
};

static void release(struct object *object)
{
    if (atomic_fetch_sub(&object->references, 1) == 1)
        object->payload = 0; //~ last: race(late); locks{}
}

static void *user(void *argument)
{
    struct object *object = argument;
    int sum = object->payload; //~ use: no-race -- with a reference; locks{}
    release(object);
    usleep(200);
    sum += object->payload; //~ late: locks{}
    return sum < 0 ? argument : NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    for (int round = 0; round < 20; round++) {
        pthread_t one, two;
        object->payload = 7; //~ init: no-race -- the threads are not there; locks{}
        atomic_store(&object->references, 2);
        pthread_create(&one, NULL, user, object);
        pthread_create(&two, NULL, user, object);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    free(object);
    return 0;
}
