// The library functions that fill and copy the sample are accesses like any others.
#include <pthread.h>
#include <string.h>

struct sample {
    char name[16];
};

static pthread_mutex_t sample_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sample current;

static void *sensor(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&sample_lock);
        memset(current.name, 'a' + i % 26, sizeof current.name); //~ w: race(r); locks{sample_lock}
        pthread_mutex_unlock(&sample_lock);
    }
    return argument;
}

static void *display(void *argument)
{
    struct sample copy;
    for (int i = 0; i < 100; i++) {
        memcpy(&copy, &current, sizeof copy); //~ r: locks{}
        *(int *)argument += copy.name[0];
    }
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, sensor, NULL);
    pthread_create(&two, NULL, display, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
