// A race that RELAY found, mended: the size is copied while the list is locked.
#include <pthread.h>
#include <unistd.h>

#define PAGE 4096UL

struct area {
    struct area *next;
    unsigned long start, size;
};

static pthread_rwlock_t areas_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct area third = { NULL, 3, 300 * PAGE };
static struct area second = { &third, 2, 300 * PAGE };
static struct area *areas = &second;

static void change_pages(unsigned long count)
{
    usleep(count > 0 ? 10 : 20);
}

static struct area *find(unsigned long start)
{
    struct area *at = areas;
    while (at != NULL && at->start != start) //~ walk: no-race -- nobody writes the addresses
        at = at->next;
    return at;
}

static void unmap(unsigned long start)
{
    pthread_rwlock_rdlock(&areas_lock);
    struct area *area = find(start);
    unsigned long size = area->size; //~ size: no-race -- the lock of the list; locks{shared areas_lock}
    pthread_rwlock_unlock(&areas_lock);
    change_pages(size / PAGE);
}

static void shrink(unsigned long start)
{
    pthread_rwlock_wrlock(&areas_lock);
    struct area *area = find(start);
    area->size -= PAGE; //~ shrink: locks{areas_lock}
    pthread_rwlock_unlock(&areas_lock);
    usleep(10);
}

static void *unmapper(void *argument)
{
    for (int i = 0; i < 100; i++)
        unmap(3);
    return argument;
}

static void *shrinker(void *argument)
{
    for (int i = 0; i < 100; i++)
        shrink(3);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, unmapper, NULL);
    pthread_create(&two, NULL, shrinker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
