// The lock is given up between looking at the flag and filling the table.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_filled;
static int squares[16];

static void ensure_filled(void)
{
    pthread_mutex_lock(&fill_lock);
    if (!is_filled) { //~ look: no-race -- under the lock; locks{fill_lock}
        pthread_mutex_unlock(&fill_lock);
        usleep(20000);
        pthread_mutex_lock(&fill_lock);
        for (int i = 0; i < 16; i++)
            squares[i] = i * i; //~ fill: race(use); locks{fill_lock}
        is_filled = 1; //~ set: no-race -- under the lock; locks{fill_lock}
        usleep(500);
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
