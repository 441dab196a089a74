// A reader writes on the read side: two readers are there at the same time.
// not-runnable: the sequence lock is the kernel's.
#include <pthread.h>

typedef struct {
    unsigned int sequence;
} seqlock_t;

unsigned int read_seqbegin(const seqlock_t *lock);
unsigned int read_seqretry(const seqlock_t *lock, unsigned int start);

static seqlock_t time_lock;
static long seconds, readers;

static void *reader(void *argument)
{
    unsigned int start;
    long result;
    do {
        start = read_seqbegin(&time_lock);
        readers++;        //~ count: race(self) (unconfirmed -- the program cannot be run)
        result = seconds; //~ read: no-race -- only read
    } while (read_seqretry(&time_lock, start));
    return result < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
