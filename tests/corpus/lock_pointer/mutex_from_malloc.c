// The mutex lives on the heap, and the object reaches it through a pointer that never changes.
#include <pthread.h>
#include <stdlib.h>

struct channel {
    pthread_mutex_t *lock;
    int sent;
};

static struct channel *new_channel(void)
{
    struct channel *channel = malloc(sizeof *channel);
    channel->lock = malloc(sizeof *channel->lock);
    pthread_mutex_init(channel->lock, NULL);
    channel->sent = 0; //~ init: no-race -- not handed out yet; locks{}
    return channel;
}

static void *sender(void *argument)
{
    struct channel *channel = argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(channel->lock);
        channel->sent++; //~ w: no-race -- one mutex for the channel; locks{*channel->lock}
        pthread_mutex_unlock(channel->lock);
    }
    return NULL;
}

int main(void)
{
    struct channel *channel = new_channel();
    pthread_t one, two;
    pthread_create(&one, NULL, sender, channel);
    pthread_create(&two, NULL, sender, channel);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_mutex_destroy(channel->lock);
    free(channel->lock);
    free(channel);
    return 0;
}
