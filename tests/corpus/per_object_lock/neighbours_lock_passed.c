// A helper gets an object and, apart from it, now its own lock and now that of its neighbour.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    long balance;
    struct account *next;
};

static struct account *accounts;

static void pay(struct account *account, pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    usleep(20); // The checks that a real payment would do here.
    account->balance++; //~ w: race(self); locks{*lock}
    pthread_mutex_unlock(lock);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++)
        for (struct account *account = accounts; account != NULL; account = account->next)
            pay(account, rand() % 2 && account->next != NULL ? &account->next->lock : &account->lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 3; i++) {
        struct account *account = calloc(1, sizeof *account);
        pthread_mutex_init(&account->lock, NULL);
        account->next = accounts;
        accounts = account;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
