// A lookup table that is filled once, by whoever comes first.
#include <pthread.h>

#define SIZE 32

static pthread_once_t filled = PTHREAD_ONCE_INIT;
static int squares[SIZE];

static void fill(void)
{
    for (int i = 0; i < SIZE; i++)
        squares[i] = i * i; //~ w: no-race -- pthread_once runs it before anyone reads; locks{}
}

static int square(int value)
{
    pthread_once(&filled, fill);
    return squares[value % SIZE]; //~ r: no-race -- pthread_once has returned; locks{}
}

static void *user(void *argument)
{
    long *sum = argument;
    for (int i = 0; i < 50; i++)
        *sum += square(i);
    return NULL;
}

int main(void)
{
    long sums[2] = { 0, 0 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sums[0] != sums[1];
}
