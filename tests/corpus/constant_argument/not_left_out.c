// A flag tells the function who calls it, but the worker says what main says.
#include <pthread.h>

static int removed;

static void remove_file(int number, int from_worker)
{
    if (number < 0)
        return;
    if (!from_worker)
        removed++; //~ count: race(self); locks{}
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++)
        remove_file(i, 0);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 50; i++)
        remove_file(i, 0);
    pthread_join(thread, NULL);
    return removed < 0;
}
