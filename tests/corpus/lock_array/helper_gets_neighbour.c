// The caller takes the lock of one slot or box; one caller gives the number of the next one to the helper.
#include <pthread.h>
#include <unistd.h>

#define LOCKS 4
#define SLOTS 16

struct shelf {
    pthread_mutex_t locks[LOCKS];
    long boxes[LOCKS];
};

static pthread_mutex_t stripes[LOCKS];
static long slots[SLOTS];
static struct shelf shelf;

static void fill(unsigned at, long key)
{
    slots[at] = key; //~ key: race(self); locks{stripes[at % LOCKS]}; locks{}
}

static void store(struct shelf *shelf, unsigned number, long amount)
{
    shelf->boxes[number] += amount; //~ box: race(self); locks{shelf->locks[number]}; locks{}
}

static void change(struct shelf *shelf, unsigned at)
{
    pthread_mutex_lock(&stripes[at % LOCKS]);
    fill(at, 7);
    usleep(20);
    pthread_mutex_unlock(&stripes[at % LOCKS]);
    pthread_mutex_lock(&shelf->locks[at % LOCKS]);
    store(shelf, at % LOCKS, 3);
    usleep(20);
    pthread_mutex_unlock(&shelf->locks[at % LOCKS]);
}

static void change_next(struct shelf *shelf, unsigned at)
{
    pthread_mutex_lock(&stripes[at % LOCKS]);
    fill(at + 1, 8);
    usleep(20);
    pthread_mutex_unlock(&stripes[at % LOCKS]);
    pthread_mutex_lock(&shelf->locks[at % LOCKS]);
    store(shelf, (at + 1) % LOCKS, 4);
    usleep(20);
    pthread_mutex_unlock(&shelf->locks[at % LOCKS]);
}

static void *first(void *argument)
{
    for (unsigned i = 0; i < 200; i++)
        change(argument, i % 3);
    return NULL;
}

static void *second(void *argument)
{
    for (unsigned i = 0; i < 200; i++)
        change_next(argument, i % 2);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&stripes[i], NULL);
        pthread_mutex_init(&shelf.locks[i], NULL);
    }
    pthread_create(&one, NULL, first, &shelf);
    pthread_create(&two, NULL, second, &shelf);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
