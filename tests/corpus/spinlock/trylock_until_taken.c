// A spin lock is tried until it is taken.
#include <pthread.h>
#include <sched.h>

static pthread_spinlock_t spin;
static long total;

static void take(void)
{
    while (pthread_spin_trylock(&spin) != 0)
        sched_yield();
}

static void *adder(void *argument)
{
    for (int i = 0; i < 300; i++) {
        take();
        total += i; //~ add: no-race -- the spin lock; locks{spin}
        pthread_spin_unlock(&spin);
    }
    return argument;
}

int main(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_t one, two;
    pthread_create(&one, NULL, adder, NULL);
    pthread_create(&two, NULL, adder, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
