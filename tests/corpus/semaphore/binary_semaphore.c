// A semaphore with one permit works as a lock.
#include <pthread.h>
#include <semaphore.h>

struct printer {
    sem_t permit;
    int pages, jobs;
};

static void print_job(struct printer *printer, int pages)
{
    sem_wait(&printer->permit);
    printer->pages += pages; //~ page: no-race -- one permit
    printer->jobs++;         //~ job: no-race -- one permit
    sem_post(&printer->permit);
}

static void *client(void *argument)
{
    for (int i = 0; i < 50; i++)
        print_job(argument, i);
    return NULL;
}

int main(void)
{
    static struct printer printer;
    pthread_t one, two;
    sem_init(&printer.permit, 0, 1);
    pthread_create(&one, NULL, client, &printer);
    pthread_create(&two, NULL, client, &printer);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    sem_destroy(&printer.permit);
    return printer.jobs != 100; //~ r: no-race -- after both joins
}
