// A function that requires its caller's lock, and a caller that has released it already.
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
    q->length++; //~ w: race(self); locks{}
}

static void *producer(void *argument)
{
    struct queue *q = argument;
    pthread_mutex_lock(&q->lock);
    pthread_mutex_unlock(&q->lock);
    // violates: requires_capability
    append(q);
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
