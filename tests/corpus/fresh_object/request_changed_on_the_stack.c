// A request lives on its author's stack, and its author changes it when the server can find it.
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct request {
    int argument, is_done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct request *pending;

static void *client(void *result)
{
    struct request request;
    request.is_done = 0; //~ reset: no-race -- nobody knows the request yet; locks{}
    pthread_mutex_lock(&lock);
    pending = &request;
    pthread_mutex_unlock(&lock);
    request.argument = 20; //~ argument: race(serve); locks{}
    for (int is_done = 0; !is_done;) {
        usleep(1000);
        pthread_mutex_lock(&lock);
        is_done = request.is_done; //~ poll: no-race -- under the lock; locks{lock}
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static void *server(void *argument)
{
    for (int is_done = 0; !is_done;) {
        pthread_mutex_lock(&lock);
        if (pending != NULL) {
            *(int *)argument = pending->argument; //~ serve: locks{lock}
            pending->is_done = 1;                 //~ finish: no-race -- under the lock; locks{lock}
            is_done = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    int result = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, client, NULL);
    pthread_create(&two, NULL, server, &result);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return result < 0;
}
