// The functions of a library, known by their attributes alone: one takes a lock, one tries to, one releases it.
// not-runnable: the library's functions have no body
#include <pthread.h>

#if defined(__clang__) || defined(__RACELENS__)
#define ANNOTATE(attribute) __attribute__((attribute))
#else
#define ANNOTATE(attribute)
#endif

struct device {
    int lock;
    int state ANNOTATE(guarded_by(lock));
};

void device_lock(struct device *device) ANNOTATE(acquire_capability(device->lock));
int device_try_lock(struct device *device) ANNOTATE(try_acquire_capability(1, device->lock));
void device_unlock(struct device *device) ANNOTATE(release_capability(device->lock));

static void *run(void *argument)
{
    struct device *device = argument;
    device_lock(device);
    device->state = 1; //~ w: locks{device->lock}
    device_unlock(device);
    if (device_try_lock(device)) {
        device->state = 2; //~ t: locks{device->lock}
        device_unlock(device);
    }
    return NULL;
}

int main(void)
{
    static struct device device;
    pthread_t one, two;
    pthread_create(&one, NULL, run, &device);
    pthread_create(&two, NULL, run, &device);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
