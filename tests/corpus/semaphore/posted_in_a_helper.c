// Posting and waiting happen in functions that get the semaphore as an argument.
#include <pthread.h>
#include <semaphore.h>

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
    page = 7; //~ w: no-race -- before the post; locks{}
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
    await(&loaded);
    int seen = page; //~ r: no-race -- after the wait; locks{}
    await(&printed);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen != 7;
}
