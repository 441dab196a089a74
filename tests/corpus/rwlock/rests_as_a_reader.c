// A helper lets others in while it rests: the caller had the lock alone, and gets it back only for reading.
#include <pthread.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long done;

static void rest(int now)
{
    if (now) {
        pthread_rwlock_unlock(&lock);
        usleep(10);
        pthread_rwlock_rdlock(&lock);
    }
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_wrlock(&lock);
        rest(i % 2);
        done++; //~ w: race(self)
        pthread_rwlock_unlock(&lock);
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
