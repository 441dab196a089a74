// The result is written without the mutex, but before it is announced under it.
#include <pthread.h>

struct request {
    pthread_mutex_t mutex;
    pthread_cond_t finished;
    int done, result;
};

static void *worker(void *argument)
{
    struct request *request = argument;
    request->result = 42; //~ w: no-race -- before it is announced; locks{}
    pthread_mutex_lock(&request->mutex);
    request->done = 1; //~ done: no-race -- written under the mutex; locks{request->mutex}
    pthread_cond_signal(&request->finished);
    pthread_mutex_unlock(&request->mutex);
    return NULL;
}

static int await(struct request *request)
{
    pthread_mutex_lock(&request->mutex);
    while (!request->done) //~ check: no-race -- held around the wait; locks{request->mutex}
        pthread_cond_wait(&request->finished, &request->mutex);
    pthread_mutex_unlock(&request->mutex);
    return request->result; //~ r: no-race -- after the announcement was seen; locks{}
}

int main(void)
{
    static struct request request = {
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .finished = PTHREAD_COND_INITIALIZER,
    };
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &request);
    int answer = await(&request);
    pthread_join(thread, NULL);
    return answer != 42;
}
