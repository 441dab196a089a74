// The step after the barrier reads the neighbour's cell while the neighbour already writes the next round.
#include <pthread.h>
#include <unistd.h>

#define THREADS 2

static pthread_barrier_t round_done;
static int cells[THREADS];

static void *worker(void *argument)
{
    int index = *(int *)argument;
    int seen = 0;
    for (int round = 0; round < 20; round++) {
        usleep(100); // The step that a real program would compute here.
        cells[index] = round; //~ w: race(r); locks{}
        pthread_barrier_wait(&round_done);
        seen += cells[1 - index]; //~ r: locks{}
    }
    return seen < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int indices[THREADS] = { 0, 1 };
    pthread_barrier_init(&round_done, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &indices[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&round_done);
    return 0;
}
