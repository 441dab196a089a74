// The reader is started only when the writer has posted: it comes after whatever its starter comes after.
#include <pthread.h>
#include <semaphore.h>

static sem_t written;
static int value;

static void *writer(void *argument)
{
    value = 5; //~ w: no-race -- before the post; locks{}
    sem_post(&written);
    return argument;
}

static void *reader(void *argument)
{
    *(int *)argument = value; //~ r: no-race -- started after the wait; locks{}
    return NULL;
}

int main(void)
{
    int seen = 0;
    pthread_t one, two;
    sem_init(&written, 0, 0);
    pthread_create(&one, NULL, writer, NULL);
    sem_wait(&written);
    pthread_create(&two, NULL, reader, &seen);
    pthread_join(two, NULL);
    pthread_join(one, NULL);
    return seen != 5;
}
