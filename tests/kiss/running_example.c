// The running example of Shacham, Sagiv and Schuster (fig. 4): a counter is read under one lock and changed under another.
#include <pthread.h>

static pthread_mutex_t key = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t number = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t deletion = PTHREAD_MUTEX_INITIALIZER;
static int iterations, deleted, big[2] = {1, 0};

static void *worker(void *argument) {
    int start = *(int *)argument;
    pthread_mutex_lock(&key);
    if (iterations % 5 == 0)
        deleted = deleted + 1;
    pthread_mutex_unlock(&key);
    pthread_mutex_lock(&number);
    if (big[start])
        big[start] = 0;
    pthread_mutex_unlock(&number);
    pthread_mutex_lock(&deletion);
    iterations++;
    pthread_mutex_unlock(&deletion);
    return 0;
}
int main(void) {
    static int starts[2] = {0, 1};
    pthread_t one, other;
    pthread_create(&one, 0, worker, &starts[0]);
    pthread_create(&other, 0, worker, &starts[1]);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
