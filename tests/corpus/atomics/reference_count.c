// A reference count kept by C11 atomics; the last owner frees the object.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int payload;
};

static struct object *acquire(struct object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed); //~ up: no-race -- atomic; locks{}
    return object;
}

static void release(struct object *object)
{
    if (atomic_fetch_sub(&object->references, 1) == 1) //~ down: no-race -- atomic; locks{}
        free(object);                                  //~ last: no-race -- only the last owner gets here; locks{}
}

static void *user(void *argument)
{
    struct object *object = argument;
    int sum = 0;
    for (int i = 0; i < 50; i++) {
        struct object *mine = acquire(object);
        sum += mine->payload; //~ use: no-race -- written before the threads start; locks{}
        release(mine);
    }
    release(object);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t one, two;
    object->payload = 7; //~ init: no-race -- before the threads start; locks{}
    atomic_init(&object->references, 2);
    pthread_create(&one, NULL, user, object);
    pthread_create(&two, NULL, user, object);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
