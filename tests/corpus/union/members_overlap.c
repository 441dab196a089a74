// Two threads keep to their own member of a union; the members are the same bytes.
#include <pthread.h>

union cell {
    unsigned int whole;
    unsigned short halves[2];
};

static pthread_mutex_t whole_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t half_lock = PTHREAD_MUTEX_INITIALIZER;
static union cell cell;

static void *write_whole(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 100; i++) {
        pthread_mutex_lock(&whole_lock);
        cell.whole = i; //~ whole: race(half); locks{whole_lock}
        pthread_mutex_unlock(&whole_lock);
    }
    return NULL;
}

static void *write_half(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 100; i++) {
        pthread_mutex_lock(&half_lock);
        cell.halves[1] = (unsigned short)i; //~ half: locks{half_lock}
        pthread_mutex_unlock(&half_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, write_whole, NULL);
    pthread_create(&two, NULL, write_half, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
