// A sequence lock: writers exclude each other, and readers try again if one came between.
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
    nanoseconds += 1000000; //~ tick: no-race -- writers have the lock, readers try again
    if (nanoseconds >= 1000000000) {
        nanoseconds = 0; //~ wrap: no-race -- writers have the lock, readers try again
        seconds++;       //~ carry: no-race -- writers have the lock, readers try again
    }
    write_sequnlock(&time_lock);
    return argument;
}

static long now(void)
{
    unsigned int start;
    long result;
    do {
        start = read_seqbegin(&time_lock);
        result = seconds * 1000 + nanoseconds / 1000000; //~ read: no-race -- tries again if a writer was there
    } while (read_seqretry(&time_lock, start));
    return result;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, clock_tick, NULL);
    pthread_create(&two, NULL, clock_tick, NULL);
    long before = now();
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return before < 0;
}
