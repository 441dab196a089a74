// Two flags in one word: both threads take the same lock, because the compiler writes the whole word.
#include <pthread.h>

struct flags {
    pthread_mutex_t lock;
    unsigned dirty : 1;
    unsigned locked : 1;
    unsigned users : 6;
};

static void *writer(void *argument)
{
    struct flags *flags = argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&flags->lock);
        flags->dirty = 1; //~ dirty: no-race -- one lock for the whole word; locks{flags->lock}
        pthread_mutex_unlock(&flags->lock);
    }
    return NULL;
}

static void *opener(void *argument)
{
    struct flags *flags = argument;
    for (unsigned i = 0; i < 50; i++) {
        pthread_mutex_lock(&flags->lock);
        flags->users = i & 0x3f; //~ users: no-race -- one lock for the whole word; locks{flags->lock}
        pthread_mutex_unlock(&flags->lock);
    }
    return NULL;
}

int main(void)
{
    static struct flags flags = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, writer, &flags);
    pthread_create(&two, NULL, opener, &flags);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
