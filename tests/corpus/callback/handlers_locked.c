// An event hub: handlers are registered and called under its lock, each with its own context.
#include <pthread.h>

#define MOST 8

typedef void handler(void *context, int event);

struct hub {
    pthread_mutex_t lock;
    int count;
    struct { handler *handle; void *context; } entries[MOST];
};

struct meter {
    int events;
};

static void count_event(void *context, int event)
{
    struct meter *meter = context;
    meter->events += event; //~ event: no-race -- the hub holds its lock while it calls
}

static void subscribe(struct hub *hub, handler *handle, void *context)
{
    pthread_mutex_lock(&hub->lock);
    hub->entries[hub->count].handle = handle;   //~ handler: no-race -- the lock of the hub; locks{hub->lock}
    hub->entries[hub->count].context = context; //~ context: no-race -- the lock of the hub; locks{hub->lock}
    hub->count++;                               //~ add: no-race -- the lock of the hub; locks{hub->lock}
    pthread_mutex_unlock(&hub->lock);
}

static void emit(struct hub *hub, int event)
{
    pthread_mutex_lock(&hub->lock);
    for (int i = 0; i < hub->count; i++)                              //~ loop: locks{hub->lock}
        hub->entries[i].handle(hub->entries[i].context, event); //~ call: locks{hub->lock}
    pthread_mutex_unlock(&hub->lock);
}

static struct hub hub = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *subscriber(void *argument)
{
    static struct meter meters[MOST];
    for (int i = 0; i < MOST; i++)
        subscribe(argument, count_event, &meters[i]);
    return NULL;
}

static void *source(void *argument)
{
    for (int i = 0; i < 300; i++)
        emit(argument, 1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, subscriber, &hub);
    pthread_create(&two, NULL, source, &hub);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
