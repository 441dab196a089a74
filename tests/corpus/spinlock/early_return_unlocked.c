// The quick test of a ring buffer happens before its spin lock is taken.
#include <pthread.h>

#define SIZE 8

struct ring {
    pthread_spinlock_t spin;
    unsigned count;
};

static int push(struct ring *ring)
{
    if (ring->count == SIZE) //~ test: race(change); locks{}
        return 0;
    pthread_spin_lock(&ring->spin);
    ring->count = (ring->count + 1) % SIZE; //~ change: locks{ring->spin}
    pthread_spin_unlock(&ring->spin);
    return 1;
}

static void *worker(void *argument)
{
    for (int i = 0; i < 100; i++)
        push(argument);
    return NULL;
}

int main(void)
{
    static struct ring ring;
    pthread_t threads[3];
    pthread_spin_init(&ring.spin, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, &ring);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
