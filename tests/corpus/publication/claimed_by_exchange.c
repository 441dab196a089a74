// Who claims the table fills it; the others find it claimed, and use it before it is filled.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int claimed;
static int table[4];

static void *user(void *argument)
{
    if (!atomic_exchange(&claimed, 1)) {
        usleep(2000);
        for (int i = 0; i < 4; i++)
            table[i] = i; //~ fill: race(use); locks{}
    }
    *(int *)argument = table[3]; //~ use: locks{}
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
    return seen[0] < 0;
}
