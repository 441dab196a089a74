// A transfer takes the lock of the receiving account only where the numbers ask for a second lock.
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int number;
    long balance;
};

static struct account checking = { PTHREAD_MUTEX_INITIALIZER, 1, 100 };
static struct account savings = { PTHREAD_MUTEX_INITIALIZER, 2, 100 };
static struct account shop = { PTHREAD_MUTEX_INITIALIZER, 3, 100 };

static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    if (from->number < to->number)
        pthread_mutex_lock(&to->lock);
    from->balance -= 1; //~ take: no-race -- the lock of the sender; locks{from->lock}
    to->balance += 1;   //~ give: race(self); locks{from->lock}
    if (from->number < to->number)
        pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *saver(void *argument)
{
    for (int i = 0; i < 100; i++)
        transfer(&checking, &savings);
    return argument;
}

static void *seller(void *argument)
{
    for (int i = 0; i < 100; i++)
        transfer(&shop, &savings);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, saver, NULL);
    pthread_create(&two, NULL, seller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
