// A thread may end before it has joined the one that it has started.
#include <pthread.h>
#include <unistd.h>

static long total;
static int hurry = 1;

static void *child(void *argument)
{
    usleep(1000);
    total += 2; //~ c: race(r, l); locks{}
    return argument;
}

static void leave(void)
{
    if (hurry)
        pthread_exit(NULL);
}

static void *parent(void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    leave();
    pthread_join(thread, NULL);
    return argument;
}

static void *late(void *argument)
{
    total += 4; //~ l: race(c); locks{}
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, parent, NULL);
    pthread_join(thread, NULL);
    total++; //~ r: race(c); locks{}
    pthread_create(&thread, NULL, late, NULL);
    pthread_join(thread, NULL);
    usleep(30000);
    return 0;
}
