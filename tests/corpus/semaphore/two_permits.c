// A semaphore that lets two threads in at once is not a lock.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

struct printer {
    sem_t permits;
    int pages;
};

static void print_job(struct printer *printer, int pages)
{
    sem_wait(&printer->permits);
    sched_yield();
    printer->pages += pages; //~ w: race(self)
    sched_yield();
    sem_post(&printer->permits);
}

static void *client(void *argument)
{
    for (int i = 0; i < 300; i++)
        print_job(argument, i);
    return NULL;
}

int main(void)
{
    static struct printer printer;
    pthread_t one, two;
    sem_init(&printer.permits, 0, 2);
    pthread_create(&one, NULL, client, &printer);
    pthread_create(&two, NULL, client, &printer);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
