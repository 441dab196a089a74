// Entries of a hash table have no lock of their own; the lock of their bucket guards them.
#include <pthread.h>

#define BUCKETS 4

struct entry {
    struct entry *next;
    int uses;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *first;
};

struct table {
    struct bucket buckets[BUCKETS];
};

static void use(struct table *table, unsigned key)
{
    pthread_mutex_lock(&table->buckets[key % BUCKETS].lock);
    for (struct entry *at = table->buckets[key % BUCKETS].first; at != NULL; at = at->next)
        at->uses++; //~ use: no-race -- the lock of the bucket; locks{table->buckets[key % BUCKETS].lock}
    pthread_mutex_unlock(&table->buckets[key % BUCKETS].lock);
}

static void refill(struct table *table, unsigned key)
{
    pthread_mutex_lock(&table->buckets[key % BUCKETS].lock);
    struct entry *entry = table->buckets[key % BUCKETS].first;
    entry->uses = 0; //~ fill: locks{table->buckets[key % BUCKETS].lock}
    pthread_mutex_unlock(&table->buckets[key % BUCKETS].lock);
}

static void *user(void *argument)
{
    for (unsigned key = 0; key < 200; key++)
        use(argument, key);
    return NULL;
}

static void *refiller(void *argument)
{
    for (unsigned key = 0; key < 200; key++)
        refill(argument, 2 * key + 1);
    return NULL;
}

static struct entry entries[BUCKETS];

static struct table table = { {
    { PTHREAD_MUTEX_INITIALIZER, &entries[0] },
    { PTHREAD_MUTEX_INITIALIZER, &entries[1] },
    { PTHREAD_MUTEX_INITIALIZER, &entries[2] },
    { PTHREAD_MUTEX_INITIALIZER, &entries[3] },
} };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, user, &table);
    pthread_create(&two, NULL, refiller, &table);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
