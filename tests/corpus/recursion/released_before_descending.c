// A recursive walk releases its lock for the descent and counts the level before it has it back.
#include <pthread.h>

struct walk {
    pthread_mutex_t lock;
    int entered, left;
};

static void descend(struct walk *walk, int depth)
{
    pthread_mutex_lock(&walk->lock);
    walk->entered++; //~ enter: no-race -- the lock of the walk; locks{walk->lock}
    pthread_mutex_unlock(&walk->lock);
    if (depth > 0)
        descend(walk, depth - 1);
    walk->left++; //~ leave: race(self); locks{}
}

static void *walker(void *argument)
{
    for (int i = 0; i < 20; i++)
        descend(argument, i % 5);
    return NULL;
}

static struct walk walk = { .lock = PTHREAD_MUTEX_INITIALIZER };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, walker, &walk);
    pthread_create(&two, NULL, walker, &walk);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
