// A completion callback runs after the lock is released and writes to the caller's shared context.
#include <pthread.h>

struct device {
    pthread_mutex_t lock;
    int transfers;
};

struct client {
    struct device *device;
    int completed;
};

typedef void completion(void *context);

static void transfer(struct device *device, completion *done, void *context)
{
    pthread_mutex_lock(&device->lock);
    device->transfers++; //~ transfer: no-race -- the device's lock; locks{device->lock}
    pthread_mutex_unlock(&device->lock);
    done(context);
}

static void on_complete(void *context)
{
    struct client *client = context;
    client->completed++; //~ w: race(self); locks{}
}

static void *submit(void *argument)
{
    struct client *client = argument;
    for (int i = 0; i < 50; i++)
        transfer(client->device, on_complete, client);
    return NULL;
}

int main(void)
{
    static struct device device = { .lock = PTHREAD_MUTEX_INITIALIZER };
    static struct client client = { &device, 0 };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, submit, &client);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
