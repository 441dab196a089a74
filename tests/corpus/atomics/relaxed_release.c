// The count goes down in relaxed order: whoever has the last reference need not come after what others did.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int uses;
};

static void release(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) == 1)
        object->uses = 0; //~ last: race(use); locks{}
}

static void *user(void *argument)
{
    struct object *object = argument;
    object->uses = 1; //~ use: locks{}
    release(object);
    return NULL;
}

static void *holder(void *argument)
{
    release(argument);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    for (int round = 0; round < 100; round++) {
        pthread_t one, two;
        atomic_store(&object->references, 2);
        pthread_create(&one, NULL, user, object);
        pthread_create(&two, NULL, holder, object);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    free(object);
    return 0;
}
