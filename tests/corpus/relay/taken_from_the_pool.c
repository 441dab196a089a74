// RELAY's unsharing idiom: an entry taken out of the pool is private until it is put into a slot.
#include <pthread.h>
#include <stddef.h>

struct map {
    struct map *next;
    int page;
    long address;
};

static struct map maps[3] = { { .next = &maps[1] }, { .next = &maps[2] }, { .next = NULL } };

static pthread_spinlock_t pool_lock, slot_lock;
static struct map *pool = &maps[0];
static struct map *slot;

static void set_page_address(int page, long address)
{
    pthread_spin_lock(&pool_lock);
    struct map *map = pool;
    pool = map->next; //~ take: no-race -- the lock of the pool; locks{pool_lock}
    pthread_spin_unlock(&pool_lock);
    map->address = address; //~ write: no-race -- nobody else has the entry now; locks{}
    pthread_spin_lock(&slot_lock);
    map->page = page;
    map->next = slot; //~ link: no-race -- the lock of the slot; locks{slot_lock}
    slot = map;       //~ put: no-race -- the lock of the slot; locks{slot_lock}
    pthread_spin_unlock(&slot_lock);
}

static long page_address(int page)
{
    long address = 0;
    pthread_spin_lock(&slot_lock);
    for (struct map *map = slot; map != NULL; map = map->next)
        if (map->page == page)
            address = map->address; //~ read: no-race -- written before the entry is in a slot; locks{slot_lock}
    pthread_spin_unlock(&slot_lock);
    return address;
}

static void *mapper(void *argument)
{
    for (int page = 1; page <= 3; page++)
        set_page_address(page, 4096L * page);
    return argument;
}

static void *reader(void *argument)
{
    while (page_address(3) == 0)
        continue;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_spin_init(&pool_lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&slot_lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&one, NULL, mapper, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
