// Both threads lock before they write, but each its own lock.
#include <pthread.h>

static pthread_mutex_t input_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static int pending;

static void *input(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&input_lock);
        pending++; //~ in: race(out); locks{input_lock}
        pthread_mutex_unlock(&input_lock);
    }
    return NULL;
}

static void *output(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&output_lock);
        pending--; //~ out: locks{output_lock}
        pthread_mutex_unlock(&output_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, input, NULL);
    pthread_create(&two, NULL, output, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
