// The function in between adds to what its caller wants, so that both threads count.
#include <pthread.h>

enum { READ = 1, WRITE = 2 };

static int reads;

static void transfer(int wanted)
{
    if (wanted & READ)
        reads++; //~ r: race(self); locks{}
}

static void perform(int wanted)
{
    if (wanted & WRITE)
        wanted |= READ;
    transfer(wanted);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++)
        perform(WRITE);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 50; i++)
        perform(READ);
    pthread_join(thread, NULL);
    return reads < 0;
}
