// A growing buffer on the heap, with the lock inside the same allocation.
#include <pthread.h>
#include <stdlib.h>

struct buffer {
    pthread_mutex_t lock;
    char *bytes;
    size_t length, capacity;
};

static void append(struct buffer *buffer, char byte)
{
    pthread_mutex_lock(&buffer->lock);
    if (buffer->length == buffer->capacity) { //~ full: no-race -- the buffer's lock; locks{buffer->lock}
        buffer->capacity = 2 * buffer->capacity + 8;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity); //~ grow: no-race -- the buffer's lock; locks{buffer->lock}
    }
    buffer->bytes[buffer->length++] = byte; //~ put: no-race -- the buffer's lock; locks{buffer->lock}
    pthread_mutex_unlock(&buffer->lock);
}

static void *producer(void *argument)
{
    for (int i = 0; i < 100; i++)
        append(argument, (char)i);
    return NULL;
}

int main(void)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    pthread_t one, two;
    pthread_mutex_init(&buffer->lock, NULL);
    pthread_create(&one, NULL, producer, buffer);
    pthread_create(&two, NULL, producer, buffer);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(buffer->bytes);
    free(buffer);
    return 0;
}
