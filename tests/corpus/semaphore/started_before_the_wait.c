// The reader is started before anybody has waited for the writer.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t written;
static int value;

static void *writer(void *argument)
{
    value = 5; //~ w: race(r); locks{}
    sem_post(&written);
    return argument;
}

static void *reader(void *argument)
{
    usleep(1000);
    *(int *)argument = value; //~ r: locks{}
    return NULL;
}

int main(void)
{
    int seen = 0;
    pthread_t one, two;
    sem_init(&written, 0, 0);
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, &seen);
    sem_wait(&written);
    pthread_join(two, NULL);
    pthread_join(one, NULL);
    return seen < 0;
}
