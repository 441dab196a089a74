// Two handles point to the same file, and each handle brings a mutex of its own.
#include <pthread.h>

struct file {
    long position;
};

struct handle {
    pthread_mutex_t *lock;
    struct file *file;
};

static void *seeker(void *argument)
{
    struct handle *handle = argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(handle->lock);
        handle->file->position += 512; //~ w: race(self); locks{*handle->lock}
        pthread_mutex_unlock(handle->lock);
    }
    return NULL;
}

int main(void)
{
    static struct file file;
    static pthread_mutex_t read_lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
    struct handle reader = { &read_lock, &file };
    struct handle writer = { &write_lock, &file };
    pthread_t one, two;
    pthread_create(&one, NULL, seeker, &reader);
    pthread_create(&two, NULL, seeker, &writer);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
