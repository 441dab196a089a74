// A helper fills in an object that only its creator knows; then the object is published.
#include <pthread.h>
#include <stdlib.h>

struct session {
    int id, state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *current;

static void fill(struct session *session, int id)
{
    session->id = id;   //~ id: no-race -- the session is not published yet; locks{}
    session->state = 1; //~ state: no-race -- the session is not published yet; locks{}
}

static void *opener(void *argument)
{
    struct session *session = malloc(sizeof *session);
    fill(session, 7);
    pthread_mutex_lock(&lock);
    current = session;
    pthread_mutex_unlock(&lock);
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
    *(int *)argument = found->id + found->state; //~ use: no-race -- it was filled in before it was published; locks{}
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
    return sum != 8;
}
