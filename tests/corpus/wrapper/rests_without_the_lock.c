// A helper gives its caller's lock up to rest, now and then, and takes it again before it returns.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long done;

static void rest(int now)
{
    if (now) {
        pthread_mutex_unlock(&lock);
        usleep(10);
        pthread_mutex_lock(&lock);
    }
}

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 50; i++) {
        rest(i % 8 == 0);
        done++; //~ w: no-race -- the helper returns with the lock, whether it rested or not; locks{lock}
    }
    pthread_mutex_unlock(&lock);
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
