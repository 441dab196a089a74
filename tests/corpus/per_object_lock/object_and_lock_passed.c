// A helper gets an object and, apart from it, the object's lock.
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    long balance;
    struct account *next;
};

static struct account *accounts;

static void pay(struct account *account, pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    account->balance++; //~ w: no-race -- every caller passes the account's own lock; locks{*lock}
    pthread_mutex_unlock(lock);
}

static void *worker(void *argument)
{
    for (struct account *account = accounts; account != NULL; account = account->next)
        pay(account, &account->lock);
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
