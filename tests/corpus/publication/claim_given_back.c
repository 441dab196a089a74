// A user gives its claim back when it has filled the table, so that the next one fills it again while others read.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int claimed, ready;
static int table[4];

static void use_table(int *sum)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&claimed, &expected, 1)) {
        usleep(50);
        for (int i = 0; i < 4; i++)
            table[i] = i; //~ fill: race(self, use); locks{}
        atomic_store(&ready, 1);
        atomic_store_explicit(&claimed, 0, memory_order_relaxed);
    }
    while (!atomic_load(&ready))
        ;
    *sum += table[3]; //~ use: locks{}
}

static void *user(void *argument)
{
    for (int round = 0; round < 20000; round++)
        use_table(argument);
    return NULL;
}

int main(void)
{
    int sums[4] = { 0 };
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, user, &sums[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return sums[0] != sums[1];
}
