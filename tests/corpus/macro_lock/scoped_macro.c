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

struct client {
    pthread_mutex_t guard;
    int requests, errors;
};

static void *serve(void *argument)
{
    struct client *client = argument;
    for (int i = 0; i < 50; i++) {
        WITH_LOCK(client, client->requests++); //~ request: no-race -- the macro locks; locks{client->guard}
        if (i % 10 == 0) {
            LOCK(client);
            client->errors++; //~ error: no-race -- the macro locks; locks{client->guard}
            UNLOCK(client);
        }
    }
    return NULL;
}

int main(void)
{
    static struct client client = { .guard = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, serve, &client);
    pthread_create(&two, NULL, serve, &client);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
