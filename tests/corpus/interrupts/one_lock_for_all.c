// An operating system whose interrupt lock is one lock for all threads and handlers, on several processors too.
// not-runnable: the interrupt lock is Zephyr's.
#include <pthread.h>

unsigned int arch_irq_lock(void);
void arch_irq_unlock(unsigned int key);

static int samples;

static void *sampler(void *argument)
{
    unsigned int key = arch_irq_lock();
    samples++; //~ count: no-race -- interrupts are locked on both sides
    arch_irq_unlock(key);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sampler, NULL);
    unsigned int key = arch_irq_lock();
    int seen = samples; //~ read: no-race -- interrupts are locked on both sides
    arch_irq_unlock(key);
    pthread_join(thread, NULL);
    return seen < 0;
}
