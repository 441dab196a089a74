// A transfer takes the locks of both accounts, the lower address first; either order ends with both held.
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account accounts[2] = {
    { PTHREAD_MUTEX_INITIALIZER, 100 },
    { PTHREAD_MUTEX_INITIALIZER, 100 },
};

static void lock_both(struct account *one, struct account *other)
{
    if (one < other) {
        pthread_mutex_lock(&one->lock);
        pthread_mutex_lock(&other->lock);
    } else {
        pthread_mutex_lock(&other->lock);
        pthread_mutex_lock(&one->lock);
    }
}

static void transfer(struct account *from, struct account *to)
{
    lock_both(from, to);
    from->balance -= 1; //~ take: no-race -- both locks are held; locks{from->lock, to->lock}
    to->balance += 1;   //~ give: no-race -- both locks are held; locks{from->lock, to->lock}
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *argument)
{
    for (int i = 0; i < 50; i++)
        transfer(&accounts[0], &accounts[1]);
    return argument;
}

static void *back(void *argument)
{
    for (int i = 0; i < 50; i++)
        transfer(&accounts[1], &accounts[0]);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, there, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
