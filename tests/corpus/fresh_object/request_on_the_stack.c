// A request lives on its author's stack; it is filled in before the server can find it.
#include <pthread.h>
#include <stddef.h>

struct request {
    int argument, answer, is_done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct request *pending;

static void *client(void *result)
{
    struct request request;
    request.argument = 20; //~ argument: no-race -- nobody knows the request yet; locks{}
    request.answer = 0;    //~ clear: no-race -- nobody knows the request yet; locks{}
    request.is_done = 0;   //~ reset: no-race -- nobody knows the request yet; locks{}
    pthread_mutex_lock(&lock);
    pending = &request;
    pthread_mutex_unlock(&lock);
    for (int is_done = 0; !is_done;) {
        pthread_mutex_lock(&lock);
        is_done = request.is_done; //~ poll: no-race -- under the lock; locks{lock}
        *(int *)result = request.answer; //~ read: no-race -- under the lock; locks{lock}
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *server(void *argument)
{
    for (int is_done = 0; !is_done;) {
        pthread_mutex_lock(&lock);
        if (pending != NULL) {
            pending->answer = 2 * pending->argument; //~ serve: no-race -- under the lock; locks{lock}
            pending->is_done = 1;                    //~ finish: no-race -- under the lock; locks{lock}
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
    pthread_create(&one, NULL, client, &result);
    pthread_create(&two, NULL, server, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return result != 40;
}
