// A number generator with a static local; its lock is a static local, too.
#include <pthread.h>

static unsigned next_id(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned last;
    pthread_mutex_lock(&lock);
    unsigned id = ++last; //~ w: no-race -- static locals are shared, and so is their lock; locks{lock}
    pthread_mutex_unlock(&lock);
    return id;
}

struct job {
    unsigned first_id, last_id;
};

static void *submit(void *argument)
{
    struct job *job = argument;
    job->first_id = next_id(); //~ own: no-race -- every thread has its own job; locks{}
    for (int i = 0; i < 50; i++)
        job->last_id = next_id();
    return NULL;
}

int main(void)
{
    struct job jobs[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, submit, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return jobs[0].last_id == jobs[1].last_id;
}
