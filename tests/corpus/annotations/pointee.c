// A pointer with `pt_guarded_by`: what it points to is accessed under the lock, the pointer itself without.
#include <pthread.h>

#if defined(__clang__) || defined(__RACELENS__)
#define ANNOTATE(attribute) __attribute__((attribute))
#else
#define ANNOTATE(attribute)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage[4];
static int *cells ANNOTATE(pt_guarded_by(lock)) = storage;

static void *fill(void *argument)
{
    int *mine = cells; //~ p: no-race -- nobody changes the pointer
    pthread_mutex_lock(&lock);
    mine[0] += 1; //~ w: locks{lock}
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, fill, NULL);
    pthread_create(&two, NULL, fill, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return storage[0] == 2 ? 0 : 1;
}
