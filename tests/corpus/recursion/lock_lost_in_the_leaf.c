// The recursion releases the lock at its deepest call, so that its way back runs without it.
#include <pthread.h>

static pthread_mutex_t path_lock = PTHREAD_MUTEX_INITIALIZER;
static int entered, left;

static void descend(int depth)
{
    entered++; //~ down: no-race -- the lock is held on the way down; locks{path_lock}
    if (depth == 0)
        pthread_mutex_unlock(&path_lock);
    else
        descend(depth - 1);
    left++; //~ up: race(self); locks{}
}

static void *walker(void *argument)
{
    (void)argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&path_lock);
        descend(3);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, walker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
