// A spin lock is tried a few times; after that the counter is changed all the same.
#include <pthread.h>
#include <unistd.h>

static pthread_spinlock_t spin;
static long total;

static int take(void)
{
    for (int attempt = 0; attempt < 2; attempt++)
        if (pthread_spin_trylock(&spin) == 0)
            return 1;
    return 0;
}

static void *adder(void *argument)
{
    for (int i = 0; i < 100; i++) {
        int is_taken = take();
        total += i; //~ add: race(self); locks{}
        usleep(10);
        if (is_taken)
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
