// A session is unlinked from the middle of a list under the list's lock, and then torn down without it.
#include <pthread.h>
#include <stdlib.h>

struct session {
    struct session *next;
    int number, is_open;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions;

static void add(int number)
{
    struct session *session = malloc(sizeof *session);
    session->number = number; //~ number: no-race -- not in the list yet; locks{}
    session->is_open = 1;     //~ open: no-race -- not in the list yet; locks{}
    pthread_mutex_lock(&list_lock);
    session->next = sessions; //~ link: no-race -- the list's lock; locks{list_lock}
    sessions = session;
    pthread_mutex_unlock(&list_lock);
}

static void close_session(int number)
{
    pthread_mutex_lock(&list_lock);
    struct session **link = &sessions;
    while (*link != NULL && (*link)->number != number) //~ search: no-race -- the list's lock; locks{list_lock}
        link = &(*link)->next;
    struct session *session = *link;
    if (session == NULL) {
        pthread_mutex_unlock(&list_lock);
        return;
    }
    *link = session->next; //~ unlink: no-race -- the list's lock; locks{list_lock}
    pthread_mutex_unlock(&list_lock);
    session->is_open = 0; //~ shut: no-race -- nobody finds it any more; locks{}
    free(session);        //~ free: no-race -- nobody finds it any more; locks{}
}

static void *closer(void *argument)
{
    for (int i = 0; i < 10; i++)
        close_session(i);
    return argument;
}

static void *counter(void *argument)
{
    pthread_mutex_lock(&list_lock);
    for (struct session *at = sessions; at != NULL; at = at->next)
        *(int *)argument += at->is_open; //~ count: no-race -- in the list, under its lock; locks{list_lock}
    pthread_mutex_unlock(&list_lock);
    return NULL;
}

int main(void)
{
    int open = 0;
    pthread_t one, two, three;
    for (int i = 0; i < 10; i++)
        add(i);
    pthread_create(&one, NULL, closer, NULL);
    pthread_create(&two, NULL, closer, NULL);
    pthread_create(&three, NULL, counter, &open);
    for (int i = 10; i < 15; i++)
        add(i);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return 0;
}
