// A function takes the lock unless its caller says that it has it already, which is not true of one caller.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

struct options {
    int has_lock;
};

static void add(long amount, int has_lock)
{
    if (!has_lock)
        pthread_mutex_lock(&lock);
    total += amount; //~ w: race(self, minus)
    if (!has_lock)
        pthread_mutex_unlock(&lock);
}

static void subtract(long amount, const struct options *options)
{
    if (!options->has_lock)
        pthread_mutex_lock(&lock);
    total -= amount; //~ minus: race(w)
    if (!options->has_lock)
        pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    struct options without = { 0 };
    struct options with = { 1 };
    for (int i = 0; i < 50; i++) {
        add(i, 0);
        subtract(i, &without);
        add(i, 1);
        usleep(200);
        pthread_mutex_lock(&lock);
        subtract(i, &with);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return total != 0;
}
