// Settings are replaced as a whole struct under the lock; one member is looked at without it.
#include <pthread.h>

struct settings {
    int level, width, height;
};

static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings settings = { 1, 80, 25 };

static void *reload(void *argument)
{
    for (int i = 0; i < 200; i++) {
        struct settings next = { i, 2 * i, 3 * i };
        pthread_mutex_lock(&settings_lock);
        settings = next; //~ replace: locks{settings_lock}
        pthread_mutex_unlock(&settings_lock);
    }
    return argument;
}

static void *render(void *argument)
{
    int area = 0;
    for (int i = 0; i < 200; i++) {
        area += settings.width; //~ look: race(replace); locks{}
    }
    return area < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reload, NULL);
    pthread_create(&two, NULL, render, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
