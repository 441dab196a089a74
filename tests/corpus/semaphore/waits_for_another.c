// Main waits for the semaphore of the printer, and reads what the loader writes.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t loaded, printed;
static int page;

static void finish(sem_t *step)
{
    sem_post(step);
}

static void await(sem_t *step)
{
    sem_wait(step);
}

static void *loader(void *argument)
{
    page = 7; //~ w: race(r); locks{}
    finish(&loaded);
    return argument;
}

static void *printer(void *argument)
{
    finish(&printed);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&loaded, 0, 0);
    sem_init(&printed, 0, 0);
    pthread_create(&one, NULL, loader, NULL);
    pthread_create(&two, NULL, printer, NULL);
    await(&printed);
    usleep(1000);
    int seen = page; //~ r: locks{}
    await(&loaded);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
