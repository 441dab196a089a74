// A table that is filled once according to a plain flag, which two threads can find unset.
#include <pthread.h>

#define SIZE 32

static int is_filled;
static int squares[SIZE];

static void fill(void)
{
    for (int i = 0; i < SIZE; i++)
        squares[i] = i * i; //~ fill: race(use); race(self) (unconfirmed -- needs both threads to find the flag unset); locks{}
    is_filled = 1;          //~ set: race(test); race(self) (unconfirmed -- needs both threads to find the flag unset); locks{}
}

static int square(int value)
{
    if (!is_filled) //~ test: locks{}
        fill();
    return squares[value % SIZE]; //~ use: locks{}
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
    return 0;
}
