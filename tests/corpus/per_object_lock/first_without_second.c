// A transfer finds out which account comes first, and takes the lock of that one only.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define ACCOUNTS 3

struct account {
    pthread_mutex_t lock;
    int number;
    long balance;
};

static struct account *accounts[ACCOUNTS];

static void transfer(struct account *from, struct account *to)
{
    struct account *first = from->number < to->number ? from : to;
    pthread_mutex_lock(&first->lock);
    from->balance--; //~ take: race(self); locks{first->lock}
    usleep(20);
    pthread_mutex_unlock(&first->lock);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 90; i++)
        transfer(accounts[2], argument);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < ACCOUNTS; i++) {
        accounts[i] = calloc(1, sizeof *accounts[i]);
        accounts[i]->number = i;
        pthread_mutex_init(&accounts[i]->lock, NULL);
    }
    pthread_create(&one, NULL, worker, accounts[0]);
    pthread_create(&two, NULL, worker, accounts[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
