// The test for the last reference is a function of its own, and its result goes through two more.
#include <pthread.h>
#include <stdlib.h>

struct object {
    int references;
    int uses;
};

static int count_down_and_test(int *count)
{
    return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0;
}

static int object_put_test(struct object *object)
{
    return count_down_and_test(&object->references);
}

static void object_put(struct object *object)
{
    if (object_put_test(object))
        free(object); //~ last: no-race -- nobody else has a reference; locks{}
}

static void *user(void *argument)
{
    struct object *object = argument;
    __atomic_fetch_add(&object->uses, 1, __ATOMIC_RELAXED); //~ use: no-race -- atomic, and a reference; locks{}
    object_put(object);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t one, two;
    object->references = 2;
    object->uses = 0;
    pthread_create(&one, NULL, user, object);
    pthread_create(&two, NULL, user, object);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
