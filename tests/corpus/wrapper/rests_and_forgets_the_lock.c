// A helper gives its caller's lock up to rest, and on one way out forgets to take it again.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long done;
static long naps;

static void rest(int now)
{
    if (now) {
        pthread_mutex_unlock(&lock);
        naps++; //~ nap: race(self); locks{}
        usleep(10);
        if (now > 1)
            return;
        pthread_mutex_lock(&lock);
    }
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        rest(i % 3);
        done++; //~ w: race(self); locks{}
        if (i % 3 != 2)
            pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return done != 100;
}
