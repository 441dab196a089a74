// The worker passes on its flag, unless it is in a hurry: then it passes zero, and comes where main counts.
#include <pthread.h>

static int removed;

static void remove_file(int from_worker)
{
    if (!from_worker)
        removed++; //~ count: race(self); locks{}
}

static void remove_soon(int in_a_hurry, int from_worker)
{
    int flag = from_worker;
    if (in_a_hurry)
        flag = 0;
    remove_file(flag);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++)
        remove_soon(i % 2, 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 50; i++)
        remove_file(0);
    pthread_join(thread, NULL);
    return removed < 0;
}
