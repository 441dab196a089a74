// The reader tries again as it should, and then reads once more without looking.
// not-runnable: the sequence lock is the kernel's.
#include <pthread.h>

typedef struct {
    unsigned int sequence;
} seqlock_t;

unsigned int read_seqbegin(const seqlock_t *lock);
unsigned int read_seqretry(const seqlock_t *lock, unsigned int start);
void write_seqlock(seqlock_t *lock);
void write_sequnlock(seqlock_t *lock);

static seqlock_t time_lock;
static long seconds, nanoseconds;

static void *clock_tick(void *argument)
{
    write_seqlock(&time_lock);
    nanoseconds = 0; //~ wrap: no-race -- writers have the lock, readers try again
    seconds++;       //~ carry: race(late) (unconfirmed -- the program cannot be run)
    write_sequnlock(&time_lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    unsigned int start;
    long result;
    pthread_create(&thread, NULL, clock_tick, NULL);
    do {
        start = read_seqbegin(&time_lock);
        result = nanoseconds; //~ read: no-race -- tries again if a writer was there
    } while (read_seqretry(&time_lock, start));
    result += seconds; //~ late: locks{}
    pthread_join(thread, NULL);
    return result < 0;
}
