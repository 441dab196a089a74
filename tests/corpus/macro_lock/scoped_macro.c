// Locks behind macros: the expansion, not the text, takes the mutex.
#include <pthread.h>

#define LOCK(object) pthread_mutex_lock(&(object)->guard)
#define UNLOCK(object) pthread_mutex_unlock(&(object)->guard)
#define WITH_LOCK(object, statement) \
    do {                             \
        LOCK(object);                \
        statement;                   \
        UNLOCK(object);              \
    } while (0)

struct session {
    pthread_mutex_t guard;
    int requests, errors;
};

static void *serve(void *argument)
{
    struct session *session = argument;
    for (int i = 0; i < 50; i++) {
        WITH_LOCK(session, session->requests++); //~ request: no-race -- the macro locks; locks{session->guard}
        if (i % 10 == 0) {
            LOCK(session);
            session->errors++; //~ error: no-race -- the macro locks; locks{session->guard}
            UNLOCK(session);
        }
    }
    return NULL;
}

int main(void)
{
    static struct session session = { .guard = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, serve, &session);
    pthread_create(&two, NULL, serve, &session);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
