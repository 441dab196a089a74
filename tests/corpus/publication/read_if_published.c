// The report is read only on the side of the branch where the flag was seen.
#include <pthread.h>
#include <stdatomic.h>

static int report;
static atomic_int published;

static int newest(void)
{
    if (atomic_load_explicit(&published, memory_order_acquire))
        return report; //~ r: no-race -- after the flag was seen; locks{}
    return -1;
}

static void *writer(void *argument)
{
    report = 120; //~ w: no-race -- before the flag is set; locks{}
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
