// References are given up in release order; the last owner puts a fence in front of the end of the object.
// not-runnable: ThreadSanitizer does not know fences
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int *numbers;
};

static void destroy(struct object *object)
{
    free(object->numbers); //~ inner: no-race -- only the last owner gets here; locks{}
    free(object);          //~ outer: no-race -- only the last owner gets here; locks{}
}

static void release(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_release) != 1)
        return;
    atomic_thread_fence(memory_order_acquire);
    destroy(object);
}

static void *user(void *argument)
{
    struct object *object = argument;
    int sum = object->numbers[0]; //~ use: no-race -- with a reference; locks{}
    release(object);
    return sum < 0 ? argument : NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t one, two;
    object->numbers = calloc(4, sizeof(int));
    atomic_init(&object->references, 2);
    pthread_create(&one, NULL, user, object);
    pthread_create(&two, NULL, user, object);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
