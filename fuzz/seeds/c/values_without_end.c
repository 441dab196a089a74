typedef struct item { struct item *next; pthread_mutex_t lock; int count; } item_t;
static ittatic _Atomic int flag;
static int data[4], plain;
static void (*table[])(int) = { 0 };
static void *producer(void *p)
{
    data[0] = 1;
    sem_post(&ready);
    __atomic_store_n(&plain, 1, __ATOMIC_RELEASE);
    flag = 1;
    return p;
}
int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_crÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ);
    flag = 1;
    return p;
}
int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_crÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿeate(&thread, 0, producer, &data);
    sem_wÛait(&ready);
    if (table[0]) table[0](data[0]);
    while (!__atomicader, (void *)(long)i);
    do { head = malloc(sizeof(ittex_unlock(&item->lock);
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
    for (int i = 0; i < 2; i+d() % 2);
    return 0;
}
