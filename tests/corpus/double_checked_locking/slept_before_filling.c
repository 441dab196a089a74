// The thread that finds the table unfilled sleeps on a condition variable, which gives the lock up meanwhile.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int is_filled;
static int squares[16];

static void rest(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += soon.tv_nsec >= 980000000;
    soon.tv_nsec = (soon.tv_nsec + 20000000) % 1000000000;
    pthread_cond_timedwait(&idle, &fill_lock, &soon);
}

static void ensure_filled(void)
{
    pthread_mutex_lock(&fill_lock);
    if (!is_filled) { //~ look: no-race -- under the lock; locks{fill_lock}
        rest();
        for (int i = 0; i < 16; i++)
            squares[i] = i * i; //~ fill: race(use); locks{fill_lock}
        is_filled = 1; //~ set: no-race -- under the lock; locks{fill_lock}
        usleep(5000);
    }
    pthread_mutex_unlock(&fill_lock);
}

static void *user(void *argument)
{
    ensure_filled();
    *(int *)argument += squares[3]; //~ use: locks{}
    return NULL;
}

int main(void)
{
    int sums[3] = { 0, 0, 0 };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, user, &sums[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
