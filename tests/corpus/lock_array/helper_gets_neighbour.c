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
    slots[at] += key; //~ key: race(self); locks{stripes[at % LOCKS]}; locks{stripes[… % 4]}
}

static void store(struct shelf *shelf, unsigned number, long amount)
{
    shelf->boxes[number] += amount; //~ box: race(self); locks{shelf->locks[number]}; locks{shelf.locks[…]}
}

static void change(unsigned at)
{
    pthread_mutex_lock(&stripes[at % LOCKS]);
    fill(at, 7);
    usleep(20);
    pthread_mutex_unlock(&stripes[at % LOCKS]);
}

static void change_next(unsigned at)
{
    pthread_mutex_lock(&stripes[at % LOCKS]);
    fill(at + 1, 8);
    usleep(20);
    pthread_mutex_unlock(&stripes[at % LOCKS]);
}

static void put(struct shelf *shelf, unsigned number)
{
    pthread_mutex_lock(&shelf->locks[number]);
    store(shelf, number, 3);
    usleep(20);
    pthread_mutex_unlock(&shelf->locks[number]);
}

static void put_next(struct shelf *shelf, unsigned number)
{
    pthread_mutex_lock(&shelf->locks[number]);
    store(shelf, number + 1, 4);
    usleep(20);
    pthread_mutex_unlock(&shelf->locks[number]);
}

static void *changer(void *argument)
{
    for (unsigned i = 0; i < 200; i++)
        change(1 + 2 * (i % 2));
    return argument;
}

static void *next_changer(void *argument)
{
    for (unsigned i = 0; i < 200; i++)
        change_next(2 * (i % 2));
    return argument;
}

static void *putter(void *argument)
{
    for (unsigned i = 0; i < 200; i++)
        put(argument, 1 + 2 * (i % 2));
    return NULL;
}

static void *next_putter(void *argument)
{
    for (unsigned i = 0; i < 200; i++)
        put_next(argument, 2 * (i % 2));
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&stripes[i], NULL);
        pthread_mutex_init(&shelf.locks[i], NULL);
    }
    pthread_create(&threads[0], NULL, changer, NULL);
    pthread_create(&threads[1], NULL, next_changer, NULL);
    pthread_create(&threads[2], NULL, putter, &shelf);
    pthread_create(&threads[3], NULL, next_putter, &shelf);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
