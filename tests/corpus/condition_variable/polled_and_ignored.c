// The caller asks whether the table is ready, and uses it if it is not.
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
    usleep(20000);
    for (int i = 0; i < 4; i++)
        table[i] = i; //~ fill: race(use); locks{}
    pthread_mutex_lock(&mutex);
    ready = 1; //~ set: no-race -- under the mutex; locks{mutex}
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    int last = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, filler, NULL);
    if (!is_ready())
        last = table[3]; //~ use: locks{}
    pthread_join(thread, NULL);
    return last < 0;
}
