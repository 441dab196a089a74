// A helper fills in an object, but the object has been published before.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct session {
    int id, state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *current;

static void fill(struct session *session, int id)
{
    session->state = 1; //~ state: race(use); locks{}
    session->id = id;   //~ id: race(use); locks{}
}

static void *opener(void *argument)
{
    struct session *session = calloc(1, sizeof *session);
    pthread_mutex_lock(&lock);
    current = session;
    pthread_mutex_unlock(&lock);
    usleep(2000);
    fill(session, 7);
    return argument;
}

static void *observer(void *argument)
{
    struct session *found = NULL;
    while (found == NULL) {
        pthread_mutex_lock(&lock);
        found = current;
        pthread_mutex_unlock(&lock);
    }
    *(int *)argument = found->id + found->state; //~ use: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, opener, NULL);
    pthread_create(&two, NULL, observer, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum > 8;
}
