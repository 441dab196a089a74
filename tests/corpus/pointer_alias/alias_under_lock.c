// A global pointer and a global variable name the same counter; both uses hold the same lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long primary, backup;
static long *active = &primary;

static void *through_pointer(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        *active += 1; //~ alias: no-race -- the same lock on both ways; locks{lock}
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *by_name(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        primary -= 1; //~ name: no-race -- the same lock on both ways; locks{lock}
        if (i == 25)
            active = &backup; //~ switch: no-race -- the same lock on both ways; locks{lock}
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, through_pointer, NULL);
    pthread_create(&two, NULL, by_name, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
