// A flag tells the function who calls it; what the worker passes leaves the shared part out.
#include <pthread.h>

static int removed;

static void remove_file(int number, int from_worker)
{
    if (number < 0)
        return;
    if (!from_worker)
        removed++; //~ count: no-race -- the worker says 1, so only main gets here; locks{}
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++)
        remove_file(i, 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 50; i++)
        remove_file(i, 0);
    pthread_join(thread, NULL);
    return removed != 50;
}
