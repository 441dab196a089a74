// A function that starts a thread and calls itself: each activation keeps its handle in the same variable.
#include <pthread.h>
#include <unistd.h>

static pthread_t latest;
static int counter;

static void *worker(void *unused)
{
    (void)unused;
    usleep(1000);
    counter++; //~ w: race(self)
    return 0;
}

static void start(int more)
{
    pthread_create(&latest, 0, worker, 0);
    if (more > 0)
        start(more - 1);
}

int main(void)
{
    start(2);
    pthread_join(latest, 0);
    usleep(20000);
    return 0;
}
