// The count lies under the object's lock, but one user looks at the object when it has given up its reference.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct session {
    pthread_mutex_t lock;
    int references;
    int requests;
};

static void put(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    int left = --session->references; //~ down: no-race -- the session's lock; locks{session->lock}
    pthread_mutex_unlock(&session->lock);
    if (left == 0)
        session->requests = 0; //~ last: race(late); spurious: race(self) -- that a plain count, and not an atomic one, counts references is not concluded, since jobs and waiters are counted in the same way; locks{}
}

static void *user(void *argument)
{
    put(argument);
    return NULL;
}

static void *careless(void *argument)
{
    struct session *session = argument;
    put(session);
    usleep(1000); // The work that a real program would do here.
    session->requests++; //~ late: locks{}
    return NULL;
}

int main(void)
{
    static struct session session = { .lock = PTHREAD_MUTEX_INITIALIZER };
    for (int round = 0; round < 100; round++) {
        pthread_t one, two;
        session.references = 2;
        pthread_create(&one, NULL, careless, &session);
        pthread_create(&two, NULL, user, &session);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    return 0;
}
