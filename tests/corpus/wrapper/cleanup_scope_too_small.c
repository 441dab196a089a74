// The cleanup attribute releases the lock at the end of the scope, which ends before the last access.
#include <pthread.h>

static void unlock_at_exit(pthread_mutex_t **mutex)
{
    pthread_mutex_unlock(*mutex);
}

#define HOLDING(mutex) \
    pthread_mutex_t *holding __attribute__((cleanup(unlock_at_exit))) = (mutex); \
    pthread_mutex_lock(holding)

struct session {
    pthread_mutex_t lock;
    int credit, refused;
};

static int spend(struct session *session, int amount)
{
    int affordable;
    {
        HOLDING(&session->lock);
        affordable = session->credit >= amount; //~ test: no-race -- the lock of the session; locks{session->lock}
        session->credit -= affordable ? amount : 0; //~ pay: no-race -- the lock of the session; locks{session->lock}
    }
    if (!affordable)
        session->refused++; //~ refuse: race(self); locks{}
    return affordable ? amount : 0;
}

static void *client(void *argument)
{
    int paid = 0;
    for (int i = 0; i < 100; i++)
        paid += spend(argument, 1 + i % 3);
    return NULL;
}

static struct session session = { .lock = PTHREAD_MUTEX_INITIALIZER, .credit = 20 };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, client, &session);
    pthread_create(&two, NULL, client, &session);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
