// A function gives up as many references as it is told; its own counter goes down beside that of the object.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct session {
    atomic_int references;
    int requests;
};

static void put_several(struct session *session, int several)
{
    while (several) {
        several--;
        if (atomic_fetch_sub(&session->references, 1) == 1) { //~ put: no-race -- each turn has a reference of its own; spurious: race(freed) -- a thread is taken to have one reference, which the first turn gives up, so that nothing keeps the object for the next turn; locks{}
            session->requests = 0; //~ last: no-race -- all other references are gone; locks{}
            free(session); //~ freed: locks{}
            return;
        }
    }
}

static void *user(void *argument)
{
    struct session *session = argument;
    (void)session->requests; //~ use: no-race -- has references; locks{}
    put_several(session, 2);
    return NULL;
}

int main(void)
{
    struct session *session = malloc(sizeof *session);
    pthread_t one, two;
    atomic_init(&session->references, 4);
    session->requests = 7; //~ init: no-race -- before the threads start; locks{}
    pthread_create(&one, NULL, user, session);
    pthread_create(&two, NULL, user, session);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
