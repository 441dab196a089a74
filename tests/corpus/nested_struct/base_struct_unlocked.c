// A circle begins with the shape it extends; its own function writes the shape without the lock.
#include <pthread.h>

struct shape {
    pthread_mutex_t lock;
    int changes;
};

struct circle {
    struct shape base;
    int radius;
};

static void shape_changed(struct shape *shape)
{
    pthread_mutex_lock(&shape->lock);
    shape->changes++; //~ change: locks{shape->lock}
    pthread_mutex_unlock(&shape->lock);
}

static void circle_grow(struct circle *circle)
{
    pthread_mutex_lock(&circle->base.lock);
    circle->radius++; //~ grow: no-race -- the lock of the shape; locks{circle->base.lock}
    pthread_mutex_unlock(&circle->base.lock);
    circle->base.changes++; //~ count: race(self, change); locks{}
}

static void *grower(void *argument)
{
    for (int i = 0; i < 100; i++)
        circle_grow(argument);
    return NULL;
}

static void *mover(void *argument)
{
    for (int i = 0; i < 100; i++)
        shape_changed((struct shape *)argument);
    return NULL;
}

int main(void)
{
    static struct circle circle = { { PTHREAD_MUTEX_INITIALIZER, 0 }, 1 };
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, grower, &circle);
    pthread_create(&threads[1], NULL, grower, &circle);
    pthread_create(&threads[2], NULL, mover, &circle);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
