// A stop flag as it should be: an atomic variable, not a volatile one.
#include <pthread.h>
#include <stdatomic.h>

struct worker {
    atomic_bool stop;
    long rounds;
};

static void *run(void *argument)
{
    struct worker *worker = argument;
    while (!atomic_load(&worker->stop)) //~ poll: no-race -- atomic; locks{}
        worker->rounds++;               //~ round: no-race -- main reads it after the join; locks{}
    return NULL;
}

int main(void)
{
    static struct worker worker;
    pthread_t thread;
    pthread_create(&thread, NULL, run, &worker);
    atomic_store(&worker.stop, 1); //~ stop: no-race -- atomic; locks{}
    pthread_join(thread, NULL);
    return worker.rounds < 0; //~ read: no-race -- after the join; locks{}
}
