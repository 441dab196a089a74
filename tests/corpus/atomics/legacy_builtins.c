// The old __sync builtins are atomic operations, too.
#include <pthread.h>

static unsigned long ticket, completed;

static unsigned long take_ticket(void)
{
    return __sync_fetch_and_add(&ticket, 1); //~ take: no-race -- both ends are atomic; locks{}
}

static void *worker(void *argument)
{
    unsigned long last = 0;
    for (int i = 0; i < 50; i++) {
        last = take_ticket();
        __sync_add_and_fetch(&completed, last > 0); //~ done: no-race -- both ends are atomic; locks{}
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return ticket != 100; //~ total: no-race -- after both joins; locks{}
}
