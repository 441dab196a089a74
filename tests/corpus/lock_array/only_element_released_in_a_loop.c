// In a loop, some elements of an array of locks are given back by a helper, and one of them is the only lock there is.
#include <pthread.h>

static pthread_mutex_t parts[4] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static long total;

static void finish(int i)
{
    pthread_mutex_unlock(&parts[i]);
}

static void *worker(void *argument)
{
    pthread_mutex_lock(&parts[0]);
    for (int i = 0; i < 4; i++) {
        int is_even = i % 2 == 0;
        total++; //~ w: race(self); locks{}
        if (is_even)
            finish(i);
    }
    pthread_mutex_unlock(&parts[0]);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return total != 8;
}
