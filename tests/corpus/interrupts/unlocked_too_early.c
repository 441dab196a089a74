// The interrupt lock is one lock for all, but the reader has given it back when it reads.
// not-runnable: the interrupt lock is Zephyr's.
#include <pthread.h>

unsigned int arch_irq_lock(void);
void arch_irq_unlock(unsigned int key);

static int samples;

static void *sampler(void *argument)
{
    unsigned int key = arch_irq_lock();
    samples++; //~ count: race(read) (unconfirmed -- the program cannot be run)
    arch_irq_unlock(key);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sampler, NULL);
    unsigned int key = arch_irq_lock();
    arch_irq_unlock(key);
    int seen = samples; //~ read: locks{}
    pthread_join(thread, NULL);
    return seen < 0;
}
