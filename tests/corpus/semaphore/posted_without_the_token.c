// A third thread empties the mailbox on its own, so that the sender may write while the receiver reads.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t filled, emptied;
static int message;

static void *sender(void *argument)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&emptied);
        message = i; //~ w: race(r); locks{emptied}
        sem_post(&filled);
    }
    return argument;
}

static void *receiver(void *argument)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&filled);
        usleep(2000);
        *(long *)argument += message; //~ r: locks{}
        sem_post(&emptied);
    }
    return NULL;
}

static void *impatient(void *argument)
{
    usleep(1000);
    sem_post(&emptied);
    return argument;
}

int main(void)
{
    long sum = 0;
    pthread_t one, two, three;
    sem_init(&filled, 0, 0);
    sem_init(&emptied, 0, 1);
    pthread_create(&one, NULL, sender, NULL);
    pthread_create(&two, NULL, receiver, &sum);
    pthread_create(&three, NULL, impatient, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return sum < 0;
}
