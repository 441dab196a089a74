// The plain form: everybody looks at the flag under the lock, and uses the table without it.
#include <pthread.h>

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_filled;
static int squares[16];

static void ensure_filled(void)
{
    pthread_mutex_lock(&fill_lock);
    if (!is_filled) { //~ look: no-race -- under the lock; locks{fill_lock}
        for (int i = 0; i < 16; i++)
            squares[i] = i * i; //~ fill: no-race -- only who finds the flag unset under the lock; locks{fill_lock}
        is_filled = 1; //~ set: no-race -- under the lock; locks{fill_lock}
    }
    pthread_mutex_unlock(&fill_lock);
}

static void *user(void *argument)
{
    for (int i = 0; i < 50; i++) {
        ensure_filled();
        *(int *)argument += squares[i % 16]; //~ use: no-race -- the table is filled; locks{}
    }
    return NULL;
}

int main(void)
{
    int sums[2] = { 0, 0 };
    pthread_t one, two;
    pthread_create(&one, NULL, user, &sums[0]);
    pthread_create(&two, NULL, user, &sums[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sums[0] != sums[1];
}
