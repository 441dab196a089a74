// A flag says that the table is filled: looked at without the lock first, in acquire order.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_filled;
static int squares[16];

static void fill(void)
{
    for (int i = 0; i < 16; i++)
        squares[i] = i * i; //~ fill: no-race -- only who finds the flag unset under the lock; locks{fill_lock}
}

static int square(int value)
{
    if (!atomic_load_explicit(&is_filled, memory_order_acquire)) {
        pthread_mutex_lock(&fill_lock);
        if (!atomic_load_explicit(&is_filled, memory_order_relaxed)) {
            fill();
            atomic_store_explicit(&is_filled, 1, memory_order_release);
        }
        pthread_mutex_unlock(&fill_lock);
    }
    return squares[value % 16]; //~ use: no-race -- the table is filled; locks{}
}

static void *user(void *argument)
{
    for (int i = 0; i < 50; i++)
        *(int *)argument += square(i);
    return NULL;
}

int main(void)
{
    int sums[2] = { 0, 0 };
    pthread_t one, two;
    pthread_create(&one, NULL, user, &sums[0]);
    pthread_create(&two, NULL, user, &sums[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sums[0] != sums[1];
}
