// The count lies under the object's lock; whoever brings it to zero frees the object.
#include <pthread.h>
#include <stdlib.h>

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
        free(session); //~ last: no-race -- nobody else has a reference; spurious: race(self, down, use) -- that a plain count, and not an atomic one, counts references is not concluded, since jobs and waiters are counted in the same way; locks{}
}

static void *user(void *argument)
{
    struct session *session = argument;
    pthread_mutex_lock(&session->lock);
    session->requests++; //~ use: no-race -- the session's lock, and a reference; locks{session->lock}
    pthread_mutex_unlock(&session->lock);
    put(session);
    return NULL;
}

int main(void)
{
    struct session *session = malloc(sizeof *session);
    pthread_t one, two;
    pthread_mutex_init(&session->lock, NULL);
    session->references = 2; //~ init: no-race -- before the threads start; locks{}
    session->requests = 0;
    pthread_create(&one, NULL, user, session);
    pthread_create(&two, NULL, user, session);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
