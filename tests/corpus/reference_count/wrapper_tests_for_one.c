// The wrapper says whether one reference is left, and its callers take that for the last one being gone.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct object {
    int references;
    int uses;
};

static int count_down_and_test(int *count)
{
    return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 1;
}

static void object_put(struct object *object)
{
    if (count_down_and_test(&object->references))
        object->uses = 0; //~ last: race(use); locks{}
}

static void *user(void *argument)
{
    object_put(argument);
    return NULL;
}

static void *slow_user(void *argument)
{
    struct object *object = argument;
    usleep(1000); // The work that a real program would do here.
    object->uses++; //~ use: locks{}
    __atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL);
    return NULL;
}

int main(void)
{
    static struct object object;
    for (int round = 0; round < 100; round++) {
        pthread_t one, two;
        object.references = 2;
        pthread_create(&one, NULL, user, &object);
        pthread_create(&two, NULL, slow_user, &object);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    return 0;
}
