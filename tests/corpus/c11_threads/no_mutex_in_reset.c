// Threads of the C standard library; the reset forgets the mutex.
// not-runnable: ThreadSanitizer does not know the threads that thrd_create starts
#include <stddef.h>
#include <threads.h>

struct odometer {
    mtx_t lock;
    long distance;
};

static struct odometer odometer;

static int drive(void *argument)
{
    struct odometer *odometer = argument;
    for (int i = 0; i < 100; i++) {
        mtx_lock(&odometer->lock);
        odometer->distance += i; //~ drive: locks{odometer->lock}
        mtx_unlock(&odometer->lock);
    }
    return 0;
}

static int reset(void *argument)
{
    struct odometer *odometer = argument;
    odometer->distance = 0; //~ reset: race(drive); locks{}
    return 0;
}

int main(void)
{
    thrd_t driver, mechanic;
    if (mtx_init(&odometer.lock, mtx_plain) != thrd_success)
        return 1;
    thrd_create(&driver, drive, &odometer);
    thrd_create(&mechanic, reset, &odometer);
    thrd_join(driver, NULL);
    thrd_join(mechanic, NULL);
    return 0;
}
