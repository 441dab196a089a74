// The report is read on the wrong side of the branch.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int report;
static atomic_int published;

static int newest(void)
{
    if (!atomic_load_explicit(&published, memory_order_acquire))
        return report; //~ r: race(w); locks{}
    return -1;
}

static void *writer(void *argument)
{
    usleep(500);
    report = 120; //~ w: locks{}
    atomic_store_explicit(&published, 1, memory_order_release);
    return argument;
}

int main(void)
{
    int seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    for (int i = 0; i < 1000; i++)
        seen += newest();
    pthread_join(thread, NULL);
    return seen == 1;
}
