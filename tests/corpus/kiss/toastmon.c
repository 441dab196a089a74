// KISS's toastmon race in user space: the power request looks at the state without the remove lock.
#include <pthread.h>
#include <unistd.h>

enum pnp_state { STARTED, STOP_PENDING, DELETED };

struct device_extension {
    pthread_mutex_t remove_lock;
    enum pnp_state pnp_state;
    int requests;
};

enum request { QUERY_STOP, CANCEL_STOP };

static void dispatch_pnp(struct device_extension *extension, enum request request)
{
    pthread_mutex_lock(&extension->remove_lock);
    switch (request) {
    case QUERY_STOP:
        extension->pnp_state = STOP_PENDING; //~ stop: locks{extension->remove_lock}
        break;
    case CANCEL_STOP:
        extension->pnp_state = STARTED; //~ restart: locks{extension->remove_lock}
        break;
    }
    pthread_mutex_unlock(&extension->remove_lock);
}

static int dispatch_power(struct device_extension *extension)
{
    if (extension->pnp_state == DELETED) //~ look: race(stop, restart); locks{}
        return -1;
    pthread_mutex_lock(&extension->remove_lock);
    extension->requests++; //~ count: no-race -- the remove lock; locks{extension->remove_lock}
    pthread_mutex_unlock(&extension->remove_lock);
    usleep(10);
    return 0;
}

static void *pnp_manager(void *argument)
{
    for (int i = 0; i < 100; i++) {
        dispatch_pnp(argument, QUERY_STOP);
        usleep(10);
        dispatch_pnp(argument, CANCEL_STOP);
    }
    return NULL;
}

static void *power_manager(void *argument)
{
    int failed = 0;
    for (int i = 0; i < 100; i++)
        failed += dispatch_power(argument);
    return NULL;
}

int main(void)
{
    static struct device_extension extension = { .remove_lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t pnp, power;
    pthread_create(&pnp, NULL, pnp_manager, &extension);
    pthread_create(&power, NULL, power_manager, &extension);
    pthread_join(pnp, NULL);
    pthread_join(power, NULL);
    return 0;
}
