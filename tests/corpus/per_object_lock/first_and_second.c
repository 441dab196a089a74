// A transfer finds out which account comes first, takes the locks in that order, and then uses its own names again.
#include <pthread.h>
#include <stdlib.h>

#define ACCOUNTS 3

struct account {
    pthread_mutex_t lock;
    int number;
    long balance;
};

static struct account *accounts[ACCOUNTS];

static void transfer(struct account *from, struct account *to)
{
    if (from == to)
        return;
    struct account *first = from->number < to->number ? from : to;
    struct account *second = first == from ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance--; //~ take: no-race -- first and second are from and to
    to->balance++;   //~ give: no-race -- first and second are from and to
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static long balance(struct account *account)
{
    pthread_mutex_lock(&account->lock);
    long seen = account->balance; //~ look: no-race -- the account's lock; locks{account->lock}
    pthread_mutex_unlock(&account->lock);
    return seen;
}

static void *worker(void *argument)
{
    long total = 0;
    for (int i = 0; i < 90; i++) {
        transfer(accounts[i % ACCOUNTS], accounts[i / 2 % ACCOUNTS]);
        total += balance(accounts[i % ACCOUNTS]);
    }
    return total > 9000 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < ACCOUNTS; i++) {
        accounts[i] = calloc(1, sizeof *accounts[i]);
        accounts[i]->number = i;
        pthread_mutex_init(&accounts[i]->lock, NULL);
    }
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
