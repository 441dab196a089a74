// The routine runs once, but a user changes what it has filled in.
#include <pthread.h>
#include <unistd.h>

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int width;

static void load(void)
{
    width = 80; //~ load: no-race -- runs once, before all users; locks{}
}

static void *user(void *argument)
{
    pthread_once(&loaded, load);
    *(int *)argument = width; //~ use: race(change); locks{}
    return NULL;
}

static void *changer(void *argument)
{
    pthread_once(&loaded, load);
    usleep(1000);
    width = 132; //~ change: locks{}
    return argument;
}

int main(void)
{
    int seen = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, user, &seen);
    pthread_create(&two, NULL, changer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
