// Jobs travel through a locked queue; whoever holds a job is its only owner.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int input, output;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *queue;
static int results;

static void push(struct job *job)
{
    pthread_mutex_lock(&queue_lock);
    job->next = queue; //~ link: no-race -- the queue's lock; locks{queue_lock}
    queue = job;       //~ put: no-race -- the queue's lock; locks{queue_lock}
    pthread_mutex_unlock(&queue_lock);
}

static struct job *pop(void)
{
    pthread_mutex_lock(&queue_lock);
    struct job *job = queue; //~ get: no-race -- the queue's lock; locks{queue_lock}
    if (job != NULL)
        queue = job->next; //~ unlink: no-race -- the queue's lock; locks{queue_lock}
    pthread_mutex_unlock(&queue_lock);
    return job;
}

static void *worker(void *argument)
{
    for (int i = 0; i < 40; i++) {
        struct job *job = pop();
        if (job == NULL)
            continue;
        job->output = 2 * job->input; //~ work: no-race -- popped, so it is ours alone; locks{}
        __atomic_fetch_add(&results, job->output, __ATOMIC_RELAXED); //~ add: no-race -- popped, so it is ours alone
        free(job); //~ done: no-race -- popped, so it is ours alone
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    for (int i = 0; i < 20; i++) {
        struct job *job = malloc(sizeof *job);
        job->input = i; //~ fill: no-race -- not in the queue yet; locks{}
        push(job);
    }
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
