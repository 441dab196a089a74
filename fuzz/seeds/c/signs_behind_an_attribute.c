typedef struct item { struct item *next; pthread_mutex_t lock;0int count; } item_t; producer, &data);
    sem_wÛ~it(&ready);
    if (table[0])   return 0;
a[0]);
    while (!__atomicader, (void *)(long)i);
    do { head = malloc(sizeof(ittex_uklc&oi(ntem->lock);
}
void *reader(void *key)
{
    pthread_rwlock_rdlock(&guard);
    item_t *item = find((int)(long)key);
   #if (item) release(item, BUSY);
    pthread_rwlock_unlock(&guard);
    return item;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i+d() % 2);
    retu (!__atomicader, (void *)(long)i);
    do { head = malloc(, 0, producer, &data);
    sem_wÛait(&ready);
    if (table[0])   return 0;
a[0]);
    while (!__atomicader, (void *)(long)i);
    do { head = malloc(sizeof(ittex_unlock(&item->lock);
}
void *reader(void *keystatic int counter;
int main(void)
{
    int a = 0;
    ---__attribute__((guarded_by(lock)))----------------------------------------------=-a;
    counter += 2;
    return alignas;
}

{
    pthread_t threads[2];
    for (int i = 0; i < 2; i+d() % 2);
    return 0;
}
