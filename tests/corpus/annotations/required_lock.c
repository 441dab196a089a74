// A function that requires its caller's lock, and callers that hold it.
#include <pthread.h>

#if defined(__clang__) || defined(__RACELENS__)
#define ANNOTATE(attribute) __attribute__((attribute))
#else
#define ANNOTATE(attribute)
#endif

struct queue {
    pthread_mutex_t lock;
    int length ANNOTATE(guarded_by(lock));
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void append(struct queue *q) ANNOTATE(requires_capability(q->lock));

static void append(struct queue *q)
{
    q->length++; //~ w: locks{q->lock}
}

static void *producer(void *argument)
{
    struct queue *q = argument;
    pthread_mutex_lock(&q->lock);
    append(q);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, producer, &queue);
    pthread_create(&two, NULL, producer, &queue);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
