// The flag is taken back now and then, so that the table is filled again while others still use it.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_filled;
static int squares[16];

static void ensure_filled(void)
{
    pthread_mutex_lock(&fill_lock);
    if (!is_filled) { //~ look: no-race -- under the lock; locks{fill_lock}
        for (int i = 0; i < 16; i++)
            squares[i] = i * i; //~ fill: race(use); locks{fill_lock}
        is_filled = 1; //~ set: no-race -- under the lock; locks{fill_lock}
    }
    pthread_mutex_unlock(&fill_lock);
}

static void *user(void *argument)
{
    ensure_filled();
    usleep(2000);
    *(int *)argument += squares[3]; //~ use: locks{}
    return NULL;
}

static void *refresher(void *argument)
{
    usleep(1000);
    pthread_mutex_lock(&fill_lock);
    is_filled = 0; //~ reset: no-race -- under the lock; locks{fill_lock}
    pthread_mutex_unlock(&fill_lock);
    ensure_filled();
    return argument;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, user, &sum);
    pthread_create(&two, NULL, refresher, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum < 0;
}
