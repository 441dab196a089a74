// Only one of two writers is joined before the shared result is read.
#include <pthread.h>

static pthread_mutex_t best_lock = PTHREAD_MUTEX_INITIALIZER;
static int best;

static void *search(void *argument)
{
    int seed = *(int *)argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&best_lock);
        if ((seed * i) % 97 > best)   //~ compare: no-race -- the main thread only reads; locks{best_lock}
            best = (seed * i) % 97; //~ w: race(r); locks{best_lock}
        pthread_mutex_unlock(&best_lock);
    }
    return NULL;
}

int main(void)
{
    int seeds[2] = { 13, 29 };
    pthread_t first, second;
    pthread_create(&first, NULL, search, &seeds[0]);
    pthread_join(first, NULL);
    best = 0; //~ reset: no-race -- the first thread is joined, the second not yet started; locks{}
    pthread_create(&second, NULL, search, &seeds[1]);
    int found = best; //~ r: locks{}
    pthread_join(second, NULL);
    return found > best;
}
