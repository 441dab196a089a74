// The lock of the sending account does not guard the balance of the receiving one.
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

struct order {
    struct account *from, *to;
};

static struct account accounts[3] = {
    { PTHREAD_MUTEX_INITIALIZER, 100 },
    { PTHREAD_MUTEX_INITIALIZER, 100 },
    { PTHREAD_MUTEX_INITIALIZER, 100 },
};

static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    from->balance -= 1; //~ take: race(give); locks{from->lock}
    to->balance += 1;   //~ give: race(self); locks{from->lock}
    pthread_mutex_unlock(&from->lock);
}

static void *clerk(void *argument)
{
    struct order *order = argument;
    for (int i = 0; i < 50; i++)
        transfer(order->from, order->to);
    return NULL;
}

int main(void)
{
    struct order orders[3] = {
        { &accounts[0], &accounts[1] },
        { &accounts[1], &accounts[0] },
        { &accounts[2], &accounts[1] },
    };
    pthread_t clerks[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&clerks[i], NULL, clerk, &orders[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(clerks[i], NULL);
    return 0;
}
