// A tagged union whose members share memory and one lock.
#include <pthread.h>

struct message {
    pthread_mutex_t lock;
    int tag;
    union {
        long number;
        char text[8];
    } body;
};

static void *as_number(void *argument)
{
    struct message *message = argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&message->lock);
        message->tag = 1;         //~ tag: no-race -- the message's lock; locks{message->lock}
        message->body.number = i; //~ number: no-race -- the message's lock; locks{message->lock}
        pthread_mutex_unlock(&message->lock);
    }
    return NULL;
}

static void *as_text(void *argument)
{
    struct message *message = argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&message->lock);
        message->tag = 2;              //~ retag: no-race -- the message's lock; locks{message->lock}
        message->body.text[i % 8] = 0; //~ text: no-race -- the message's lock; locks{message->lock}
        pthread_mutex_unlock(&message->lock);
    }
    return NULL;
}

int main(void)
{
    static struct message message = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, as_number, &message);
    pthread_create(&two, NULL, as_text, &message);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
