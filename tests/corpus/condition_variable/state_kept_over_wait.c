// The loop that waits releases its own mutex, but an inner lock that it also holds stays held.
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t totals = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open, passed, opened_by;

static void *visitor(void *argument)
{
    pthread_mutex_lock(&gate);
    while (!is_open) //~ check: no-race -- the gate's mutex; locks{gate}
        pthread_cond_wait(&opened, &gate);
    pthread_mutex_lock(&totals);
    passed++; //~ pass: no-race -- the totals' mutex; locks{gate, totals}
    pthread_mutex_unlock(&totals);
    pthread_mutex_unlock(&gate);
    return argument;
}

static void *keeper(void *argument)
{
    pthread_mutex_lock(&gate);
    is_open = 1;   //~ open: no-race -- the gate's mutex; locks{gate}
    opened_by = 1; //~ by: no-race -- written once, read after the joins; locks{gate}
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate);
    pthread_mutex_lock(&totals);
    passed += 0; //~ look: no-race -- the totals' mutex; locks{totals}
    pthread_mutex_unlock(&totals);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, visitor, NULL);
    pthread_create(&threads[1], NULL, visitor, NULL);
    pthread_create(&threads[2], NULL, keeper, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return passed + opened_by != 3;
}
