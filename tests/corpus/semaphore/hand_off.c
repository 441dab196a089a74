// A semaphore that starts at zero hands a filled message from the sender to the receiver.
#include <pthread.h>
#include <semaphore.h>

struct mailbox {
    sem_t filled, emptied;
    int message;
};

static struct mailbox mailbox;

static void *sender(void *argument)
{
    for (int i = 0; i < 50; i++) {
        sem_wait(&mailbox.emptied);
        mailbox.message = i; //~ w: no-race -- the two semaphores alternate
        sem_post(&mailbox.filled);
    }
    return argument;
}

static void *receiver(void *argument)
{
    long *sum = argument;
    for (int i = 0; i < 50; i++) {
        sem_wait(&mailbox.filled);
        *sum += mailbox.message; //~ r: no-race -- the two semaphores alternate
        sem_post(&mailbox.emptied);
    }
    return NULL;
}

int main(void)
{
    long sum = 0;
    pthread_t one, two;
    sem_init(&mailbox.filled, 0, 0);
    sem_init(&mailbox.emptied, 0, 1);
    pthread_create(&one, NULL, sender, NULL);
    pthread_create(&two, NULL, receiver, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum != 49 * 50 / 2;
}
