// Every account carries the lock that guards its own balance.
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account checking = { PTHREAD_MUTEX_INITIALIZER, 100 };
static struct account savings = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void deposit(struct account *account, long amount)
{
    pthread_mutex_lock(&account->lock);
    account->balance += amount; //~ w: no-race -- each balance has its own lock; locks{account->lock}
    pthread_mutex_unlock(&account->lock);
}

static void *mover(void *argument)
{
    struct account *from = argument;
    struct account *to = from == &checking ? &savings : &checking;
    for (int i = 0; i < 50; i++) {
        deposit(from, -1);
        deposit(to, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, mover, &checking);
    pthread_create(&two, NULL, mover, &savings);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%ld\n", checking.balance); //~ r: no-race -- both threads are joined; locks{}
    return 0;
}
