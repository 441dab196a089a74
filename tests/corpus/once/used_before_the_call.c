// The table is used before the call that makes sure that it is filled.
#include <pthread.h>
#include <unistd.h>

static pthread_once_t filled = PTHREAD_ONCE_INIT;
static int table[8];

static void fill(void)
{
    for (int i = 0; i < 8; i++)
        table[i] = i; //~ fill: race(early); locks{}
}

static void *user(void *argument)
{
    pthread_once(&filled, fill);
    *(int *)argument = table[7]; //~ use: no-race -- behind the call; locks{}
    return NULL;
}

static void *hasty(void *argument)
{
    usleep(1000);
    *(int *)argument = table[7]; //~ early: locks{}
    pthread_once(&filled, fill);
    return NULL;
}

int main(void)
{
    int seen[2] = { 0, 0 };
    pthread_t one, two;
    pthread_create(&one, NULL, user, &seen[0]);
    pthread_create(&two, NULL, hasty, &seen[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen[0] < 0;
}
