// The same routine is run by two controls, each of which runs it once.
#include <pthread.h>
#include <unistd.h>

static pthread_once_t by_reader = PTHREAD_ONCE_INIT, by_writer = PTHREAD_ONCE_INIT;
static int table[8];

static void fill(void)
{
    for (int i = 0; i < 8; i++)
        table[i] = i; //~ fill: race(self); race(use) (unconfirmed -- ThreadSanitizer tells one race of a place only); locks{}
    usleep(1000);
}

static void *reader(void *argument)
{
    pthread_once(&by_reader, fill);
    *(int *)argument = table[7]; //~ use: locks{}
    return NULL;
}

static void *writer(void *argument)
{
    usleep(500);
    pthread_once(&by_writer, fill);
    return argument;
}

int main(void)
{
    int seen = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, reader, &seen);
    pthread_create(&two, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
