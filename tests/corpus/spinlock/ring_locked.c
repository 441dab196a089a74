// A short ring buffer guarded by a spin lock.
#include <pthread.h>

#define SIZE 8

struct ring {
    pthread_spinlock_t spin;
    unsigned head, tail;
    int items[SIZE];
};

static int push(struct ring *ring, int item)
{
    int done = 0;
    pthread_spin_lock(&ring->spin);
    if (ring->head - ring->tail < SIZE) {       //~ room: no-race -- the spin lock; locks{ring->spin}
        ring->items[ring->head % SIZE] = item;  //~ put: no-race -- the spin lock; locks{ring->spin}
        ring->head++;                           //~ head: no-race -- the spin lock; locks{ring->spin}
        done = 1;
    }
    pthread_spin_unlock(&ring->spin);
    return done;
}

static int pop(struct ring *ring)
{
    int item = -1;
    pthread_spin_lock(&ring->spin);
    if (ring->tail != ring->head)                  //~ any: no-race -- the spin lock; locks{ring->spin}
        item = ring->items[ring->tail++ % SIZE];   //~ get: no-race -- the spin lock; locks{ring->spin}
    pthread_spin_unlock(&ring->spin);
    return item;
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++) {
        push(argument, i);
        pop(argument);
    }
    return NULL;
}

int main(void)
{
    static struct ring ring;
    pthread_t one, two;
    pthread_spin_init(&ring.spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&one, NULL, worker, &ring);
    pthread_create(&two, NULL, worker, &ring);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
