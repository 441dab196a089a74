// The result is read only if trying to wait succeeded.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static int result;

static void *worker(void *argument)
{
    result = 42; //~ w: no-race -- before the post; locks{}
    sem_post(&finished);
    return argument;
}

int main(void)
{
    int seen = 0;
    pthread_t thread;
    sem_init(&finished, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 100 && seen == 0; i++) {
        if (sem_trywait(&finished) == 0)
            seen = result; //~ r: no-race -- the wait succeeded; locks{}
        else
            usleep(100);
    }
    pthread_join(thread, NULL);
    return seen < 0;
}
