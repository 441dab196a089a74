// The thread is started before the rest of its configuration is filled in.
#include <pthread.h>

struct configuration {
    int port, backlog;
};

static struct configuration configuration;

static void *listener(void *argument)
{
    int *sum = argument;
    *sum += configuration.port;    //~ port: no-race -- written before the thread starts; locks{}
    *sum += configuration.backlog; //~ r: race(w); locks{}
    return NULL;
}

static pthread_t start_listener(int *sum)
{
    pthread_t thread;
    pthread_create(&thread, NULL, listener, sum);
    return thread;
}

int main(void)
{
    int sum = 0;
    configuration.port = 8080; //~ early: no-race -- no thread yet; locks{}
    pthread_t thread = start_listener(&sum);
    configuration.backlog = 16; //~ w: locks{}
    pthread_join(thread, NULL);
    return sum == 0;
}
