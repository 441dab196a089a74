// A volatile register is guarded by a lock, as any other memory is.
#include <pthread.h>

struct port {
    pthread_mutex_t lock;
    volatile unsigned status, data;
};

static struct port port = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *sender(void *argument)
{
    for (unsigned i = 1; i <= 100; i++) {
        pthread_mutex_lock(&port.lock);
        port.data = i;   //~ data: locks{port.lock}
        port.status = 1; //~ ready: locks{port.lock}
        pthread_mutex_unlock(&port.lock);
    }
    return argument;
}

static void *receiver(void *argument)
{
    unsigned sum = 0;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&port.lock);
        if (port.status != 0)  //~ poll: no-race -- the lock of the port; locks{port.lock}
            sum += port.data;  //~ read: no-race -- the lock of the port; locks{port.lock}
        pthread_mutex_unlock(&port.lock);
    }
    return sum == 1 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, sender, NULL);
    pthread_create(&two, NULL, receiver, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
