typedef struct item { struct item *next; pthread_mutex_t lock; int count; } item_t;
static item_t *head;
static pthread_rwlock_t guard;
enum { FREE, BUSY = 1 << 4 };
static item_t *find(int key)
{
    for (item_t *item = head; item; item = item->next)
        if (item->count == key) {
            pthread_mutex_lock(&item->lock);
            return item;
        }
    return (item_t *)0;
}
static int release(item_t *item, int state)
{
    switch (state & 3) {
    case FREE: item->count--; break;
    case 1 ... 2: goto out;
    default: item->count = state ? -1 : (int)sizeof *item;
    }
out:
    return pthread_mutex_unlock(&item->lock);
}
void *reader(void *key)
{
    pthread_rwlock_rdlock(&guard);
    item_t *item = find((int)(long)key);
    if (item) release(item, BUSY);
    pthread_rwlock_unlock(&guard);
    return item;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, reader, (void *)(long)i);
    do { head = malloc(sizeof(item_t)); *head = (item_t){ .count = 1 }; } while (rand() % 2);
    return 0;
}
