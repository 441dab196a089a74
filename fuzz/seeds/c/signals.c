static sem_t ready;
static _Atomic int flag;
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
    pthread_create(&thread, 0, producer, &data);
    sem_wait(&ready);
    if (table[0]) table[0](data[0]);
    while (!__atomic_load_n(&plain, __ATOMIC_ACQUIRE)) ;
    data[0]++, data[1] = flag ? data[0] : ({ int x = data[2]; x; });
    return data[0];
}
