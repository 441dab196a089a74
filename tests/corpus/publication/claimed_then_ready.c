// Who claims the table fills it and says so; the others wait until it is ready.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int claimed, ready;
static int table[4];

static bool claim(void)
{
    int expected = 0;
    return atomic_compare_exchange_strong(&claimed, &expected, 1);
}

static void *user(void *argument)
{
    if (claim()) {
        for (int i = 0; i < 4; i++)
            table[i] = i; //~ fill: no-race -- only one thread claims the table; locks{}
        atomic_store(&ready, 1);
    }
    while (!atomic_load(&ready))
        ;
    *(int *)argument = table[3]; //~ use: no-race -- the table is ready; locks{}
    return NULL;
}

int main(void)
{
    int seen[2] = { 0, 0 };
    pthread_t one, two;
    pthread_create(&one, NULL, user, &seen[0]);
    pthread_create(&two, NULL, user, &seen[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen[0] != seen[1];
}
