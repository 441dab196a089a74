// A counter that is incremented atomically and read by a plain expression.
#include <pthread.h>

static int served;

static void *serve(void *argument)
{
    for (int i = 0; i < 100; i++)
        __atomic_fetch_add(&served, 1, __ATOMIC_SEQ_CST); //~ w: race(r); locks{}
    return argument;
}

static void *watch(void *argument)
{
    int *highest = argument;
    for (int i = 0; i < 100; i++) {
        int now = served; //~ r: locks{}
        if (now > *highest)
            *highest = now;
    }
    return NULL;
}

int main(void)
{
    int highest = 0;
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, serve, NULL);
    pthread_create(&threads[1], NULL, serve, NULL);
    pthread_create(&threads[2], NULL, watch, &highest);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return highest > 200;
}
