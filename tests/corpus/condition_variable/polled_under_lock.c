// A function asks under the mutex whether the table is ready, and its caller believes it.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, table[4];

static int is_ready(void)
{
    pthread_mutex_lock(&mutex);
    int answer = ready; //~ ask: no-race -- under the mutex; locks{mutex}
    pthread_mutex_unlock(&mutex);
    return answer;
}

static void *filler(void *argument)
{
    for (int i = 0; i < 4; i++)
        table[i] = i; //~ fill: no-race -- before it is said to be ready; locks{}
    pthread_mutex_lock(&mutex);
    ready = 1; //~ set: no-race -- under the mutex; locks{mutex}
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, filler, NULL);
    while (!is_ready())
        usleep(100);
    int last = table[3]; //~ use: no-race -- the table is ready; locks{}
    pthread_join(thread, NULL);
    return last != 3;
}
