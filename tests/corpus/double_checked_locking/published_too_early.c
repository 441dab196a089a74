// The flag is set before the table is filled.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_filled;
static int squares[16];

static void fill(void)
{
    usleep(5000);
    for (int i = 0; i < 16; i++)
        squares[i] = i * i; //~ fill: race(use); locks{fill_lock}
}

static int square(int value)
{
    if (!atomic_load_explicit(&is_filled, memory_order_acquire)) {
        pthread_mutex_lock(&fill_lock);
        if (!atomic_load_explicit(&is_filled, memory_order_relaxed)) {
            atomic_store_explicit(&is_filled, 1, memory_order_release);
            fill();
        }
        pthread_mutex_unlock(&fill_lock);
    }
    return squares[value % 16]; //~ use: locks{}
}

static void *early_user(void *argument)
{
    *(int *)argument = square(3);
    return NULL;
}

static void *late_user(void *argument)
{
    usleep(2000);
    *(int *)argument = square(4);
    return NULL;
}

int main(void)
{
    int sums[2] = { 0, 0 };
    pthread_t one, two;
    pthread_create(&two, NULL, late_user, &sums[1]);
    pthread_create(&one, NULL, early_user, &sums[0]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
