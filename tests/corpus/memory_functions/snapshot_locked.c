// A whole struct is copied out under the lock, so that the copy can be used without it.
#include <pthread.h>
#include <string.h>

struct sample {
    char name[16];
    int value;
};

static pthread_mutex_t sample_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sample current;

static void *sensor(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&sample_lock);
        memset(current.name, 'a' + i % 26, sizeof current.name); //~ name: no-race -- the sample's lock; locks{sample_lock}
        current.value = i;                                       //~ value: no-race -- the sample's lock; locks{sample_lock}
        pthread_mutex_unlock(&sample_lock);
    }
    return argument;
}

static void *display(void *argument)
{
    struct sample copy;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&sample_lock);
        memcpy(&copy, &current, sizeof copy); //~ copy: no-race -- the sample's lock; locks{sample_lock}
        pthread_mutex_unlock(&sample_lock);
        *(int *)argument += copy.value; //~ own: no-race -- a copy of this thread; locks{}
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
