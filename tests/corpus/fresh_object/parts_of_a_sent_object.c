// A new message owns a new buffer, and is sent before a helper fills the buffer.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct buffer {
    int length;
    char text[16];
};

struct message {
    struct buffer *buffer;
    int priority;
};

static pthread_mutex_t mailbox_lock = PTHREAD_MUTEX_INITIALIZER;
static struct message *mailbox;

static void write_text(struct message *message)
{
    message->buffer->text[0] = 'x'; //~ text: locks{}
    message->buffer->length = 1;    //~ length: race(use); locks{}
}

static void *sender(void *argument)
{
    struct message *message = malloc(sizeof *message);
    message->buffer = calloc(1, sizeof *message->buffer);
    message->priority = 3; //~ priority: no-race -- not sent yet; locks{}
    pthread_mutex_lock(&mailbox_lock);
    mailbox = message;
    pthread_mutex_unlock(&mailbox_lock);
    usleep(2000);
    write_text(message);
    return argument;
}

static void *receiver(void *argument)
{
    struct message *message = NULL;
    while (message == NULL) {
        pthread_mutex_lock(&mailbox_lock);
        message = mailbox;
        pthread_mutex_unlock(&mailbox_lock);
    }
    *(int *)argument = message->priority + message->buffer->length; //~ use: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, sender, NULL);
    pthread_create(&two, NULL, receiver, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum > 4;
}
