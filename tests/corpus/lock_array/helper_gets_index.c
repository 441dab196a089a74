// The caller takes the lock that belongs to a slot; helpers get the slot's number, or clear the slot.
#include <pthread.h>
#include <string.h>

#define LOCKS 4
#define SLOTS 16

struct slot {
    long key, uses;
};

struct shelf {
    pthread_mutex_t locks[LOCKS];
    long boxes[LOCKS];
};

static pthread_mutex_t stripes[LOCKS];
static struct slot slots[SLOTS];
static struct shelf shelf;

static void fill(unsigned at, long key)
{
    slots[at].key = key; //~ key: no-race -- the slot's stripe; locks{stripes[at % LOCKS]}
    slots[at].uses++;    //~ uses: no-race -- the slot's stripe; locks{stripes[at % LOCKS]}
}

static void empty(unsigned at)
{
    struct slot *slot = &slots[at];
    memset(slot, 0, sizeof *slot); //~ clear: no-race -- the slot's stripe; locks{stripes[at % LOCKS]}
}

static void store(struct shelf *shelf, long amount, unsigned number)
{
    shelf->boxes[number] += amount; //~ box: no-race -- the box's lock; locks{shelf->locks[number]}
}

static void change(unsigned at)
{
    pthread_mutex_lock(&stripes[at % LOCKS]);
    if (at % 3)
        fill(at, 7);
    else
        empty(at);
    pthread_mutex_unlock(&stripes[at % LOCKS]);
}

static void put(struct shelf *shelf, unsigned number)
{
    pthread_mutex_lock(&shelf->locks[number]);
    store(shelf, 3, number);
    pthread_mutex_unlock(&shelf->locks[number]);
}

static void *worker(void *argument)
{
    for (unsigned i = 0; i < 200; i++) {
        change(i % SLOTS);
        put(&shelf, i % LOCKS);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&stripes[i], NULL);
        pthread_mutex_init(&shelf.locks[i], NULL);
    }
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
