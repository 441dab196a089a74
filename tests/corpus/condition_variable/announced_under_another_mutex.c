// The flag is set under one mutex and looked at under another.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int done, result;

static void *worker(void *argument)
{
    result = 42; //~ w: race(r); locks{}
    pthread_mutex_lock(&one);
    done = 1; //~ set: race(check); locks{one}
    pthread_mutex_unlock(&one);
    return argument;
}

static int is_done(void)
{
    pthread_mutex_lock(&two);
    int answer = done; //~ check: locks{two}
    pthread_mutex_unlock(&two);
    return answer;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    while (!is_done())
        usleep(100);
    int seen = result; //~ r: locks{}
    pthread_join(thread, NULL);
    return seen != 42;
}
